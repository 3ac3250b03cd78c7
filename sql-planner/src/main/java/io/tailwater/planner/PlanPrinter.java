package io.tailwater.planner;

import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A plan as an indented tree with names instead of numbers. */
final class PlanPrinter {
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final boolean continuous;
    private final List<String> out;
    private final SortedMap<Integer, AsOf> past;
    /** What each reader reads. */
    private final Map<Integer, String> readers = new TreeMap<>();

    private PlanPrinter(boolean continuous, List<String> out, SortedMap<Integer, AsOf> past) {
        this.continuous = continuous;
        this.out = out;
        this.past = past;
    }

    /** Adds the plan's lines, indented by two blanks, and notes on state that nothing bounds. */
    static void print(PlanNode root, boolean continuous, List<String> out) {
        print(root, continuous, out, new TreeMap<>());
    }

    /** One node of a plan in words. */
    static String line(PlanNode root, PlanNode node) {
        PlanPrinter printer = new PlanPrinter(true, new ArrayList<>(), new TreeMap<>());
        printer.nameReaders(root);
        return printer.text(node);
    }

    private void nameReaders(PlanNode root) {
        Queries.walk(root, node -> {
            if (node instanceof PlanNode.Scan scan) {
                readers.put(scan.reader(), scan.object().toString());
            }
        });
    }

    /**
     * As {@link #print(PlanNode, boolean, List)}.
     *
     * @param past readers that read what was, and when
     */
    static void print(PlanNode root, boolean continuous, List<String> out, SortedMap<Integer, AsOf> past) {
        PlanPrinter printer = new PlanPrinter(continuous, out, past);
        printer.nameReaders(root);
        printer.node(root, 1);
        if (continuous) {
            StateNotes.add(root, out);
        }
    }

    private void node(PlanNode node, int depth) {
        out.add("  ".repeat(depth) + "-> " + text(node) + traits(node));
        if (node instanceof PlanNode.Calc calc) {
            String indent = "  ".repeat(depth) + "     ";
            Expr condition = calc.condition();
            if (condition != null) {
                out.add(indent + "where " + expr(condition, calc.input().schema()));
            }
        }
        node.inputs().forEach(input -> node(input, depth + 1));
    }

    private String text(PlanNode node) {
        if (node instanceof PlanNode.Scan scan) {
            return "Scan " + scan.object() + " " + scan.kind().name().toLowerCase(Locale.ROOT) + " ("
                    + names(scan.schema()) + ")" + asOf(past.get(scan.reader()));
        }
        if (node instanceof PlanNode.Values values) {
            return "Values " + values.rows().size() + (values.rows().size() == 1 ? " row" : " rows");
        }
        if (node instanceof PlanNode.Calc calc) {
            return "Calc " + projections(calc);
        }
        if (node instanceof PlanNode.WindowAssign window) {
            return window.kind() + " on "
                    + window.schema().column(window.timeColumn()).name() + " size "
                    + micros(window.sizeMicros()) + (window.kind() == PlanNode.WindowKind.HOP ? " every " : " step ")
                    + micros(window.slideMicros())
                    + (window.offsetMicros() == 0 ? "" : " offset " + micros(window.offsetMicros()));
        }
        if (node instanceof PlanNode.Consolidate) {
            return "Consolidate equal rows";
        }
        if (node instanceof PlanNode.Exchange exchange) {
            return "Exchange " + distribution(exchange.distribution(), exchange.schema());
        }
        if (node instanceof PlanNode.Aggregate aggregate) {
            return aggregate(aggregate);
        }
        if (node instanceof PlanNode.Join join) {
            return join(join);
        }
        if (node instanceof PlanNode.Union union) {
            return "Union all of " + union.inputs().size();
        }
        if (node instanceof PlanNode.Keyed keyed) {
            return "Keyed by (" + names(keyed.schema(), keyed.key()) + ")";
        }
        if (node instanceof PlanNode.Sort sort) {
            return (sort.keys().isEmpty() ? "Limit" : "Sort by " + keys(sort.keys(), sort.schema()))
                    + (sort.limit() < 0 ? "" : " limit " + sort.limit())
                    + (sort.offset() == 0 ? "" : " offset " + sort.offset());
        }
        return eventTimeText(node);
    }

    private static String asOf(@Nullable AsOf asOf) {
        if (asOf instanceof AsOf.Point point) {
            return " as of recovery point " + point.name();
        }
        return asOf instanceof AsOf.Time time ? " as of " + time.text() : "";
    }

    private String eventTimeText(PlanNode node) {
        if (node instanceof PlanNode.SetOperation set) {
            return (set.kind() == PlanNode.SetKind.INTERSECT ? "Intersect" : "Except") + (set.all() ? " all" : "");
        }
        if (node instanceof PlanNode.SessionAssign session) {
            return "Session" + by(session.partitionKeys(), session.schema()) + " on "
                    + session.schema().column(session.timeColumn()).name() + " gap " + micros(session.gapMicros())
                    + kept(session.retention(), session.schema());
        }
        if (node instanceof PlanNode.TopN top) {
            Schema schema = top.schema();
            return "Top " + top.limit() + by(top.partitionKeys(), schema)
                    + (top.keys().isEmpty() ? "" : " order by " + keys(top.keys(), schema))
                    + (top.offset() == 0 ? "" : " offset " + top.offset())
                    + (top.rowNumber() ? " with its number" : "")
                    + kept(top.retention(), schema);
        }
        if (node instanceof PlanNode.WindowClose close) {
            return "Window close, holds rows back"
                    + until(close.schema().column(close.timeColumn()).name(), close.bounds());
        }
        if (node instanceof PlanNode.LateFilter late) {
            return "Late filter on " + late.schema().column(late.timeColumn()).name()
                    + (late.slackMicros() == 0 ? "" : " slack " + micros(late.slackMicros()));
        }
        throw new AssertionError(node);
    }

    private static String by(List<Integer> columns, Schema schema) {
        return columns.isEmpty() ? "" : " by (" + names(schema, columns) + ")";
    }

    private String kept(PlanNode.@Nullable Retention retention, Schema schema) {
        return retention == null
                ? ""
                : ", keeps state" + until(schema.column(retention.column()).name(), retention.bounds());
    }

    /** Rows count as long as their column is not less than every bound. */
    private String until(String column, List<PlanNode.Bound> bounds) {
        return bounds.stream().map(b -> bound(column, b)).distinct().collect(Collectors.joining(" or ", " while ", ""));
    }

    private String bound(String column, PlanNode.Bound bound) {
        // Times are whole milliseconds mostly: a bound just above one is said as "after".
        boolean after = Math.floorMod(bound.lagMicros() + 1, 1_000L) == 0;
        long lag = after ? bound.lagMicros() + 1 : bound.lagMicros();
        return column + (after ? " > " : " >= ") + "watermark of " + readers.get(bound.reader())
                + (lag == 0 ? "" : (lag > 0 ? " - " : " + ") + micros(Math.abs(lag)));
    }

    private static String projections(PlanNode.Calc calc) {
        Schema input = calc.input().schema();
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < calc.projections().size(); i++) {
            String text = expr(calc.projections().get(i), input);
            String name = calc.schema().column(i).name();
            parts.add(text.equals(name) ? name : text + " as " + name);
        }
        return String.join(", ", parts);
    }

    private String aggregate(PlanNode.Aggregate aggregate) {
        Schema input = aggregate.input().schema();
        String calls = aggregate.calls().stream().map(c -> call(c, input)).collect(Collectors.joining(", "));
        String by = aggregate.groupKeys().isEmpty() ? "" : "by (" + names(input, aggregate.groupKeys()) + ")";
        String kept = kept(aggregate.retention(), aggregate.schema());
        if (aggregate.calls().isEmpty()) {
            return "Distinct " + by + kept;
        }
        return "Aggregate " + calls + (by.isEmpty() ? "" : " " + by) + kept;
    }

    private static String call(AggregateCall call, Schema input) {
        String arguments = call.arguments().isEmpty() ? "*" : names(input, call.arguments());
        return call.function() + "(" + (call.distinct() ? "DISTINCT " : "") + arguments + ")"
                + (call.filter() < 0
                        ? ""
                        : " filter " + input.column(call.filter()).name());
    }

    private static String join(PlanNode.Join join) {
        Schema left = join.left().schema();
        Schema right = join.right().schema();
        String keys = IntStream.range(0, join.leftKeys().size())
                .mapToObj(i -> left.column(join.leftKeys().get(i)).name()
                        + (join.nullSafe().get(i) ? " is not distinct from " : " = ")
                        + right.column(join.rightKeys().get(i)).name())
                .collect(Collectors.joining(" and "));
        Expr residual = join.residual();
        List<io.tailwater.common.type.Column> both = new ArrayList<>(left.columns());
        both.addAll(right.columns());
        return "Join " + join.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                + (keys.isEmpty() ? " without keys" : " on " + keys)
                + (residual == null ? "" : " and " + expr(residual, new Schema(both)));
    }

    private static String keys(List<SortKey> keys, Schema schema) {
        return keys.stream()
                .map(key -> schema.column(key.column()).name()
                        + (key.descending() ? " desc" : "")
                        + (key.nullsFirst() != key.descending()
                                ? key.nullsFirst() ? " nulls first" : " nulls last"
                                : ""))
                .collect(Collectors.joining(", "));
    }

    private String traits(PlanNode node) {
        Traits t = node.traits();
        List<String> parts = new ArrayList<>();
        if (!(node instanceof PlanNode.Exchange) && !(t.distribution() instanceof Distribution.Any)) {
            parts.add(distribution(t.distribution(), node.schema()));
        }
        if (continuous && !(node instanceof PlanNode.Exchange)) {
            parts.add(t.appendOnly() ? "append-only" : "updates");
        }
        if (!(node instanceof PlanNode.Exchange)) {
            for (List<Integer> key : t.uniqueKeys()) {
                parts.add(key.isEmpty() ? "one row" : "key (" + names(node.schema(), key) + ")");
            }
        }
        return parts.isEmpty() ? "" : "  [" + String.join("; ", parts) + "]";
    }

    private static String distribution(Distribution distribution, Schema schema) {
        if (distribution instanceof Distribution.Hash hash) {
            return "hash (" + names(schema, hash.columns()) + ")";
        }
        return distribution.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    private static String names(Schema schema) {
        return schema.columns().stream().map(c -> c.name()).collect(Collectors.joining(", "));
    }

    static String names(Schema schema, List<Integer> columns) {
        return columns.stream().map(c -> schema.column(c).name()).collect(Collectors.joining(", "));
    }

    private static String micros(long micros) {
        long seconds = micros / MICROS_PER_SECOND;
        if (micros % MICROS_PER_SECOND != 0) {
            return micros + " us";
        }
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + " d";
        }
        if (seconds % 3_600 == 0) {
            return seconds / 3_600 + " h";
        }
        return seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }

    static String expr(Expr expr, Schema input) {
        if (expr instanceof Expr.Input column) {
            return input.column(column.index()).name();
        }
        if (expr instanceof Expr.Literal literal) {
            String value = literal.value();
            if (value != null && literal.type().kind() == TypeKind.INTERVAL_DAY_TIME) {
                return "interval " + micros(Long.parseLong(value));
            }
            if (value != null && literal.type().kind() == TypeKind.INTERVAL_YEAR_MONTH) {
                return "interval " + value + " months";
            }
            return value == null ? "NULL" : constant(value, literal);
        }
        Expr.Call call = (Expr.Call) expr;
        List<String> operands =
                call.operands().stream().map(o -> expr(o, input)).toList();
        String infix = call.function().infix();
        if (call.function() == Function.CAST || call.function() == Function.TRY_CAST) {
            return call.function() + "(" + operands.get(0) + " AS "
                    + call.type().sql() + ")";
        }
        return infix != null && operands.size() >= 2
                ? "(" + String.join(" " + infix + " ", operands) + ")"
                : call.function() + "(" + String.join(", ", operands) + ")";
    }

    private static String constant(String value, Expr.Literal literal) {
        return switch (literal.type().kind()) {
            case DATE -> "DATE '" + LocalDate.ofEpochDay(Long.parseLong(value)) + "'";
            case TIMESTAMP, TIMESTAMP_LTZ -> {
                long micros = Long.parseLong(value);
                LocalDateTime at = LocalDateTime.ofEpochSecond(
                        Math.floorDiv(micros, MICROS_PER_SECOND),
                        (int) Math.floorMod(micros, MICROS_PER_SECOND) * 1_000,
                        ZoneOffset.UTC);
                yield "TIMESTAMP '" + at.toString().replace('T', ' ') + "'";
            }
            default -> literal.toString();
        };
    }
}
