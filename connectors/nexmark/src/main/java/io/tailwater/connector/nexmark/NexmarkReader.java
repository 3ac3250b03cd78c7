package io.tailwater.connector.nexmark;

import io.tailwater.api.batch.BatchBuilder;
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

import java.util.function.Consumer;

/**
 * Reads one split. A position counts the split's events of all kinds; which rows a range holds is arithmetic, and rows are only made in {@link
 * #read}. Owned by one worker; not thread-safe.
 */
final class NexmarkReader implements SplitReader {
    private final NexmarkOptions options;
    private final Split split;
    private final MemoryAccount memory;
    private final boolean timed;
    private final long size;
    private final DataType[] types;
    private final int arrival;
    private final Columns columns;
    private final Window window;
    private final @Nullable RateLimit limit;

    NexmarkReader(NexmarkOptions options, Split split, ReadContext context) {
        this.options = options;
        this.split = split;
        this.memory = context.memory();
        this.timed = context.timeColumn() >= 0;
        this.size = split.size(options.events());
        this.types = context.types(options.kind().schema());
        this.arrival = context.columns().indexOf(PlanNode.Scan.ARRIVAL);
        this.columns = Columns.of(options, context.columns());
        this.window = new Window(options, split);
        this.limit = options.rowsPerSecond() == 0
                ? null
                : new RateLimit(Math.max(1, options.rowsPerSecond() / split.count()), context.clock());
    }

    @Override
    public Ready ready(long from, long maxRows) {
        EventKind kind = options.kind();
        long before = kind.rowsBefore(from);
        long left = kind.rowsBefore(size) - before;
        long allowed = limit == null ? maxRows : Math.min(maxRows, limit.allowed(before));
        long rows = Math.min(left, Math.max(0, allowed));
        if (rows == left) {
            return new Ready(Math.max(from, size), rows, time(before, rows), time(before + rows - 1, rows), true, 0);
        }
        if (rows == 0) {
            return Ready.nothing(from, false);
        }
        long to = kind.eventsHolding(before + rows);
        return new Ready(to, rows, time(before, rows), time(before + rows - 1, rows), false, 0);
    }

    /** Event time of the split's row {@code row} of its kind, unless there are no rows to tell of. */
    private long time(long row, long rows) {
        if (!timed || rows == 0) {
            return NO_TIME;
        }
        long event = split.global(options.kind().eventsHolding(row + 1) - 1);
        return Draws.timestampMillis(event, options.rate()) * 1000;
    }

    @Override
    public void read(long from, long to, Consumer<ColumnBatch> out) {
        if (from < 0 || to < from || to > size) {
            throw new StreamException(
                    ErrorCode.DATA_CORRUPTED,
                    "range %d to %d of a nexmark split of %d events".formatted(from, to, size));
        }
        long row = options.kind().rowsBefore(from);
        long end = options.kind().rowsBefore(to);
        while (row < end) {
            int count = (int) Math.min(Window.CAPACITY, end - row);
            out.accept(batch(row, count));
            row += count;
        }
    }

    private ColumnBatch batch(long firstRow, int count) {
        try (BatchBuilder builder = new BatchBuilder(types, count, false, memory)) {
            window.moveTo(firstRow, count);
            columns.fill(builder, window);
            for (int row = 0; arrival >= 0 && row < count; row++) {
                // Event numbers are unique in all splits together.
                Mem.putLong(builder.data(arrival) + 8L * row, window.numbers()[row]);
            }
            return builder.finish(count);
        }
    }

    @Override
    public long nextPollNanos() {
        return limit == null ? 1_000_000 : limit.nextPollNanos();
    }

    @Override
    public void close() {
        // Nothing to give back: the text pools live as long as the process.
    }
}
