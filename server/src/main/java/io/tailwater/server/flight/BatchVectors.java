package io.tailwater.server.flight;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.batch.Values;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Copies column batches into Arrow vectors: buffers whole, strings out of their views. */
final class BatchVectors {
    private BatchVectors() {}

    /** Fills {@code root}, whose schema is that of the batch, replacing what it held. Rows of weight n come n times. Borrows the batch. */
    static void load(ColumnBatch batch, VectorSchemaRoot root, MemoryAccount account) {
        if (allOnes(batch)) {
            copy(batch, root);
            return;
        }
        try (ColumnBatch expanded = expand(batch, account)) {
            copy(expanded, root);
        }
    }

    private static boolean allOnes(ColumnBatch batch) {
        for (int row = 0; batch.weights() != 0 && row < batch.rows(); row++) {
            if (batch.weight(row) != 1) {
                return false;
            }
        }
        return true;
    }

    private static ColumnBatch expand(ColumnBatch batch, MemoryAccount account) {
        long rows = 0;
        for (int row = 0; row < batch.rows(); row++) {
            long weight = batch.weight(row);
            if (weight < 0) {
                throw new AssertionError("a result holds a row of weight " + weight);
            }
            rows += weight;
        }
        DataType[] types = new DataType[batch.columns()];
        for (int column = 0; column < types.length; column++) {
            types[column] = batch.type(column);
        }
        try (BatchBuilder out = new BatchBuilder(types, Math.toIntExact(rows), false, account)) {
            int to = 0;
            for (int row = 0; row < batch.rows(); row++) {
                for (long copies = batch.weight(row); copies > 0; copies--, to++) {
                    for (int column = 0; column < types.length; column++) {
                        Values.set(out, column, to, Values.get(batch, column, row));
                    }
                }
            }
            return out.finish(to);
        }
    }

    private static void copy(ColumnBatch batch, VectorSchemaRoot root) {
        int rows = batch.rows();
        for (int column = 0; column < batch.columns(); column++) {
            FieldVector vector = root.getVector(column);
            if (vector instanceof BaseVariableWidthVector variable) {
                copyBytes(batch, column, variable);
            } else if (vector instanceof BaseFixedWidthVector fixed) {
                fixed.allocateNew(rows);
                TypeKind kind = batch.type(column).kind();
                long bytes = kind == TypeKind.BOOLEAN ? (rows + 7L) / 8 : (long) kind.width() * rows;
                copyOut(batch.data(column), fixed.getDataBuffer(), bytes);
            }
            vector.setValueCount(rows);
            if (batch.type(column).kind() != TypeKind.NULL) {
                copyValidity(batch, column, vector.getValidityBuffer());
            }
        }
        root.setRowCount(rows);
    }

    private static void copyValidity(ColumnBatch batch, int column, ArrowBuf to) {
        long bytes = (batch.rows() + 7L) / 8;
        if (batch.validity(column) == 0) {
            to.setOne(0, bytes);
        } else {
            copyOut(batch.validity(column), to, bytes);
        }
    }

    private static void copyBytes(ColumnBatch batch, int column, BaseVariableWidthVector vector) {
        int rows = batch.rows();
        long slots = batch.data(column);
        long total = 0;
        for (int row = 0; row < rows; row++) {
            total += batch.isNull(column, row) ? 0 : StringView.length(slots + 16L * row);
        }
        vector.allocateNew(Math.max(1, total), rows);
        ArrowBuf offsets = vector.getOffsetBuffer();
        ArrowBuf data = vector.getDataBuffer();
        int at = 0;
        Mem.register(data.memoryAddress(), data.capacity());
        try {
            for (int row = 0; row < rows; row++) {
                offsets.setInt(4L * row, at);
                if (!batch.isNull(column, row)) {
                    long slot = slots + 16L * row;
                    int length = StringView.length(slot);
                    Mem.copy(StringView.bytes(slot), data.memoryAddress() + at, length);
                    at += length;
                }
            }
        } finally {
            Mem.unregister(data.memoryAddress(), data.capacity());
        }
        offsets.setInt(4L * rows, at);
        vector.setLastSet(rows - 1);
    }

    private static void copyOut(long from, ArrowBuf to, long bytes) {
        Mem.register(to.memoryAddress(), to.capacity());
        try {
            Mem.copy(from, to.memoryAddress(), bytes);
        } finally {
            Mem.unregister(to.memoryAddress(), to.capacity());
        }
    }
}
