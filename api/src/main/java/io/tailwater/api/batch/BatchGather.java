package io.tailwater.api.batch;

import io.tailwater.common.type.TypeKind;

/** Copies chosen rows of a batch into a new one. String bytes stay where they are: the result keeps the source alive. */
public final class BatchGather {
    private BatchGather() {}

    /** Rows {@code selection[0..count)} of {@code from}, in that order. Borrows {@code from}; the caller owns the result. */
    public static ColumnBatch gather(ColumnBatch from, int[] selection, int count, MemoryAccount memory) {
        try (BatchBuilder out = new BatchBuilder(from.types(), count, from.weights() != 0, memory)) {
            boolean views = false;
            for (int c = 0; c < from.columns(); c++) {
                TypeKind kind = from.type(c).kind();
                views |= kind.isView();
                column(kind, from.data(c), out.data(c), selection, count);
                if (from.validity(c) != 0) {
                    validity(from.validity(c), out, c, selection, count);
                }
            }
            if (from.weights() != 0) {
                longs(from.weights(), out.weights(), selection, count);
            }
            if (views) {
                out.keepAlive(from);
            }
            return out.finish(count);
        }
    }

    private static void column(TypeKind kind, long from, long to, int[] selection, int count) {
        switch (kind.width()) {
            case 0 -> {
                for (int i = 0; i < count; i++) {
                    if (Mem.getBit(from, selection[i])) {
                        Mem.setBit(to, i);
                    }
                }
            }
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    Mem.putByte(to + i, Mem.getByte(from + selection[i]));
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    Mem.putShort(to + 2L * i, Mem.getShort(from + 2L * selection[i]));
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    Mem.putInt(to + 4L * i, Mem.getInt(from + 4L * selection[i]));
                }
            }
            case 8 -> longs(from, to, selection, count);
            case 16 -> {
                for (int i = 0; i < count; i++) {
                    StringView.copySlot(from + 16L * selection[i], to + 16L * i);
                }
            }
            default -> throw new AssertionError(kind);
        }
    }

    private static void longs(long from, long to, int[] selection, int count) {
        for (int i = 0; i < count; i++) {
            Mem.putLong(to + 8L * i, Mem.getLong(from + 8L * selection[i]));
        }
    }

    private static void validity(long from, BatchBuilder out, int column, int[] selection, int count) {
        for (int i = 0; i < count; i++) {
            if (!Mem.getBit(from, selection[i])) {
                Mem.clearBit(out.nullable(column), i);
            }
        }
    }
}
