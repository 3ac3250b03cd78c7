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

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A plan as an indented tree with names instead of numbers. */
final class PlanPrinter {
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final boolean continuous;
    private final List<String> out;

    private PlanPrinter(boolean continuous, List<String> out) {
        this.continuous = continuous;
        this.out = out;
    }

    /** Adds the plan's lines, indented by two blanks, and notes on state that nothing bounds. */
    static void print(PlanNode root, boolean continuous, List<String> out) {
        PlanPrinter printer = new PlanPrinter(continuous, out);
        printer.node(root, 1);
        if (continuous) {
            printer.notes(root);
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

    private static String text(PlanNode node) {
        if (node instanceof PlanNode.Scan scan) {
            return "Scan " + scan.object() + " " + scan.kind().name().toLowerCase(Locale.ROOT) + " ("
                    + names(scan.schema()) + ")";
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
            return sort(sort);
        }
        throw new AssertionError(node);
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

    private static String aggregate(PlanNode.Aggregate aggregate) {
        Schema input = aggregate.input().schema();
        String calls = aggregate.calls().stream().map(c -> call(c, input)).collect(Collectors.joining(", "));
        String by = aggregate.groupKeys().isEmpty() ? "" : "by (" + names(input, aggregate.groupKeys()) + ")";
        if (aggregate.calls().isEmpty()) {
            return "Distinct " + by;
        }
        return "Aggregate " + calls + (by.isEmpty() ? "" : " " + by);
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

    private static String sort(PlanNode.Sort sort) {
        List<String> parts = new ArrayList<>();
        for (SortKey key : sort.keys()) {
            parts.add(sort.schema().column(key.column()).name()
                    + (key.descending() ? " desc" : "")
                    + (key.nullsFirst() != key.descending() ? key.nullsFirst() ? " nulls first" : " nulls last" : ""));
        }
        return (parts.isEmpty() ? "Limit" : "Sort by " + String.join(", ", parts))
                + (sort.limit() < 0 ? "" : " limit " + sort.limit())
                + (sort.offset() == 0 ? "" : " offset " + sort.offset());
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

    private static String names(Schema schema, List<Integer> columns) {
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

    /** State that grows as long as the query runs. */
    private void notes(PlanNode node) {
        if (node instanceof PlanNode.Join join) {
            out.add(
                    "Note: the " + join.kind().name().toLowerCase(Locale.ROOT)
                            + " join keeps all rows of both inputs: its state grows without bound because no time bounds its match.");
        } else if (node instanceof PlanNode.Aggregate aggregate
                && !aggregate.groupKeys().isEmpty()) {
            boolean bounded = aggregate.traits().watermarked().stream()
                    .anyMatch(w -> w.column() < aggregate.groupKeys().size());
            if (!bounded) {
                out.add("Note: the aggregate by (" + names(aggregate.input().schema(), aggregate.groupKeys())
                        + ") keeps a row for each group for ever: no group key is bounded by a watermark.");
            }
        }
        node.inputs().forEach(this::notes);
    }
}
