package io.tailwater.server.engine;

import io.tailwater.api.batch.BatchGather;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.runtime.JobSink;
import io.tailwater.executor.view.DeltaConsolidator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Sinks that write: to a stored stream, to a keyed table's inbox, to the outside. In a muted tick they drop their rows: those are out there already. */
final class JobSinks {
    private JobSinks() {}

    /** Passes on each batch, which it owns; if that fails, what is left is closed. */
    static void forEach(List<ColumnBatch> batches, Consumer<ColumnBatch> out) {
        int next = 0;
        try {
            while (next < batches.size()) {
                next++;
                out.accept(batches.get(next - 1));
            }
        } finally {
            QueryInputs.closeAll(batches.subList(next, batches.size()));
        }
    }

    private static SinkOutcome outcome(List<SinkOutcome.Range> ranges) {
        return ranges.isEmpty() ? SinkOutcome.NONE : new SinkOutcome(ranges, -1);
    }

    /** Rows of an append-only plan become frames of the target. */
    static final class ToStream implements JobSink {
        private final StreamStorage.Writer writer;
        private boolean muted;

        ToStream(StreamStorage.Writer writer) {
            this.writer = writer;
        }

        @Override
        public void begin(boolean mute) {
            muted = mute;
        }

        @Override
        public void onBatch(ColumnBatch batch) {
            if (muted || batch.rows() == 0) {
                batch.close();
            } else {
                writer.write(batch);
            }
        }

        @Override
        public SinkOutcome onTickEnd(Tick tick, boolean mute) {
            return outcome(writer.endTick(tick.number()));
        }

        @Override
        public void close() {
            writer.close();
        }
    }

    /** A tick's net change becomes deletes, then upserts, in the table's inbox. Rows of one key come to one worker. */
    static final class ToTable implements JobSink {
        private final StreamStorage.Writer writer;
        private final DeltaConsolidator delta;
        private final MemoryAccount memory;

        ToTable(StreamStorage.Writer writer, Schema schema, MemoryAccount memory) {
            this.writer = writer;
            this.memory = memory;
            delta = new DeltaConsolidator(schema, memory);
        }

        @Override
        public void onBatch(ColumnBatch batch) {
            delta.add(batch);
        }

        @Override
        public SinkOutcome onTickEnd(Tick tick, boolean muted) {
            List<ColumnBatch> upserts = new ArrayList<>();
            boolean split = false;
            try {
                forEach(delta.take(), batch -> {
                    try (batch) {
                        if (!muted) {
                            split(batch, upserts);
                        }
                    }
                });
                split = true;
            } finally {
                if (!split) {
                    QueryInputs.closeAll(upserts);
                }
            }
            forEach(upserts, writer::write);
            return outcome(writer.endTick(tick.number()));
        }

        private void split(ColumnBatch batch, List<ColumnBatch> upserts) {
            int[] plus = new int[batch.rows()];
            int[] minus = new int[batch.rows()];
            int up = 0;
            int down = 0;
            for (int row = 0; row < batch.rows(); row++) {
                if (batch.weight(row) > 0) {
                    plus[up++] = row;
                } else {
                    minus[down++] = row;
                }
            }
            if (down > 0) {
                writer.write(once(BatchGather.gather(batch, minus, down, memory), -1));
            }
            if (up > 0) {
                upserts.add(once(BatchGather.gather(batch, plus, up, memory), 1));
            }
        }

        /** A row that came several times is one upsert (or, of a query that has one row for each key, one delete). */
        private static ColumnBatch once(ColumnBatch gathered, long weight) {
            if (gathered.weights() != 0) {
                for (int row = 0; row < gathered.rows(); row++) {
                    Mem.putLong(gathered.weights() + 8L * row, weight);
                }
            }
            return gathered;
        }

        @Override
        public void close() {
            delta.close();
            writer.close();
        }
    }

    /** What is common to both ways of writing through a connector. */
    private static final class Ending {
        private final SinkWriter writer;
        private final Runnable closed;
        private boolean last;

        Ending(SinkWriter writer, Runnable closed) {
            this.writer = writer;
            this.closed = closed;
        }

        void close() {
            closed.run();
            writer.close();
        }

        SinkOutcome end(Tick tick) {
            last = !tick.watermarks().isEmpty() && tick.watermarks().stream().allMatch(w -> w == Tick.END_OF_TIME);
            return new SinkOutcome(List.of(), writer.endTick(tick.number()));
        }

        void committed(long tick) {
            writer.committed(tick);
            if (last) {
                writer.complete();
                last = false;
            }
        }
    }

    /** A connector writes append-only rows as they come. */
    static final class ToConnector implements JobSink {
        private final SinkWriter writer;
        private final Ending ending;
        private boolean muted;

        /** @param closed is run when the writer is closed */
        ToConnector(SinkWriter writer, Runnable closed) {
            this.writer = writer;
            ending = new Ending(writer, closed);
        }

        @Override
        public void begin(boolean mute) {
            muted = mute;
        }

        @Override
        public void onBatch(ColumnBatch batch) {
            try (batch) {
                if (!muted && batch.rows() > 0) {
                    writer.write(batch);
                }
            }
        }

        @Override
        public SinkOutcome onTickEnd(Tick tick, boolean mute) {
            return mute ? SinkOutcome.NONE : ending.end(tick);
        }

        @Override
        public void committed(long tick) {
            ending.committed(tick);
        }

        @Override
        public void close() {
            ending.close();
        }
    }

    /** A connector writes a tick's net change. */
    static final class ChangesToConnector implements JobSink {
        private final SinkWriter writer;
        private final Ending ending;
        private final DeltaConsolidator delta;

        /** @param closed is run when the writer is closed */
        ChangesToConnector(SinkWriter writer, Runnable closed, Schema schema, MemoryAccount memory) {
            this.writer = writer;
            ending = new Ending(writer, closed);
            delta = new DeltaConsolidator(schema, memory);
        }

        @Override
        public void onBatch(ColumnBatch batch) {
            delta.add(batch);
        }

        @Override
        public SinkOutcome onTickEnd(Tick tick, boolean muted) {
            forEach(delta.take(), batch -> {
                try (batch) {
                    if (!muted) {
                        writer.write(batch);
                    }
                }
            });
            return muted ? SinkOutcome.NONE : ending.end(tick);
        }

        @Override
        public void committed(long tick) {
            ending.committed(tick);
        }

        @Override
        public void close() {
            delta.close();
            ending.close();
        }
    }
}
