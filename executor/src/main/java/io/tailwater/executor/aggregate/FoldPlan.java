package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.RowLayout;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Which accumulator serves which call, and where in the group row each has its bytes.
 *
 * @param offset of the first accumulator within a group row
 */
record FoldPlan(List<AggregateCall> calls, Schema input, boolean appendOnly, RowLayout result, int offset) {
    static FoldPlan of(PlanNode.Aggregate node, RowLayout result, int offset) {
        return new FoldPlan(
                node.calls(), node.input().schema(), node.input().traits().appendOnly(), result, offset);
    }

    /** Bytes of all accumulators. */
    int stateBytes() {
        // Built once only to be measured: an arena without blocks holds nothing.
        MemoryAccount none = MemoryAccount.unlimited("aggregate plan");
        int bytes = 0;
        for (int i = 0; i < calls.size(); i++) {
            bytes += distinctBytes(calls.get(i))
                    + accumulator(i, 0, new Arena(none), none).stateBytes();
        }
        return bytes;
    }

    Fold[] build(Arena arena, MemoryAccount memory) {
        List<Fold> folds = new ArrayList<>();
        int at = offset;
        for (int i = 0; i < calls.size(); i++) {
            AggregateCall call = calls.get(i);
            DistinctValues distinct = null;
            if (isDistinct(call)) {
                distinct = new DistinctValues(call, input, at, arena, memory);
                at += DistinctValues.BYTES;
            }
            Accumulator accumulator = accumulator(i, at, arena, memory);
            folds.add(new Fold(call, notNull(call), at, distinct, accumulator));
            at += accumulator.stateBytes();
        }
        return folds.toArray(new Fold[0]);
    }

    /** How many of a call's arguments drop a row by being NULL. Without a separator texts are joined all the same. */
    static int notNull(AggregateCall call) {
        return switch (call.function()) {
            case SINGLE_VALUE -> 0;
            case STRING_AGG -> 1;
            default -> call.arguments().size();
        };
    }

    private static int distinctBytes(AggregateCall call) {
        return isDistinct(call) ? DistinctValues.BYTES : 0;
    }

    /** MIN, MAX and the boolean ones give the same over distinct values; COUNT(DISTINCT *) is COUNT(*) of a group key's rows. */
    private static boolean isDistinct(AggregateCall call) {
        return call.distinct()
                && !call.arguments().isEmpty()
                && switch (call.function()) {
                    case COUNT, SUM, AVG, STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP, STRING_AGG -> true;
                    case BOOL_AND, BOOL_OR, MIN, MAX, FIRST_VALUE, LAST_VALUE, SINGLE_VALUE -> false;
                };
    }

    private Accumulator accumulator(int index, int at, Arena arena, MemoryAccount memory) {
        AggregateCall call = calls.get(index);
        ResultField field = new ResultField(result, index);
        List<Integer> arguments = call.arguments();
        if (call.function() == AggregateFunction.COUNT) {
            return arguments.isEmpty() && call.filter() < 0 ? new Counts.Rows(field) : new Counts.Values(at, field);
        }
        if (arguments.isEmpty()) {
            throw unsupported(call, null);
        }
        int column = arguments.get(0);
        DataType type = input.type(column);
        return switch (call.function()) {
            case COUNT -> throw new AssertionError(call);
            case SUM -> sum(call, column, type, false, at, field, arena);
            case AVG -> sum(call, column, type, true, at, field, arena);
            case STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP -> {
                if (!type.kind().isNumeric()) {
                    throw unsupported(call, type);
                }
                yield new Variance(call.function(), column, type, at, field, arena);
            }
            case BOOL_AND, BOOL_OR -> {
                if (type.kind() != TypeKind.BOOLEAN) {
                    throw unsupported(call, type);
                }
                yield new BooleanFold(call.function() == AggregateFunction.BOOL_AND, column, at, field);
            }
            case MIN, MAX -> extreme(call, column, type, at, field, arena, memory);
            case STRING_AGG, FIRST_VALUE, LAST_VALUE, SINGLE_VALUE ->
                new OrderedFold(call, input, at, field, arena, memory);
        };
    }

    private Accumulator extreme(
            AggregateCall call,
            int column,
            DataType type,
            int at,
            ResultField field,
            Arena arena,
            MemoryAccount memory) {
        if (!appendOnly) {
            return new OrderedFold(call, input, at, field, arena, memory);
        }
        boolean max = call.function() == AggregateFunction.MAX;
        return switch (type.kind()) {
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    DATE,
                    TIME,
                    TIMESTAMP,
                    TIMESTAMP_LTZ,
                    INTERVAL_DAY_TIME,
                    INTERVAL_YEAR_MONTH -> new Extremes.OfLongs(max, column, at, field);
            case DECIMAL, REAL, DOUBLE, VARCHAR, VARBINARY ->
                new Extremes.OfRows(max, column, type, at, field, arena, memory);
            case NULL -> throw unsupported(call, type);
        };
    }

    private static Accumulator sum(
            AggregateCall call, int column, DataType type, boolean average, int at, ResultField field, Arena arena) {
        return switch (type.kind()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT, INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH ->
                new Sums.OfIntegers(column, average, at, field);
            case DECIMAL -> new Sums.OfDecimals(column, type.scale(), average, at, field);
            case REAL, DOUBLE -> new Sums.OfDoubles(column, average, at, field, arena);
            case BOOLEAN, VARCHAR, VARBINARY, DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ, NULL ->
                throw unsupported(call, type);
        };
    }

    private static StreamException unsupported(AggregateCall call, @Nullable DataType type) {
        return new StreamException(
                ErrorCode.UNDEFINED_FUNCTION,
                "aggregate " + call.function() + (type == null ? " without an argument" : " of " + type.sql())
                        + " does not exist",
                -1,
                "Cast the argument to a type that the function takes.",
                null);
    }
}
