package io.tailwater.planner.physical;

import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Filters and projections: one Calc between any two other operators, scans that read only what is used.
 *
 * <pre>
 * Calc(p2, Calc(p1, x))       becomes  Calc(p2 o p1, x)
 * Calc($0 + 1, Scan(a, b, c)) becomes  Calc($0 + 1, Scan(a))
 * Calc(where $0 > 1, Hop(x))  becomes  Hop(Calc(where $0 > 1, x))
 * </pre>
 */
final class Calcs {
    /** Merging may repeat an expression; past this many nodes two Calcs stay two. */
    private static final long MAX_EXPRESSION_NODES = 2_000;

    private Calcs() {}

    /** {@code projections} of the rows of {@code input} for which {@code condition} is true. */
    static Built calc(Built input, @Nullable Expr condition, List<Expr> projections, List<String> names) {
        @Nullable Expr newCondition = condition;
        List<Expr> newProjections = projections;
        Built below = input;
        if (input.node() instanceof PlanNode.Calc calc) {
            @Nullable Expr mergedCondition = condition == null ? null : Exprs.substitute(condition, calc.projections());
            List<Expr> merged = projections.stream()
                    .map(p -> Exprs.substitute(p, calc.projections()))
                    .toList();
            if (size(mergedCondition, merged) <= MAX_EXPRESSION_NODES) {
                newCondition = Exprs.and(calc.condition(), mergedCondition);
                newProjections = merged;
                below = Built.of(calc.input());
            }
        }
        List<List<Integer>> hashes = calcHashes(input, projections);
        if (below.node() instanceof PlanNode.WindowAssign window && newCondition != null) {
            List<Expr> above = new ArrayList<>();
            List<Expr> pushed = new ArrayList<>();
            for (Expr part : Exprs.conjuncts(newCondition)) {
                (readsOnly(part, window.schema().size() - 2) ? pushed : above).add(part);
            }
            if (!pushed.isEmpty()) {
                below = Built.of(filtered(window, Exprs.conjunction(pushed)));
                newCondition = Exprs.conjunction(above);
            }
        }
        return finish(below, hashes, newCondition, newProjections, names);
    }

    private static boolean readsOnly(Expr expr, int columns) {
        BitSet used = new BitSet();
        Exprs.inputs(expr, used);
        return used.length() <= columns;
    }

    /** A row that no window keeps need not be put into windows. */
    private static PlanNode filtered(PlanNode.WindowAssign window, @Nullable Expr condition) {
        Built input = Built.of(window.input());
        Schema schema = input.schema();
        PlanNode fewer = calc(
                        input,
                        condition,
                        Exprs.identity(schema),
                        schema.columns().stream().map(Column::name).toList())
                .node();
        return new PlanNode.WindowAssign(
                fewer,
                window.kind(),
                window.timeColumn(),
                window.sizeMicros(),
                window.slideMicros(),
                window.offsetMicros(),
                window.schema(),
                window.traits());
    }

    private static long size(@Nullable Expr condition, List<Expr> projections) {
        return (condition == null ? 0 : Exprs.size(condition))
                + projections.stream().mapToLong(Exprs::size).sum();
    }

    private static List<List<Integer>> calcHashes(Built input, List<Expr> projections) {
        return Built.move(input.hashes(), positions(input.schema().size(), projections));
    }

    /** Where each input column is found unchanged, or -1. */
    static int[] positions(int inputSize, List<Expr> projections) {
        int[] out = new int[inputSize];
        Arrays.fill(out, -1);
        for (int i = projections.size() - 1; i >= 0; i--) {
            if (projections.get(i) instanceof Expr.Input input) {
                out[input.index()] = i;
            }
        }
        return out;
    }

    /** Like {@link #positions}, but a projection need only tell different values of its column apart to stand for it. */
    private static int[] distinctPositions(int inputSize, List<Expr> projections) {
        int[] out = new int[inputSize];
        Arrays.fill(out, -1);
        for (int i = projections.size() - 1; i >= 0; i--) {
            if (injective(projections.get(i)) instanceof Expr.Input input) {
                out[input.index()] = i;
            }
        }
        return out;
    }

    /** The expression under functions that never give two values the same result: checks, and casts that fail or keep every digit. */
    private static Expr injective(Expr expr) {
        if (!(expr instanceof Expr.Call call)) {
            return expr;
        }
        DataType from = call.operands().get(0).type();
        boolean keeps = switch (call.function()) {
            case REQUIRE_NOT_NULL, REQUIRE_LENGTH -> true;
            case CAST ->
                from.kind().isInteger() && call.type().kind().isInteger()
                        || from.kind() == TypeKind.VARCHAR
                                && call.type().kind() == TypeKind.VARCHAR
                                && call.type().precision() == DataType.UNBOUNDED;
            default -> false;
        };
        return keeps ? injective(call.operands().get(0)) : expr;
    }

    private static Built finish(
            Built input,
            List<List<Integer>> hashes,
            @Nullable Expr condition,
            List<Expr> projections,
            List<String> names) {
        Built narrowed = input;
        @Nullable Expr newCondition = condition;
        List<Expr> newProjections = projections;
        if (input.node() instanceof PlanNode.Scan scan) {
            BitSet used = new BitSet();
            Exprs.inputs(condition, used);
            projections.forEach(p -> Exprs.inputs(p, used));
            if (used.isEmpty()) {
                used.set(cheapest(scan.schema()));
            }
            if (used.cardinality() < scan.schema().size()) {
                int[] moved = new int[scan.schema().size()];
                int[] kept = used.stream().toArray();
                for (int i = 0; i < kept.length; i++) {
                    moved[kept[i]] = i;
                }
                narrowed = Built.of(narrow(scan, kept));
                newCondition = condition == null ? null : Exprs.renumber(condition, moved);
                newProjections =
                        projections.stream().map(p -> Exprs.renumber(p, moved)).toList();
            }
        }
        Schema schema = schema(newProjections, names);
        if (input.node() instanceof PlanNode.Values values && condition == null && isConstant(projections)) {
            return Built.of(constants(values, projections, schema));
        }
        if (newCondition == null && isIdentity(newProjections, narrowed.schema().size())) {
            return renamed(narrowed, hashes, schema);
        }
        return new Built(
                new PlanNode.Calc(
                        narrowed.node(),
                        newCondition,
                        newProjections,
                        schema,
                        traits(narrowed.traits(), narrowed.schema().size(), newProjections, hashes)),
                hashes);
    }

    /** The same rows under other names. */
    private static Built renamed(Built built, List<List<Integer>> hashes, Schema schema) {
        // A scan shows the catalog's names.
        return new Built(
                built.node() instanceof PlanNode.Scan ? built.node() : Renames.rename(built.node(), schema), hashes);
    }

    static boolean isIdentity(List<Expr> projections, int inputSize) {
        if (projections.size() != inputSize) {
            return false;
        }
        for (int i = 0; i < inputSize; i++) {
            if (!(projections.get(i) instanceof Expr.Input input) || input.index() != i) {
                return false;
            }
        }
        return true;
    }

    private static boolean isConstant(List<Expr> projections) {
        return projections.stream().noneMatch(p -> p instanceof Expr.Call);
    }

    private static PlanNode.Values constants(PlanNode.Values values, List<Expr> projections, Schema schema) {
        List<List<Expr.Literal>> rows = new ArrayList<>();
        for (List<Expr.Literal> row : values.rows()) {
            List<Expr.Literal> out = new ArrayList<>();
            for (Expr p : projections) {
                out.add(p instanceof Expr.Literal constant ? constant : row.get(((Expr.Input) p).index()));
            }
            rows.add(out);
        }
        Traits t = values.traits();
        return new PlanNode.Values(
                rows,
                schema,
                new Traits(
                        t.distribution(),
                        t.appendOnly(),
                        rows.size() <= 1 ? List.of(List.of()) : List.of(),
                        List.of()));
    }

    private static Schema schema(List<Expr> projections, List<String> names) {
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < projections.size(); i++) {
            columns.add(new Column(readable(names.get(i)), projections.get(i).type()));
        }
        return new Schema(columns);
    }

    /** Names that nobody wrote begin with a dollar sign: messages about rows leave such columns out. */
    static String readable(String name) {
        return name.startsWith("EXPR$") ? "$expr" + name.substring(5) : name.equals("ZERO") ? "$zero" : name;
    }

    static PlanNode.Scan narrow(PlanNode.Scan scan, int[] kept) {
        List<Integer> positions = Arrays.stream(kept).boxed().toList();
        int[] moved = new int[scan.schema().size()];
        Arrays.fill(moved, -1);
        for (int i = 0; i < kept.length; i++) {
            moved[kept[i]] = i;
        }
        Traits t = scan.traits();
        List<Traits.Watermarked> watermarked = t.watermarked().stream()
                .filter(w -> moved[w.column()] >= 0)
                .map(w -> new Traits.Watermarked(moved[w.column()], w.reader(), w.lagMicros()))
                .toList();
        return new PlanNode.Scan(
                scan.reader(),
                scan.kind(),
                scan.object(),
                positions.stream().map(scan.columns()::get).toList(),
                scan.schema().project(positions),
                new Traits(t.distribution(), t.appendOnly(), Built.move(t.uniqueKeys(), moved), watermarked));
    }

    /** A column to read where only the number of rows matters. */
    static int cheapest(Schema schema) {
        int best = 0;
        for (int i = 1; i < schema.size(); i++) {
            if (cost(schema.type(i)) < cost(schema.type(best))) {
                best = i;
            }
        }
        return best;
    }

    private static int cost(DataType type) {
        return type.kind().isView() ? 1_000 : type.kind().width();
    }

    private static Traits traits(Traits input, int inputSize, List<Expr> projections, List<List<Integer>> hashes) {
        Distribution distribution = input.distribution();
        if (!(distribution instanceof Distribution.Single) && !(distribution instanceof Distribution.Broadcast)) {
            distribution = hashes.isEmpty() ? new Distribution.Any() : new Distribution.Hash(hashes.get(0));
        }
        return new Traits(
                distribution,
                input.appendOnly(),
                Built.move(input.uniqueKeys(), distinctPositions(inputSize, projections)),
                Watermarks.project(input.watermarked(), projections));
    }
}
