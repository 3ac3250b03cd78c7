package io.tailwater.connector.files;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.BatchGather;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.connector.Connector.ReadContext;
import io.tailwater.api.connector.RateLimit;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads one file, or several as if they were one. Input to come is parsed ahead by a {@link Prefetch}, begun at the first {@link #ready}; a range that is not there, as in replay, is
 * read at once by the calling worker. Owned by one worker; not thread-safe.
 */
final class FileSplitReader implements SplitReader {
    private final Path path;
    private final Input input;
    private final MemoryAccount memory;
    private final DataType[] types;
    private final int timeColumn;
    private final int arrival;
    private final long arrivalBase;
    private final @Nullable RateLimit limit;
    private final int[] selection = new int[ChunkSource.MAX_ROWS];
    private @Nullable Prefetch prefetch;
    private @Nullable ChunkSource replay;
    private long replayEnd;
    private Runnable wakeup = () -> {};
    private final SkipCount skipped = new SkipCount();

    /**
     * Reads nothing yet.
     *
     * @param input owned
     * @param types of the columns in {@code context}, the arrival column included
     * @param timeColumn index of the event time in the source's batches, or -1
     * @param rowsPerSecond 0 for no limit
     */
    FileSplitReader(Path path, Input input, DataType[] types, int timeColumn, long rowsPerSecond, ReadContext context) {
        this.path = path;
        this.input = input;
        this.arrival = context.columns().indexOf(PlanNode.Scan.ARRIVAL);
        this.arrivalBase = context.arrivalBase();
        this.memory = context.memory();
        this.types = types;
        this.timeColumn = timeColumn;
        this.limit = rowsPerSecond == 0 ? null : new RateLimit(rowsPerSecond, context.clock());
    }

    /** What is read. Owned by the reader. */
    interface Input extends AutoCloseable {
        /** Whether it may grow; else nothing comes after its end. */
        @Nullable Growth growth();

        /**
         * A source of the columns asked for, the arrival column aside, and behind them the event time if it is not one of them.
         *
         * @param end size of an input that may grow
         */
        ChunkSource source(long end);

        @Override
        void close();
    }

    @Override
    public Ready ready(long from, long maxRows) {
        Growth growth = input.growth();
        if (prefetch == null) {
            long end = growth == null ? 0 : growth.grownTo(from);
            if (growth != null && end < 0) {
                return Ready.nothing(from, growth.gone());
            }
            prefetch = new Prefetch(input.source(end), from, skipped, "read " + path.getFileName(), wakeup);
        }
        TimeRange times = new TimeRange();
        Prefetch.Found found =
                prefetch.find(from, maxRows, limit, (chunk, first, end) -> times.add(chunk.batch(), first, end));
        if (growth != null && found.last() && found.to() == from) {
            // All that was there is read: the side thread ends, and the next growth gets a new one.
            prefetch.close();
            prefetch = null;
            growth.drained();
        }
        return new Ready(found.to(), found.rows(), times.min(), times.max(), growth == null && found.last(), 0);
    }

    @Override
    public void read(long from, long to, Consumer<ColumnBatch> out) {
        read(from, to, out, bad -> {});
    }

    @Override
    public void read(long from, long to, Consumer<ColumnBatch> out, Consumer<Malformed> bad) {
        if (from < 0 || to < from) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "range " + from + " to " + to + " of file " + path);
        }
        List<Chunk> chunks = prefetch == null ? null : prefetch.take(from, to);
        if (chunks == null) {
            readAgain(from, to, out, bad);
            return;
        }
        try {
            for (Chunk chunk : chunks) {
                deliver(chunk, from, to, out);
                chunk.tell(from, to, bad);
            }
        } finally {
            chunks.forEach(Chunk::close);
        }
    }

    private void readAgain(long from, long to, Consumer<ColumnBatch> out, Consumer<Malformed> bad) {
        Growth growth = input.growth();
        ChunkSource source = replay;
        if (source != null && growth != null && replayEnd < to) {
            source.close();
            source = null;
        }
        if (source == null) {
            replayEnd = growth == null ? 0 : growth.size(to);
            source = input.source(replayEnd);
            replay = source;
        }
        long at = from;
        while (at < to) {
            try (Chunk chunk = source.next(at, to)) {
                skipped.add(chunk);
                deliver(chunk, from, to, out);
                chunk.tell(from, to, bad);
                if (chunk.to() == at || (chunk.last() && chunk.to() < to)) {
                    throw new StreamException(
                            ErrorCode.DATA_CORRUPTED,
                            "file \"%s\" ends at position %d, but rows up to %d were read from it before"
                                    .formatted(path, chunk.to(), to));
                }
                at = chunk.to();
            }
        }
    }

    private void deliver(Chunk chunk, long from, long to, Consumer<ColumnBatch> out) {
        int first = from <= chunk.from() ? 0 : chunk.rowsUntil(from);
        int end = chunk.rowsUntil(to);
        ColumnBatch batch = chunk.batch();
        if (batch == null || first == end) {
            return;
        }
        if (first == 0 && end == batch.rows()) {
            out.accept(asWanted(chunk, batch, 0));
            return;
        }
        for (int i = 0; i < end - first; i++) {
            selection[i] = first + i;
        }
        try (ColumnBatch part = BatchGather.gather(batch, selection, end - first, memory)) {
            out.accept(asWanted(chunk, part, first));
        }
    }

    /**
     * The batch as it was asked for, for an owner of its own: without a time column that was not, with the arrival column if that was.
     *
     * @param first row of the chunk that the batch begins with
     */
    private ColumnBatch asWanted(Chunk chunk, ColumnBatch batch, int first) {
        if (batch.columns() == types.length && arrival < 0) {
            return batch.retain();
        }
        boolean[] shared = new boolean[types.length];
        for (int c = 0; c < types.length; c++) {
            shared[c] = c != arrival;
        }
        try (BatchBuilder out = new BatchBuilder(types, batch.rows(), false, memory, shared)) {
            int next = 0;
            for (int c = 0; c < types.length; c++) {
                if (c == arrival) {
                    for (int row = 0; row < batch.rows(); row++) {
                        Mem.putLong(out.data(c) + 8L * row, arrivalBase + chunk.endOfRow(first + row));
                    }
                } else {
                    out.share(c, batch, next++);
                }
            }
            return out.finish(batch.rows());
        }
    }

    @Override
    public long skipped() {
        return skipped.total();
    }

    @Override
    public void onReady(Runnable call) {
        wakeup = call;
        if (prefetch != null) {
            prefetch.onReady(call);
        }
    }

    @Override
    public long nextPollNanos() {
        if (input.growth() != null && prefetch == null) {
            return Growth.CHECK_NANOS;
        }
        return limit == null ? 1_000_000 : limit.nextPollNanos();
    }

    @Override
    public void close() {
        if (prefetch != null) {
            prefetch.close();
        }
        if (replay != null) {
            replay.close();
        }
        input.close();
    }

    /** Least and greatest event time of some rows. */
    private final class TimeRange {
        private long min = Long.MAX_VALUE;
        private long max = Long.MIN_VALUE;

        void add(@Nullable ColumnBatch batch, int first, int end) {
            if (batch == null || timeColumn < 0) {
                return;
            }
            long data = batch.data(timeColumn);
            for (int row = first; row < end; row++) {
                if (!batch.isNull(timeColumn, row)) {
                    long time = Mem.getLong(data + 8L * row);
                    min = Math.min(min, time);
                    max = Math.max(max, time);
                }
            }
        }

        long min() {
            return min == Long.MAX_VALUE ? NO_TIME : min;
        }

        long max() {
            return max;
        }
    }
}
