package io.tailwater.api.plan;

import io.tailwater.common.type.DataType;

import java.util.List;

/**
 * One aggregate of an {@link PlanNode.Aggregate}.
 *
 * @param arguments input columns
 * @param filter a BOOLEAN input column that must be true for a row to count, or -1
 * @param order of the values, for functions that care
 * @param type of the result
 */
public record AggregateCall(
        AggregateFunction function,
        List<Integer> arguments,
        int filter,
        boolean distinct,
        List<SortKey> order,
        DataType type) {
    public AggregateCall {
        arguments = List.copyOf(arguments);
        order = List.copyOf(order);
    }

    public static AggregateCall of(AggregateFunction function, DataType type, Integer... arguments) {
        return new AggregateCall(function, List.of(arguments), -1, false, List.of(), type);
    }

    @Override
    public String toString() {
        StringBuilder out = new StringBuilder(function.name()).append('(');
        if (distinct) {
            out.append("DISTINCT ");
        }
        for (int i = 0; i < arguments.size(); i++) {
            out.append(i == 0 ? "$" : ", $").append(arguments.get(i));
        }
        if (arguments.isEmpty()) {
            out.append('*');
        }
        out.append(')');
        if (filter >= 0) {
            out.append(" FILTER $").append(filter);
        }
        return out.toString();
    }
}
