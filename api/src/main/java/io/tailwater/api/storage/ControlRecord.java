package io.tailwater.api.storage;

import com.fasterxml.jackson.annotation.JsonFormat;

import java.util.List;

/**
 * One entry of an application log: what made each tick deterministic, in one order. The stored form is {@link ControlCodec}'s: fields by position,
 * so new ones go to the end, together with a new record version.
 *
 * <p>Order: OWNER(E) begins the reign of a master; PLAN(v) precedes the first BIND that names v; BIND(t) precedes COMMIT(t); ticks ascend. Immutable.
 */
public sealed interface ControlRecord {
    /** The master's fencing epoch. Never less than that of the record before. */
    long epoch();

    /** A master's first record: nothing of an older epoch follows it. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Owner(long epoch, long clockMicros) implements ControlRecord {}

    /** From {@code tick} on, ticks run plan {@code version}. {@code plan} is JSON of the server's. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Plan(long epoch, long version, long tick, String plan) implements ControlRecord {}

    /** Everything that tick {@code tick} reads. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Bind(long epoch, long tick, long planVersion, long clockMicros, List<ReaderBind> readers)
            implements ControlRecord {
        public Bind {
            readers = List.copyOf(readers);
        }
    }

    /** The tick's outcome, everywhere at once: its frames in our own streams and the positions of external sinks. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Commit(long epoch, long tick, List<OutputCommit> outputs, List<SinkCommit> sinks) implements ControlRecord {
        public Commit {
            outputs = List.copyOf(outputs);
            sinks = List.copyOf(sinks);
        }
    }

    /** A job failed in {@code tick}: its private operators and what depends on them are detached, the rest goes on. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Fail(long epoch, long tick, String job, String sqlState, String message) implements ControlRecord {}

    /**
     * What one reader of one job reads in a tick.
     *
     * @param reader number of the scan in the job's plan
     * @param watermark in microseconds after this tick, or {@link FrameHeader#NO_TIME} while there is none
     * @param idle whether the reader holds nobody's watermark back
     */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record ReaderBind(String job, int reader, List<Range> ranges, long watermark, boolean idle) {
        public ReaderBind {
            ranges = List.copyOf(ranges);
        }
    }

    /**
     * Part of a split.
     *
     * @param from in the split's own positions
     * @param to exclusive
     * @param checksum of the content, or 0 where it cannot change under us
     */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Range(String split, long from, long to, long rows, long checksum) {}

    /** Frames that a job added to one of our streams in a tick. Partitions without any are left out. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record OutputCommit(String job, String stream, int writer, List<PartitionRange> ranges) {
        public OutputCommit {
            ranges = List.copyOf(ranges);
        }
    }

    /** Frames {@code [from, to)} of a partition. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record PartitionRange(int partition, long from, long to) {}

    /** Where a job's external sink would resume: one position per worker. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record SinkCommit(String job, String target, List<Long> positions) {
        public SinkCommit {
            positions = List.copyOf(positions);
        }
    }
}
