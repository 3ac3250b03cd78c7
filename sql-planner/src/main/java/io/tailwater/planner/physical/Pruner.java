package io.tailwater.planner.physical;

import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Removes from a finished plan the columns and aggregates that nobody above reads: what is not carried is neither hashed, copied nor kept.
 *
 * <pre>
 * Aggregate(COUNT(*), Exchange(Scan(a, b, c)))  becomes  Aggregate(COUNT(*), Exchange(Scan(a)))
 * Join(Exchange(Calc($0, $1, $1 + 10)), ...), the third column unread  becomes  Join(Exchange(Calc($0, $1)), ...)
 * </pre>
 */
final class Pruner {
    private Pruner() {}

    /** A node and where each column of its former self is now, -1 for one that is gone. */
    private record Pruned(PlanNode node, int[] positions) {
        int at(int column) {
            if (positions[column] < 0) {
                throw new AssertionError("column " + column + " was pruned but is read");
            }
            return positions[column];
        }

        List<Integer> at(List<Integer> columns) {
            return columns.stream().map(this::at).toList();
        }
    }

    /** The same relation, column by column. */
    static PlanNode prune(PlanNode root) {
        BitSet all = new BitSet();
        all.set(0, root.schema().size());
        Pruned pruned = exactly(root, all);
        return pruned.node();
    }

    /** The node with precisely the needed columns, in their order; with one column if none is needed. */
    private static Pruned exactly(PlanNode node, BitSet needed) {
        BitSet wanted = atLeastOne(node, needed);
        Pruned pruned = prune(node, wanted);
        int width = wanted.cardinality();
        int[] positions = new int[node.schema().size()];
        Arrays.fill(positions, -1);
        List<Expr> projections = new ArrayList<>();
        List<String> names = new ArrayList<>();
        boolean identity = pruned.node().schema().size() == width;
        for (int column = wanted.nextSetBit(0); column >= 0; column = wanted.nextSetBit(column + 1)) {
            int at = pruned.at(column);
            identity &= at == projections.size();
            positions[column] = projections.size();
            projections.add(new Expr.Input(at, pruned.node().schema().type(at)));
            names.add(pruned.node().schema().column(at).name());
        }
        if (identity) {
            return new Pruned(pruned.node(), positions);
        }
        return new Pruned(
                Calcs.calc(Built.of(pruned.node()), null, projections, names).node(), positions);
    }

    private static BitSet atLeastOne(PlanNode node, BitSet needed) {
        if (!needed.isEmpty() || node.schema().size() == 0) {
            return needed;
        }
        BitSet one = new BitSet();
        one.set(Calcs.cheapest(node.schema()));
        return one;
    }

    private static Pruned prune(PlanNode node, BitSet needed) {
        if (node instanceof PlanNode.Scan scan) {
            BitSet kept = atLeastOne(scan, needed);
            return kept.cardinality() == scan.schema().size()
                    ? unchanged(scan)
                    : new Pruned(
                            Calcs.narrow(scan, kept.stream().toArray()),
                            compact(scan.schema().size(), kept));
        }
        if (node instanceof PlanNode.Calc calc) {
            return calc(calc, needed);
        }
        if (node instanceof PlanNode.WindowAssign window) {
            return window(window, needed);
        }
        if (node instanceof PlanNode.Exchange exchange) {
            BitSet required =
                    union(needed, exchange.distribution() instanceof Distribution.Hash h ? h.columns() : List.of());
            Pruned input = exactly(exchange.input(), required);
            Distribution distribution = exchange.distribution() instanceof Distribution.Hash h
                    ? new Distribution.Hash(input.at(h.columns()))
                    : exchange.distribution();
            return new Pruned(
                    new PlanNode.Exchange(input.node(), distribution, move(exchange.traits(), input.positions())),
                    input.positions());
        }
        if (node instanceof PlanNode.Aggregate aggregate) {
            return aggregate(aggregate, needed);
        }
        if (node instanceof PlanNode.Join join) {
            return join(join, needed);
        }
        if (node instanceof PlanNode.Union union) {
            return union(union, needed);
        }
        if (node instanceof PlanNode.Sort sort) {
            BitSet required =
                    union(needed, sort.keys().stream().map(SortKey::column).toList());
            Pruned input = exactly(sort.input(), required);
            List<SortKey> keys = sort.keys().stream()
                    .map(k -> new SortKey(input.at(k.column()), k.descending(), k.nullsFirst()))
                    .toList();
            return new Pruned(
                    new PlanNode.Sort(
                            input.node(), keys, sort.offset(), sort.limit(), move(sort.traits(), input.positions())),
                    input.positions());
        }
        return others(node, needed);
    }

    private static Pruned others(PlanNode node, BitSet needed) {
        if (node instanceof PlanNode.SetOperation set) {
            // Rows are compared as a whole.
            BitSet all = new BitSet();
            all.set(0, set.schema().size());
            List<PlanNode> inputs =
                    set.inputs().stream().map(i -> exactly(i, all).node()).toList();
            return unchanged(Inputs.replace(set, inputs));
        }
        if (node instanceof PlanNode.SessionAssign session) {
            return session(session, needed);
        }
        if (node instanceof PlanNode.TopN top) {
            return topN(top, needed);
        }
        if (node instanceof PlanNode.WindowClose close) {
            Pruned input = exactly(close.input(), union(needed, List.of(close.timeColumn())));
            return new Pruned(
                    new PlanNode.WindowClose(
                            input.node(),
                            input.at(close.timeColumn()),
                            close.bounds(),
                            move(close.traits(), input.positions())),
                    input.positions());
        }
        return unchanged(node);
    }

    private static Pruned session(PlanNode.SessionAssign session, BitSet needed) {
        int start = session.schema().size() - 2;
        BitSet required = union(new BitSet(), session.partitionKeys());
        needed.stream().filter(c -> c < start).forEach(required::set);
        required.set(session.timeColumn());
        Pruned input = exactly(session.input(), required);
        int width = input.node().schema().size();
        int[] positions = Arrays.copyOf(input.positions(), start + 2);
        positions[start] = width;
        positions[start + 1] = width + 1;
        List<Column> columns = new ArrayList<>(input.node().schema().columns());
        columns.add(session.schema().column(start));
        columns.add(session.schema().column(start + 1));
        return new Pruned(
                new PlanNode.SessionAssign(
                        input.node(),
                        input.at(session.partitionKeys()),
                        input.at(session.timeColumn()),
                        session.gapMicros(),
                        new Schema(columns),
                        move(session.traits(), positions),
                        moved(session.retention(), positions)),
                positions);
    }

    private static Pruned topN(PlanNode.TopN top, BitSet needed) {
        int inputWidth = top.input().schema().size();
        BitSet required = union(new BitSet(), top.partitionKeys());
        top.keys().forEach(k -> required.set(k.column()));
        needed.stream().filter(c -> c < inputWidth).forEach(required::set);
        Pruned input = exactly(top.input(), required);
        boolean rowNumber = top.rowNumber() && needed.get(inputWidth);
        int[] positions = Arrays.copyOf(input.positions(), top.schema().size());
        List<Column> columns = new ArrayList<>(input.node().schema().columns());
        if (top.rowNumber()) {
            positions[inputWidth] = rowNumber ? columns.size() : -1;
        }
        if (rowNumber) {
            columns.add(top.schema().column(inputWidth));
        }
        return new Pruned(
                new PlanNode.TopN(
                        input.node(),
                        input.at(top.partitionKeys()),
                        top.keys().stream()
                                .map(k -> new SortKey(input.at(k.column()), k.descending(), k.nullsFirst()))
                                .toList(),
                        top.offset(),
                        top.limit(),
                        rowNumber,
                        new Schema(columns),
                        move(top.traits(), positions),
                        moved(top.retention(), positions)),
                positions);
    }

    private static PlanNode.@Nullable Retention moved(PlanNode.@Nullable Retention retention, int[] positions) {
        return retention == null ? null : new PlanNode.Retention(positions[retention.column()], retention.bounds());
    }

    private static Pruned calc(PlanNode.Calc calc, BitSet needed) {
        BitSet kept = atLeastOne(calc, needed);
        BitSet required = new BitSet();
        Exprs.inputs(calc.condition(), required);
        kept.stream().forEach(i -> Exprs.inputs(calc.projections().get(i), required));
        Pruned input = prune(calc.input(), required);
        int[] positions = compact(calc.schema().size(), kept);
        List<Expr> projections = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        kept.stream().forEach(i -> {
            projections.add(Exprs.renumber(calc.projections().get(i), input.positions()));
            columns.add(calc.schema().column(i));
        });
        @Nullable Expr condition = calc.condition() == null ? null : Exprs.renumber(calc.condition(), input.positions());
        Schema schema = new Schema(columns);
        if (condition == null
                && Calcs.isIdentity(projections, input.node().schema().size())) {
            return new Pruned(
                    input.node() instanceof PlanNode.Scan ? input.node() : Renames.rename(input.node(), schema),
                    positions);
        }
        return new Pruned(
                new PlanNode.Calc(input.node(), condition, projections, schema, move(calc.traits(), positions)),
                positions);
    }

    private static Pruned window(PlanNode.WindowAssign window, BitSet needed) {
        int start = window.schema().size() - 2;
        BitSet required = new BitSet();
        needed.stream().filter(c -> c < start).forEach(required::set);
        required.set(window.timeColumn());
        Pruned input = prune(window.input(), required);
        int width = input.node().schema().size();
        int[] positions = Arrays.copyOf(input.positions(), start + 2);
        positions[start] = width;
        positions[start + 1] = width + 1;
        List<Column> columns = new ArrayList<>(input.node().schema().columns());
        columns.add(window.schema().column(start));
        columns.add(window.schema().column(start + 1));
        return new Pruned(
                new PlanNode.WindowAssign(
                        input.node(),
                        window.kind(),
                        input.at(window.timeColumn()),
                        window.sizeMicros(),
                        window.slideMicros(),
                        window.offsetMicros(),
                        new Schema(columns),
                        move(window.traits(), positions)),
                positions);
    }

    private static Pruned aggregate(PlanNode.Aggregate aggregate, BitSet needed) {
        int keys = aggregate.groupKeys().size();
        BitSet kept = new BitSet();
        kept.set(0, keys);
        needed.stream().filter(c -> c >= keys).forEach(kept::set);
        if (kept.isEmpty()) {
            // Without keys and calls there would be no row to count.
            kept.set(0);
        }
        BitSet required = union(new BitSet(), aggregate.groupKeys());
        List<AggregateCall> calls = new ArrayList<>();
        for (int i = 0; i < aggregate.calls().size(); i++) {
            if (kept.get(keys + i)) {
                AggregateCall call = aggregate.calls().get(i);
                calls.add(call);
                call.arguments().forEach(required::set);
                call.order().forEach(k -> required.set(k.column()));
                if (call.filter() >= 0) {
                    required.set(call.filter());
                }
            }
        }
        Pruned input = prune(aggregate.input(), required);
        int[] positions = compact(aggregate.schema().size(), kept);
        return new Pruned(
                new PlanNode.Aggregate(
                        input.node(),
                        input.at(aggregate.groupKeys()),
                        calls.stream().map(c -> moved(c, input)).toList(),
                        aggregate.schema().project(kept.stream().boxed().toList()),
                        move(aggregate.traits(), positions),
                        moved(aggregate.retention(), positions)),
                positions);
    }

    private static AggregateCall moved(AggregateCall call, Pruned input) {
        return new AggregateCall(
                call.function(),
                input.at(call.arguments()),
                call.filter() < 0 ? -1 : input.at(call.filter()),
                call.distinct(),
                call.order().stream()
                        .map(k -> new SortKey(input.at(k.column()), k.descending(), k.nullsFirst()))
                        .toList(),
                call.type());
    }

    private static Pruned join(PlanNode.Join join, BitSet needed) {
        int leftWidth = join.left().schema().size();
        int rightWidth = join.right().schema().size();
        BitSet residual = new BitSet();
        Exprs.inputs(join.residual(), residual);
        BitSet requiredLeft = union(new BitSet(), join.leftKeys());
        BitSet requiredRight = union(new BitSet(), join.rightKeys());
        for (BitSet columns : List.of(needed, residual)) {
            columns.stream().forEach(c -> {
                if (c < leftWidth) {
                    requiredLeft.set(c);
                } else {
                    requiredRight.set(c - leftWidth);
                }
            });
        }
        Pruned left = exactly(join.left(), requiredLeft);
        Pruned right = exactly(join.right(), requiredRight);
        int shift = left.node().schema().size();
        int[] both = new int[leftWidth + rightWidth];
        System.arraycopy(left.positions(), 0, both, 0, leftWidth);
        for (int i = 0; i < rightWidth; i++) {
            both[leftWidth + i] = right.positions()[i] < 0 ? -1 : right.positions()[i] + shift;
        }
        int[] positions = Arrays.copyOf(both, join.schema().size());
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < positions.length; i++) {
            if (positions[i] >= 0) {
                columns.add(join.schema().column(i));
            }
        }
        return new Pruned(
                new PlanNode.Join(
                        left.node(),
                        right.node(),
                        join.kind(),
                        left.at(join.leftKeys()),
                        right.at(join.rightKeys()),
                        join.nullSafe(),
                        join.residual() == null ? null : Exprs.renumber(join.residual(), both),
                        new Schema(columns),
                        move(join.traits(), positions)),
                positions);
    }

    private static Pruned union(PlanNode.Union union, BitSet needed) {
        BitSet kept = atLeastOne(union, needed);
        List<PlanNode> inputs =
                union.inputs().stream().map(i -> exactly(i, kept).node()).toList();
        int[] positions = compact(union.schema().size(), kept);
        return new Pruned(
                new PlanNode.Union(
                        inputs,
                        union.schema().project(kept.stream().boxed().toList()),
                        move(union.traits(), positions)),
                positions);
    }

    private static Pruned unchanged(PlanNode node) {
        int[] positions = new int[node.schema().size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = i;
        }
        return new Pruned(node, positions);
    }

    private static int[] compact(int width, BitSet kept) {
        int[] positions = new int[width];
        Arrays.fill(positions, -1);
        int at = 0;
        for (int column = kept.nextSetBit(0); column >= 0; column = kept.nextSetBit(column + 1)) {
            positions[column] = at++;
        }
        return positions;
    }

    private static BitSet union(BitSet columns, List<Integer> more) {
        BitSet out = (BitSet) columns.clone();
        more.forEach(out::set);
        return out;
    }

    static Traits move(Traits traits, int[] positions) {
        Distribution distribution = traits.distribution();
        if (distribution instanceof Distribution.Hash hash) {
            List<List<Integer>> moved = Built.move(List.of(hash.columns()), positions);
            distribution = moved.isEmpty() ? new Distribution.Any() : new Distribution.Hash(moved.get(0));
        }
        List<Traits.Watermarked> watermarked = traits.watermarked().stream()
                .filter(w -> positions[w.column()] >= 0)
                .map(w -> new Traits.Watermarked(positions[w.column()], w.reader(), w.lagMicros()))
                .toList();
        return new Traits(distribution, traits.appendOnly(), Built.move(traits.uniqueKeys(), positions), watermarked);
    }
}
