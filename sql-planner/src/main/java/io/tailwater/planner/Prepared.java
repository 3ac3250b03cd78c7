package io.tailwater.planner;

import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * What is known of a statement before its parameters have values.
 *
 * @param result columns of the rows of SELECT and EXPLAIN; empty for statements without rows, and for SHOW and DESCRIBE, whose columns the server
 *     knows
 * @param query whether it returns rows
 * @param unbounded whether the rows never end by themselves
 * @param parameters types of the {@code ?}, in order
 * @param statement the statement itself if it has no parameters, else null
 */
public record Prepared(
        Schema result,
        boolean query,
        boolean unbounded,
        List<DataType> parameters,
        @Nullable Statement statement) {
    public Prepared {
        parameters = List.copyOf(parameters);
    }
}
