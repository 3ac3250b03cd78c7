package io.tailwater.planner.physical;

import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.validate.Types;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * GROUP BY.
 *
 * <pre>
 * Aggregate(group {0, 1}, x)  becomes  Aggregate(keys 0, 1, Exchange(hash(0, 1), x)), without the exchange where x lies so already
 * Aggregate(group {}, x)      becomes  Aggregate(Exchange(single, x))
 * Aggregate(groups {0, 1}, {0}, {}, x)  becomes  Union of one Aggregate for each set, with NULL in the other keys
 * </pre>
 */
final class Aggregates {
    private final PlanBuilder plans;
    private final Expressions expressions;

    Aggregates(PlanBuilder plans, Expressions expressions) {
        this.plans = plans;
        this.expressions = expressions;
    }

    Built aggregate(Aggregate aggregate) {
        if (aggregate.getGroupSets().size() == 1) {
            return one(aggregate, aggregate.getGroupSet());
        }
        Schema schema = Types.schema(aggregate.getRowType());
        List<Built> parts = new ArrayList<>();
        for (ImmutableBitSet set : aggregate.getGroupSets()) {
            parts.add(plans.cast(one(aggregate, set), schema));
        }
        return PlanBuilder.unionOf(parts, schema);
    }

    /** One grouping set: the row type is that of the whole aggregate, with NULL in keys that are not of the set. */
    private Built one(Aggregate aggregate, ImmutableBitSet set) {
        Built input = plans.visit(aggregate.getInput());
        SortedMap<Integer, Derived> derived = derived(input, set.asList());
        List<Integer> keys =
                set.asList().stream().filter(k -> !derived.containsKey(k)).toList();
        if (keys.isEmpty()) {
            input = input.single();
        } else if (!input.isSingle()) {
            java.util.Optional<List<Integer>> present = input.hashOver(keys);
            if (present.isPresent()) {
                keys = present.get();
            } else {
                input = input.hashed(keys);
            }
        }
        Schema result = Types.schema(aggregate.getRowType());
        List<AggregateCall> calls = new ArrayList<>();
        List<Expr> outputs = new ArrayList<>();
        List<Integer> all = aggregate.getGroupSet().asList();
        for (int i = 0; i < all.size(); i++) {
            int key = all.get(i);
            Derived from = derived.get(key);
            int at = keys.indexOf(from == null ? key : from.key());
            if (at < 0) {
                outputs.add(new Expr.Literal(null, result.type(i).withNullable(true)));
            } else if (from == null) {
                outputs.add(new Expr.Input(at, input.schema().type(key)));
            } else {
                Expr base = new Expr.Input(at, input.schema().type(from.key()));
                outputs.add(Offsets.plus(base, from.micros(), input.schema().type(key)));
            }
        }
        for (int i = 0; i < aggregate.getAggCallList().size(); i++) {
            outputs.add(call(aggregate, set, aggregate.getAggCallList().get(i), keys.size(), calls, input.schema()));
        }
        if (keys.isEmpty() && calls.isEmpty()) {
            // The one row of a grand total must have a column.
            calls.add(new AggregateCall(
                    AggregateFunction.COUNT, List.of(), -1, false, List.of(), DataType.BIGINT.notNull()));
        }
        Built grouped = group(input, keys, calls, result, all);
        return Calcs.calc(grouped, null, outputs, aggregate.getRowType().getFieldNames());
    }

    /** A key that is another key plus a constant. */
    private record Derived(int key, long micros) {}

    /** Keys that need not be grouped by, because they follow from others that are. */
    private static SortedMap<Integer, Derived> derived(Built input, List<Integer> keys) {
        SortedMap<Integer, Derived> out = new TreeMap<>();
        for (int to : keys) {
            for (int from : keys) {
                OptionalLong micros = Offsets.between(input.node(), from, to);
                if (micros.isPresent() && !out.containsKey(from)) {
                    out.putIfAbsent(to, new Derived(from, micros.getAsLong()));
                }
            }
        }
        return out;
    }

    private Built group(Built input, List<Integer> keys, List<AggregateCall> calls, Schema result, List<Integer> all) {
        List<Column> columns = new ArrayList<>();
        for (int key : keys) {
            columns.add(new Column(
                    result.column(all.indexOf(key)).name(), input.schema().type(key)));
        }
        for (int i = 0; i < calls.size(); i++) {
            int at = all.size() + i;
            String name = at < result.size() ? Calcs.readable(result.column(at).name()) : "agg" + i;
            columns.add(new Column(name, calls.get(i).type()));
        }
        List<Integer> outKeys = IntStream.range(0, keys.size()).boxed().toList();
        Distribution distribution = input.isSingle() ? new Distribution.Single() : new Distribution.Hash(outKeys);
        List<Traits.Watermarked> watermarked = new ArrayList<>();
        for (Traits.Watermarked w : input.traits().watermarked()) {
            int at = keys.indexOf(w.column());
            if (at >= 0) {
                watermarked.add(new Traits.Watermarked(at, w.reader(), w.lagMicros()));
            }
        }
        // DISTINCT over rows that stay emits each value once and for ever.
        boolean appendOnly =
                calls.isEmpty() && !keys.isEmpty() && input.traits().appendOnly();
        return Built.of(new PlanNode.Aggregate(
                input.node(),
                keys,
                calls,
                new Schema(columns),
                new Traits(distribution, appendOnly, List.of(outKeys), watermarked),
                plans.eventTime().retention(watermarked, outKeys)));
    }

    /** Adds what the engine computes for {@code call} to {@code calls} and returns the expression that yields the call's value. */
    private Expr call(
            Aggregate aggregate,
            ImmutableBitSet set,
            org.apache.calcite.rel.core.AggregateCall call,
            int keys,
            List<AggregateCall> calls,
            Schema input) {
        SqlKind kind = call.getAggregation().getKind();
        DataType type = Types.fromCalcite(call.getType());
        switch (kind) {
            case GROUPING, GROUPING_ID -> {
                return new Expr.Literal(Long.toString(grouping(set, call)), type.notNull());
            }
            case LITERAL_AGG -> {
                RexNode literal = call.rexList.get(0);
                return expressions.typed(literal);
            }
            case GROUP_ID -> {
                return new Expr.Literal("0", type.notNull());
            }
            default -> {}
        }
        AggregateFunction function = function(call);
        DataType resultType = kind == SqlKind.SUM0 ? type.withNullable(true) : resultType(function, type, keys);
        calls.add(new AggregateCall(
                function,
                arguments(call, function, input),
                call.filterArg,
                call.isDistinct() && function != AggregateFunction.MIN && function != AggregateFunction.MAX,
                order(call),
                resultType));
        Expr value = new Expr.Input(keys + calls.size() - 1, resultType);
        if (call.isDistinct() && calls.get(calls.size() - 1).distinct()) {
            throw PlanBuilder.unsupported(
                    function + "(DISTINCT ...) is not supported here yet",
                    "group by the distinct columns in a sub-query first");
        }
        return kind == SqlKind.SUM0
                ? Expr.call(
                        Function.COALESCE,
                        type.notNull(),
                        value,
                        expressions.casts().cast(new Expr.Literal("0", DataType.INTEGER.notNull()), type))
                : value;
    }

    /** Over no rows, or with a filter, all but the counts are NULL. */
    private static DataType resultType(AggregateFunction function, DataType type, int keys) {
        return function == AggregateFunction.COUNT ? type.notNull() : keys == 0 ? type.withNullable(true) : type;
    }

    private static List<Integer> arguments(
            org.apache.calcite.rel.core.AggregateCall call, AggregateFunction function, Schema input) {
        if (function != AggregateFunction.COUNT || call.isDistinct()) {
            return call.getArgList();
        }
        return call.getArgList().stream().filter(a -> input.type(a).nullable()).toList();
    }

    private static List<SortKey> order(org.apache.calcite.rel.core.AggregateCall call) {
        return call.getCollation().getFieldCollations().stream()
                .map(c -> new SortKey(
                        c.getFieldIndex(),
                        c.direction.isDescending(),
                        c.nullDirection == org.apache.calcite.rel.RelFieldCollation.NullDirection.FIRST
                                || c.nullDirection == org.apache.calcite.rel.RelFieldCollation.NullDirection.UNSPECIFIED
                                        && c.direction.isDescending()))
                .toList();
    }

    private static AggregateFunction function(org.apache.calcite.rel.core.AggregateCall call) {
        String name = call.getAggregation().getName().toUpperCase(Locale.ROOT);
        return switch (name) {
            case "COUNT" -> AggregateFunction.COUNT;
            case "SUM", "$SUM0" -> AggregateFunction.SUM;
            case "AVG" -> AggregateFunction.AVG;
            case "MIN" -> AggregateFunction.MIN;
            case "MAX" -> AggregateFunction.MAX;
            case "STDDEV_POP" -> AggregateFunction.STDDEV_POP;
            case "STDDEV_SAMP", "STDDEV" -> AggregateFunction.STDDEV_SAMP;
            case "VAR_POP" -> AggregateFunction.VAR_POP;
            case "VAR_SAMP", "VARIANCE" -> AggregateFunction.VAR_SAMP;
            case "BOOL_AND", "EVERY", "LOGICAL_AND" -> AggregateFunction.BOOL_AND;
            case "BOOL_OR", "SOME", "LOGICAL_OR" -> AggregateFunction.BOOL_OR;
            case "STRING_AGG", "LISTAGG" -> AggregateFunction.STRING_AGG;
            case "SINGLE_VALUE" -> AggregateFunction.SINGLE_VALUE;
            case "ANY_VALUE" -> AggregateFunction.MIN;
            default -> throw PlanBuilder.unsupported("aggregate function " + name + " is not supported yet", null);
        };
    }

    /** Bit i (from the right) is set if argument i is not a key of the set. */
    private static long grouping(ImmutableBitSet set, org.apache.calcite.rel.core.AggregateCall call) {
        long bits = 0;
        for (int argument : call.getArgList()) {
            bits = bits << 1 | (set.get(argument) ? 0 : 1);
        }
        return bits;
    }
}
