package io.tailwater.connector.files;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.BatchGather;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.connector.Connector.ReadContext;
import io.tailwater.api.connector.RateLimit;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads one file. Input to come is parsed ahead by a {@link Prefetch}, begun at the first {@link #ready}; a range that is not there, as in replay, is
 * read at once by the calling worker. Owned by one worker; not thread-safe.
 */
final class FileSplitReader implements SplitReader {
    private final Path path;
    private final FileChannel channel;
    private final Supplier<ChunkSource> sources;
    private final MemoryAccount memory;
    private final DataType[] types;
    private final int timeColumn;
    private final @Nullable RateLimit limit;
    private final int[] selection = new int[ChunkSource.MAX_ROWS];
    private @Nullable Prefetch prefetch;
    private @Nullable ChunkSource replay;
    private Runnable wakeup = () -> {};
    private final SkipCount skipped = new SkipCount();

    /**
     * Reads nothing yet.
     *
     * @param channel owned
     * @param sources makes a source of the columns in {@code context}, and behind them the event time if it is not one of them
     * @param types of the columns in {@code context}
     * @param timeColumn index of the event time in the source's batches, or -1
     * @param rowsPerSecond 0 for no limit
     */
    FileSplitReader(
            Path path,
            FileChannel channel,
            Supplier<ChunkSource> sources,
            DataType[] types,
            int timeColumn,
            long rowsPerSecond,
            ReadContext context) {
        this.path = path;
        this.channel = channel;
        this.sources = sources;
        this.memory = context.memory();
        this.types = types;
        this.timeColumn = timeColumn;
        this.limit = rowsPerSecond == 0 ? null : new RateLimit(rowsPerSecond, context.clock());
    }

    @Override
    public Ready ready(long from, long maxRows) {
        if (prefetch == null) {
            prefetch = new Prefetch(sources.get(), from, skipped, "read " + path.getFileName(), wakeup);
        }
        TimeRange times = new TimeRange();
        Prefetch.Found found =
                prefetch.find(from, maxRows, limit, (chunk, first, end) -> times.add(chunk.batch(), first, end));
        return new Ready(found.to(), found.rows(), times.min(), times.max(), found.last(), 0);
    }

    @Override
    public void read(long from, long to, Consumer<ColumnBatch> out) {
        if (from < 0 || to < from) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "range " + from + " to " + to + " of file " + path);
        }
        List<Chunk> chunks = prefetch == null ? null : prefetch.take(from, to);
        if (chunks == null) {
            readAgain(from, to, out);
            return;
        }
        try {
            chunks.forEach(chunk -> deliver(chunk, from, to, out));
        } finally {
            chunks.forEach(Chunk::close);
        }
    }

    private void readAgain(long from, long to, Consumer<ColumnBatch> out) {
        if (replay == null) {
            replay = sources.get();
        }
        long at = from;
        while (at < to) {
            try (Chunk chunk = replay.next(at, to)) {
                skipped.add(chunk);
                deliver(chunk, from, to, out);
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
            out.accept(withoutExtra(batch));
            return;
        }
        for (int i = 0; i < end - first; i++) {
            selection[i] = first + i;
        }
        try (ColumnBatch part = BatchGather.gather(batch, selection, end - first, memory)) {
            out.accept(withoutExtra(part));
        }
    }

    /** The batch as it was asked for, for an owner of its own. */
    private ColumnBatch withoutExtra(ColumnBatch batch) {
        if (batch.columns() == types.length) {
            return batch.retain();
        }
        boolean[] shared = new boolean[types.length];
        Arrays.fill(shared, true);
        try (BatchBuilder out = new BatchBuilder(types, batch.rows(), false, memory, shared)) {
            for (int c = 0; c < types.length; c++) {
                out.share(c, batch, c);
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
        try {
            channel.close();
        } catch (IOException e) {
            throw FileIdentity.failure(path, e);
        }
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
