package io.tailwater.connector.files;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;

import java.util.Arrays;

/**
 * Fills a batch row by row from texts. A row counts once {@link #endRow} succeeded; after a {@link BadRecord} its slots are simply written again. Columns not
 * written are NULL. Owned by one thread.
 */
final class RowWriter implements AutoCloseable {
    private final Schema schema;
    private final DataType[] types;
    private final BatchBuilder out;
    private final boolean[] written;
    private int rows;

    RowWriter(Schema schema, int capacity, MemoryAccount memory) {
        this.schema = schema;
        types = BatchBuilder.types(schema);
        out = new BatchBuilder(types, capacity, false, memory);
        written = new boolean[types.length];
    }

    int rows() {
        return rows;
    }

    DataType type(int column) {
        return types[column];
    }

    String name(int column) {
        return schema.column(column).name();
    }

    BatchBuilder out() {
        return out;
    }

    /** Makes the column NULL, whatever it was. */
    void setNull(int column) {
        written[column] = false;
    }

    /** Says that the column's slot in row {@link #rows} was filled through {@link #out}. */
    void wrote(int column) {
        written[column] = true;
    }

    /** Parses a text as the column's type. */
    void text(int column, byte[] text, int start, int end) throws BadRecord {
        try {
            TextValues.parse(out, column, rows, types[column], text, start, end);
            written[column] = true;
        } catch (BadRecord e) {
            throw e.in(schema.column(column).name());
        }
    }

    void endRow() throws BadRecord {
        for (int column = 0; column < written.length; column++) {
            if (!written[column] && !types[column].nullable()) {
                throw new BadRecord(schema.column(column).name(), "NULL or missing, but the column is NOT NULL");
            }
        }
        for (int column = 0; column < written.length; column++) {
            if (!written[column]) {
                out.setNull(column, rows);
            }
        }
        rows++;
        Arrays.fill(written, false);
    }

    /** Forgets what was written of the current row. */
    void dropRow() {
        Arrays.fill(written, false);
    }

    ColumnBatch finish() {
        return out.finish(rows);
    }

    @Override
    public void close() {
        out.close();
    }

    static void putBoolean(BatchBuilder out, int column, int row, boolean value) {
        if (value) {
            Mem.setBit(out.data(column), row);
        } else {
            Mem.clearBit(out.data(column), row);
        }
    }
}
