package io.tailwater.executor.expr;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;

/** Copies chosen rows of a batch, a column at a time. */
public final class Gather {
    private Gather() {}

    /**
     * Fills rows {@code [0, count)} of an output column from rows {@code selection[0..count)} of an input column of the same type. Views are copied,
     * not their bytes: the output keeps {@code from} alive.
     */
    public static void column(
            BatchBuilder out, int column, ColumnBatch from, int fromColumn, int[] selection, int count) {
        long source = from.data(fromColumn);
        long target = out.data(column);
        switch (from.type(fromColumn).kind().width()) {
            case 0 -> bits(source, target, selection, count);
            case 1 -> bytes(source, target, selection, count);
            case 2 -> shorts(source, target, selection, count);
            case 4 -> ints(source, target, selection, count);
            case 8 -> longs(source, target, selection, count);
            default -> wide(source, target, selection, count);
        }
        if (from.type(fromColumn).kind().isView()) {
            out.keepAlive(from);
        }
        long validity = from.validity(fromColumn);
        if (validity != 0) {
            nulls(validity, out, column, selection, count);
        }
    }

    /** Fills the output's weights; both batches must have some. */
    public static void weights(BatchBuilder out, ColumnBatch from, int[] selection, int count) {
        longs(from.weights(), out.weights(), selection, count);
    }

    private static void bits(long source, long target, int[] selection, int count) {
        for (int j = 0; j < count; j++) {
            if (Mem.getBit(source, selection[j])) {
                Mem.setBit(target, j);
            }
        }
    }

    private static void bytes(long source, long target, int[] selection, int count) {
        for (int j = 0; j < count; j++) {
            Mem.putByte(target + j, Mem.getByte(source + selection[j]));
        }
    }

    private static void shorts(long source, long target, int[] selection, int count) {
        for (int j = 0; j < count; j++) {
            Mem.putShort(target + 2L * j, Mem.getShort(source + 2L * selection[j]));
        }
    }

    private static void ints(long source, long target, int[] selection, int count) {
        for (int j = 0; j < count; j++) {
            Mem.putInt(target + 4L * j, Mem.getInt(source + 4L * selection[j]));
        }
    }

    private static void longs(long source, long target, int[] selection, int count) {
        for (int j = 0; j < count; j++) {
            Mem.putLong(target + 8L * j, Mem.getLong(source + 8L * selection[j]));
        }
    }

    private static void wide(long source, long target, int[] selection, int count) {
        for (int j = 0; j < count; j++) {
            StringView.copySlot(source + 16L * selection[j], target + 16L * j);
        }
    }

    private static void nulls(long validity, BatchBuilder out, int column, int[] selection, int count) {
        long target = out.nullable(column);
        for (int j = 0; j < count; j++) {
            if (!Mem.getBit(validity, selection[j])) {
                Mem.clearBit(target, j);
            }
        }
    }
}
