package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.ipc.BatchDecoder;
import io.tailwater.api.batch.ipc.MessageBuffer;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.List;

/** An Arrow IPC file or stream. Positions are row numbers; record batches before the position asked for are never read. Owned by one thread. */
final class ArrowSource implements ChunkSource {
    private final ArrowFile file;
    private final Schema columns;
    private final int[] fields;
    private final DataType[] layouts;
    private final MemoryAccount memory;
    private final MessageBuffer body = new MessageBuffer(1 << 12);
    /** First row of each record batch, and the number of rows in all. */
    private final long[] starts;

    private int block = -1;
    private @Nullable BatchDecoder decoder;

    ArrowSource(ArrowFile file, Schema columns, MemoryAccount memory) {
        this.file = file;
        this.columns = columns;
        this.memory = memory;
        fields = file.match(columns);
        layouts = file.columns().stream().map(ArrowFile.Column::layout).toArray(DataType[]::new);
        starts = new long[file.blocks().size() + 1];
        for (int i = 0; i < file.blocks().size(); i++) {
            starts[i + 1] = starts[i] + file.blocks().get(i).rows();
        }
        if (!file.complete()) {
            throw file.bad("its end is missing", null);
        }
    }

    @Override
    public Chunk next(long from, long limit) {
        long end = starts[starts.length - 1];
        long stop = Math.min(limit, end);
        if (from >= stop) {
            return new Chunk(from, Math.max(from, stop), null, null, List.of(), stop == end);
        }
        int wanted = 0;
        while (starts[wanted + 1] <= from) {
            wanted++;
        }
        BatchDecoder in = open(wanted);
        // The decoder starts at whole bytes of validity.
        int first = (int) (from - starts[wanted]);
        int aligned = first & -8;
        int count = (int) Math.min(MAX_ROWS, Math.min(stop, starts[wanted + 1]) - starts[wanted] - aligned);
        ColumnBatch batch = decode(in, aligned, aligned + count);
        if (first > aligned) {
            int[] selection = new int[count - (first - aligned)];
            for (int i = 0; i < selection.length; i++) {
                selection[i] = first - aligned + i;
            }
            try (ColumnBatch whole = batch) {
                batch = io.tailwater.api.batch.BatchGather.gather(whole, selection, selection.length, memory);
            }
        }
        long to = from + batch.rows();
        return new Chunk(from, to, batch, null, List.of(), to == end);
    }

    private ColumnBatch decode(BatchDecoder in, int from, int to) {
        ColumnBatch batch = in.decode(fields, from, to, memory);
        try {
            for (int column = 0; column < fields.length; column++) {
                ArrowFile.Column field = file.columns().get(fields[column]);
                if (field.multiply() != 1 || field.divide() != 1) {
                    scale(batch, column, field);
                }
                if (!columns.type(column).nullable()) {
                    requireNoNull(batch, column, from);
                }
            }
            return batch;
        } catch (RuntimeException | Error e) {
            batch.close();
            throw e;
        }
    }

    private void scale(ColumnBatch batch, int column, ArrowFile.Column field) {
        for (int row = 0; row < batch.rows(); row++) {
            if (!batch.isNull(column, row)) {
                long at = batch.data(column) + 8L * row;
                try {
                    Mem.putLong(
                            at, Math.floorDiv(Math.multiplyExact(Mem.getLong(at), field.multiply()), field.divide()));
                } catch (ArithmeticException e) {
                    throw file.bad("a time of column \"" + field.name() + "\" is out of range", e);
                }
            }
        }
    }

    private void requireNoNull(ColumnBatch batch, int column, int from) {
        for (int row = 0; row < batch.rows(); row++) {
            if (batch.isNull(column, row)) {
                throw new StreamException(
                        ErrorCode.BAD_RECORD,
                        "file \"%s\", row %d, column \"%s\": NULL, but the column is NOT NULL"
                                .formatted(
                                        file.path(),
                                        starts[block] + from + row + 1,
                                        columns.column(column).name()));
            }
        }
    }

    private BatchDecoder open(int wanted) {
        BatchDecoder in = decoder;
        if (in != null && block == wanted) {
            return in;
        }
        ArrowFile.Block at = file.blocks().get(wanted);
        body.clear();
        int offset = body.reserve(at.body());
        ByteBuffer target = body.view(offset, body.size());
        file.read(at.position() + at.metadata(), target);
        in = new BatchDecoder(
                ByteBuffer.wrap(file.bytes(at.position(), at.metadata())), body.address(offset), at.body(), layouts);
        decoder = in;
        block = wanted;
        return in;
    }

    @Override
    public void close() {
        body.close();
    }
}
