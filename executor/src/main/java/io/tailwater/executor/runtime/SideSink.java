package io.tailwater.executor.runtime;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.executor.operator.SideOutput;
import io.tailwater.executor.operator.Tick;

import java.util.List;

/** Where one worker's share of a job's side output ends: streams beside the job's target, committed with the tick. Owned by that worker. */
public interface SideSink extends SideOutput, AutoCloseable {
    /** Keeps nothing. Stateless. */
    SideSink DISCARD = new SideSink() {
        @Override
        public void late(int reader, ColumnBatch rows) {
            rows.close();
        }

        @Override
        public List<SinkOutcome.Side> onTickEnd(Tick tick, boolean muted) {
            return List.of();
        }

        @Override
        public void close() {}
    };

    /** A record of scan {@code reader} that its source could not make into a row. Told in the order of the input, within the tick that binds it. */
    default void malformed(int reader, SplitReader.Malformed record) {}

    /** A tick begins; see {@link #onTickEnd} for {@code muted}. */
    default void begin(Tick tick, boolean muted) {}

    /**
     * All of the job's operators here have ended the tick. Called once a tick.
     *
     * @param muted the outcome of this tick has been committed in an earlier life: write nothing
     * @return what was appended to which stream
     */
    List<SinkOutcome.Side> onTickEnd(Tick tick, boolean muted);

    @Override
    void close();
}
