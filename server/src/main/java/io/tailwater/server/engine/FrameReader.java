package io.tailwater.server.engine;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.ipc.BatchDecoder;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.FrameInfo;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.common.type.DataType;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Reads one partition of a stored stream. Positions are frame numbers; frames of attempts that were never committed are stepped over, and so are those that
 * the stream no longer keeps.
 */
final class FrameReader implements SplitReader {
    /** A frame has fewer rows than 2 to this. */
    private static final int ROW_BITS = 16;

    private final StoredStream stream;
    private final PartitionLog log;
    private final @Nullable CommittedRanges committed;
    private final DataType[] types;
    private final int[] columns;
    private final int arrival;
    private final long arrivalBase;
    private final MemoryAccount memory;
    private @Nullable Runnable listener;

    /** @param committed of an application's partition; null for an external one, where all that is durable is visible */
    FrameReader(
            StoredStream stream,
            PartitionLog log,
            @Nullable CommittedRanges committed,
            DataType[] types,
            int[] columns,
            long arrivalBase,
            MemoryAccount memory) {
        this.stream = stream;
        this.log = log;
        this.committed = committed;
        this.types = types;
        this.arrival = IntStream.range(0, columns.length)
                .filter(c -> columns[c] == PlanNode.Scan.ARRIVAL)
                .findFirst()
                .orElse(-1);
        this.columns = Arrays.stream(columns).filter(c -> c >= 0).toArray();
        this.arrivalBase = arrivalBase;
        this.memory = memory;
    }

    @Override
    public Ready ready(long from, long maxRows) {
        long end = committed == null ? log.durableEnd() : committed.end();
        long rows = 0;
        long least = NO_TIME;
        long greatest = NO_TIME;
        long frame = Math.max(from, log.start());
        while (frame < end && rows < maxRows) {
            long visible = committed == null ? frame : committed.next(frame);
            if (visible < 0 || visible >= end) {
                break;
            }
            FrameInfo info = log.info(visible);
            if (rows > 0 && rows + info.rows() > maxRows) {
                break;
            }
            rows += info.rows();
            if (info.minTime() != FrameHeader.NO_TIME) {
                least = least == NO_TIME ? info.minTime() : Math.min(least, info.minTime());
                greatest = Math.max(greatest, info.maxTime());
            }
            frame = visible + 1;
        }
        return new Ready(frame, rows, least, greatest, false, 0);
    }

    @Override
    public void read(long from, long to, Consumer<ColumnBatch> out) {
        long kept = Math.min(to, Math.max(from, log.start()));
        if (committed == null) {
            log.read(kept, to, (header, body, length) -> frame(header.frame(), body, length, out));
            return;
        }
        long frame = committed.next(kept);
        while (frame >= 0 && frame < to) {
            long end = Math.min(to, committed.endOf(frame));
            log.read(frame, end, (header, body, length) -> frame(header.frame(), body, length, out));
            frame = committed.next(end);
        }
    }

    private void frame(long number, long body, int length, Consumer<ColumnBatch> out) {
        BatchDecoder decoder = BatchDecoder.ofMessage(body, length, types);
        for (int at = 0; at < decoder.rows(); at += ColumnBatch.TARGET_ROWS) {
            ColumnBatch batch =
                    decoder.decode(columns, at, Math.min(decoder.rows(), at + ColumnBatch.TARGET_ROWS), memory);
            out.accept(arrival < 0 ? batch : withArrival(batch, arrivalBase + (number << ROW_BITS) + at));
        }
    }

    /** Puts the arrival column in. Owns the batch. */
    private ColumnBatch withArrival(ColumnBatch batch, long first) {
        DataType[] wide = new DataType[batch.columns() + 1];
        boolean[] shared = new boolean[wide.length];
        for (int c = 0; c < wide.length; c++) {
            shared[c] = c != arrival;
            wide[c] = c == arrival ? DataType.BIGINT.notNull() : batch.type(c < arrival ? c : c - 1);
        }
        try (batch;
                BatchBuilder out = new BatchBuilder(wide, batch.rows(), false, memory, shared)) {
            for (int c = 0; c < batch.columns(); c++) {
                out.share(c < arrival ? c : c + 1, batch, c);
            }
            for (int row = 0; row < batch.rows(); row++) {
                Mem.putLong(out.data(arrival) + 8L * row, first + row);
            }
            out.shareWeights(batch);
            return out.finish(batch.rows());
        }
    }

    @Override
    public void onReady(Runnable wakeup) {
        listener = wakeup;
        stream.addListener(wakeup);
    }

    @Override
    public long nextPollNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public void close() {
        if (listener != null) {
            stream.removeListener(listener);
        }
    }
}
