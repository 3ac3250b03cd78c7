package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Values;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;

/** Finds the row that made a loop fail. Loops do not count rows for this: the rare failure is run again, row by row. */
final class RowError {
    private static final int SHOWN_COLUMNS = 16;
    private static final int SHOWN_CHARACTERS = 40;

    private RowError() {}

    /**
     * The error with the row named, to be thrown.
     *
     * @param steps how many steps the loop has
     * @param rowOf the input row of a step
     * @param step runs one step alone
     */
    static StreamException locate(
            StreamException error,
            Schema schema,
            ColumnBatch batch,
            int steps,
            IntUnaryOperator rowOf,
            IntConsumer step) {
        if (error.code().kind() != ErrorCode.Kind.USER || batch.columns() == 0) {
            return error;
        }
        for (int at = 0; at < steps; at++) {
            try {
                step.accept(at);
            } catch (StreamException again) {
                String row = describe(schema, batch, rowOf.applyAsInt(at));
                return row.isEmpty()
                        ? again
                        : new StreamException(
                                again.code(),
                                again.getMessage() + "\nDETAIL:  row (" + row + ")",
                                again.position(),
                                again.hint().orElse(null),
                                again);
            }
        }
        return error;
    }

    /** The first columns that somebody has named; names that the planner made up begin with a dollar sign. */
    private static String describe(Schema schema, ColumnBatch batch, int row) {
        List<String> parts = new ArrayList<>();
        for (int c = 0; c < Math.min(batch.columns(), schema.size()); c++) {
            String name = schema.column(c).name();
            if (name.startsWith("$")) {
                continue;
            }
            if (parts.size() == SHOWN_COLUMNS) {
                parts.add("...");
                break;
            }
            String value = String.valueOf(Values.get(batch, c, row));
            parts.add(name + "="
                    + (value.length() > SHOWN_CHARACTERS ? value.substring(0, SHOWN_CHARACTERS) + "..." : value));
        }
        return String.join(", ", parts);
    }
}
