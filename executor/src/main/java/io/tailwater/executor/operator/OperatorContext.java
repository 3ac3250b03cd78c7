package io.tailwater.executor.operator;

import io.tailwater.api.batch.MemoryAccount;

import java.time.ZoneId;

/**
 * What an operator is built with.
 *
 * @param memory every off-heap byte of the operator is accounted here
 * @param output where its batches go
 * @param worker this worker's number, 0-based
 * @param workers how many there are
 * @param zone of the session that created the job, for TIMESTAMP_LTZ conversions
 * @param side where rows go that leave the main path
 * @param clock the current tick's wall clock, for {@code TICK_TIME}; set by the worker before each tick
 */
public record OperatorContext(
        MemoryAccount memory, Output output, SideOutput side, int worker, int workers, ZoneId zone, TickClock clock) {
    /** Without a side output. */
    public OperatorContext(MemoryAccount memory, Output output, int worker, int workers, ZoneId zone, TickClock clock) {
        this(memory, output, SideOutput.DISCARD, worker, workers, zone, clock);
    }

    /** Holder of the current tick's wall clock. Owned by one worker. */
    public static final class TickClock {
        private long micros;

        public long micros() {
            return micros;
        }

        public void set(long clockMicros) {
            micros = clockMicros;
        }
    }
}
