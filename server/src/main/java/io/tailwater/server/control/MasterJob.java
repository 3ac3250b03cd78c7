package io.tailwater.server.control;

import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.message.FromWorker;
import io.tailwater.api.message.TickPlan;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.snapshot.StateOrigin;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.common.error.StreamException;
import io.tailwater.executor.operator.Tick;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** What the master knows of one job: where its splits stand, what they offer, how far event time is. Owned by the master. */
final class MasterJob {
    private PlanChange.Start definition;
    private final List<EventTime> times;
    private final List<Reader> readers = new ArrayList<>();
    private final List<Long> sinkPositions = new ArrayList<>();
    private @Nullable StreamException error;
    private long rowsIn;
    private long rowsOut;
    private boolean needsTick = true;
    /** Where its state comes from, or null if it began without any. */
    private @Nullable StateOrigin origin;

    MasterJob(PlanChange.Start definition, List<EventTime> times, int workers) {
        this.definition = definition;
        this.times = times;
        for (int r = 0; r < definition.splits().size(); r++) {
            Reader reader = new Reader();
            for (Long position : definition.positions().get(r)) {
                reader.splits.add(new Split(position));
            }
            readers.add(reader);
        }
        for (int w = 0; w < workers; w++) {
            sinkPositions.add(-1L);
        }
    }

    /**
     * A job as it was at a snapshot.
     *
     * @param definition with all splits that have come since
     * @param manifest of the snapshot
     */
    MasterJob(JobImage image, PlanChange.Start definition, List<EventTime> times, int workers, String manifest) {
        this(definition, times, workers);
        origin = new StateOrigin(manifest, image.start().job());
        rowsIn = image.rowsIn();
        rowsOut = image.rowsOut();
        for (int w = 0; w < Math.min(workers, image.sinkPositions().size()); w++) {
            sinkPositions.set(w, image.sinkPositions().get(w));
        }
        for (int r = 0; r < image.readers().size(); r++) {
            JobImage.ReaderImage from = image.readers().get(r);
            Reader reader = readers.get(r);
            reader.watermark = from.watermark();
            reader.movedAt = from.movedAt();
            for (int s = 0; s < from.splits().size(); s++) {
                reader.splits.get(s).restore(from.splits().get(s));
            }
        }
        needsTick = image.readers().size() != definition.splits().size();
    }

    JobImage image() {
        StreamException cause = error;
        return new JobImage(
                definition,
                readers.stream().map(Reader::image).toList(),
                sinkPositions,
                rowsIn,
                rowsOut,
                cause == null
                        ? null
                        : new JobImage.FailureImage(cause.code().sqlState(), String.valueOf(cause.getMessage())));
    }

    long id() {
        return definition.job();
    }

    String name() {
        return definition.name();
    }

    PlanChange.Start definition() {
        return definition;
    }

    /** Splits come to a reader. */
    void grow(PlanChange.Grow more) {
        definition = definition.with(more);
        more.splits().forEach(s -> readers.get(more.reader()).splits.add(new Split(0)));
        needsTick = true;
    }

    boolean failed() {
        return error != null;
    }

    StreamException error() {
        StreamException cause = error;
        if (cause == null) {
            throw new AssertionError(name() + " has not failed");
        }
        return cause;
    }

    void fail(StreamException cause) {
        if (error == null) {
            error = cause;
        }
    }

    /** @param tracked whether snapshots are taken */
    ToWorker.Deploy deployment(boolean tracked) {
        List<List<Long>> positions = new ArrayList<>();
        for (Reader reader : readers) {
            positions.add(reader.splits.stream().map(s -> s.bound).toList());
        }
        return new ToWorker.Deploy(
                definition.job(),
                definition.name(),
                definition.plan(),
                definition.zone(),
                definition.splits(),
                positions,
                sinkPositions,
                tracked,
                origin);
    }

    void offer(FromWorker.Offer offer) {
        Split split = readers.get(offer.reader()).splits.get(offer.split());
        if (offer.from() != split.bound) {
            return; // made before the last binding; the worker will offer again
        }
        split.offer = offer;
        split.skipped = offer.skipped();
        if (offer.finished() && offer.to() == split.bound) {
            finish(split);
        }
    }

    private void finish(Split split) {
        if (!split.finished) {
            split.finished = true;
            needsTick = true;
        }
    }

    boolean wantsTick(long nowMicros) {
        if (failed()) {
            return false;
        }
        if (needsTick || nextIdle() <= nowMicros) {
            return true;
        }
        for (Reader reader : readers) {
            for (Split split : reader.splits) {
                FromWorker.Offer offer = split.offer;
                if (offer != null && offer.to() > split.bound) {
                    return true;
                }
            }
        }
        return false;
    }

    /** When a split that holds a watermark back falls idle if nothing comes, or {@link Long#MAX_VALUE}. */
    long nextIdle() {
        long least = Long.MAX_VALUE;
        for (int r = 0; !failed() && r < readers.size(); r++) {
            EventTime time = times.get(r);
            if (time.idleMicros() >= 0 && time.delayMicros() >= 0) {
                for (Split split : readers.get(r).splits) {
                    if (split.counts() && !split.idle && readers.get(r).movedAt > split.movedAt) {
                        least = Math.min(least, split.movedAt + time.idleMicros());
                    }
                }
            }
        }
        return least;
    }

    /** Binds all that is offered. */
    TickPlan.JobTick bind(long nowMicros) {
        List<TickPlan.InputRange> ranges = new ArrayList<>();
        for (int r = 0; r < readers.size(); r++) {
            List<Split> splits = readers.get(r).splits;
            for (int s = 0; s < splits.size(); s++) {
                Split split = splits.get(s);
                FromWorker.Offer offer = split.offer;
                split.offer = null;
                if (offer != null && offer.to() > split.bound) {
                    ranges.add(new TickPlan.InputRange(r, s, split.bound, offer.to(), offer.rows()));
                    split.bound = offer.to();
                    readers.get(r).moved(split, nowMicros);
                    if (offer.maxTime() != SplitReader.NO_TIME) {
                        split.maxTime = Math.max(split.maxTime, offer.maxTime());
                    }
                    if (offer.finished()) {
                        split.finished = true;
                    }
                }
            }
        }
        needsTick = false;
        List<Long> watermarks = new ArrayList<>();
        for (int r = 0; r < readers.size(); r++) {
            Reader reader = readers.get(r);
            judgeIdle(reader, times.get(r), nowMicros);
            reader.watermark =
                    Math.max(reader.watermark, watermark(reader, times.get(r).delayMicros()));
            watermarks.add(reader.watermark);
        }
        return new TickPlan.JobTick(id(), ranges, watermarks);
    }

    /** A split is idle when it has not moved for some time while others of its reader did, until it moves again. */
    private static void judgeIdle(Reader reader, EventTime time, long nowMicros) {
        for (Split split : reader.splits) {
            split.idle = time.idleMicros() >= 0
                    && reader.movedAt > split.movedAt
                    && nowMicros - split.movedAt >= time.idleMicros();
        }
    }

    private static long watermark(Reader reader, long delay) {
        boolean allFinished = !reader.splits.isEmpty();
        long least = Long.MAX_VALUE;
        for (Split split : reader.splits) {
            allFinished &= split.finished;
            if (split.counts() && !split.idle) {
                least = Math.min(least, split.maxTime);
            }
        }
        if (allFinished) {
            return Tick.END_OF_TIME;
        }
        return delay < 0 || least == Long.MAX_VALUE ? Tick.NO_WATERMARK : least - delay;
    }

    /** Takes over what an earlier life bound. */
    void replayBind(TickPlan.JobTick bound, long clockMicros) {
        for (TickPlan.InputRange range : bound.ranges()) {
            Reader reader = readers.get(range.reader());
            reader.splits.get(range.split()).bound = range.to();
            reader.moved(reader.splits.get(range.split()), clockMicros);
        }
        for (int r = 0; r < readers.size(); r++) {
            long watermark = bound.watermarks().get(r);
            if (watermark != Tick.NO_WATERMARK
                    && watermark != Tick.END_OF_TIME
                    && times.get(r).delayMicros() >= 0) {
                // The log does not say how far each split was, but none was behind the watermark. One that never moved
                // does not count yet.
                for (Split split : readers.get(r).splits) {
                    if (split.movedAt != Long.MIN_VALUE) {
                        split.maxTime =
                                Math.max(split.maxTime, watermark + times.get(r).delayMicros());
                    }
                }
            }
        }
        for (int r = 0; r < readers.size(); r++) {
            readers.get(r).watermark = bound.watermarks().get(r);
        }
        needsTick = false;
    }

    void replayCommit(ControlRecord.SinkCommit sink) {
        for (int w = 0; w < sink.positions().size() && w < sinkPositions.size(); w++) {
            sinkPositions.set(w, sink.positions().get(w));
        }
    }

    void outcome(int worker, FromWorker.JobOutcome outcome) {
        rowsIn += outcome.rowsIn();
        rowsOut += outcome.rowsOut();
        if (outcome.sink().position() >= 0) {
            sinkPositions.set(worker, outcome.sink().position());
        }
    }

    /** Splits read and applied to their ends; a job that reads only views is never finished by itself. */
    boolean finished() {
        boolean any = false;
        for (Reader reader : readers) {
            for (Split split : reader.splits) {
                any = true;
                if (!split.finished) {
                    return false;
                }
            }
        }
        return any;
    }

    Command.Progress progress() {
        List<List<Long>> bound = new ArrayList<>();
        List<Boolean> ended = new ArrayList<>();
        long watermark = Tick.END_OF_TIME;
        List<Command.Reading> readings = new ArrayList<>();
        boolean any = false;
        for (Reader reader : readers) {
            List<Long> ends = new ArrayList<>();
            for (Split split : reader.splits) {
                ends.add(split.bound);
            }
            bound.add(ends);
            readings.add(reader.reading());
            ended.add(!reader.splits.isEmpty() && reader.splits.stream().allMatch(s -> s.finished));
            if (!reader.splits.isEmpty()) {
                any = true;
                watermark = Math.min(watermark, reader.watermark);
            }
        }
        return new Command.Progress(
                id(),
                name(),
                definition.positions(),
                bound,
                ended,
                finished(),
                any ? watermark : Tick.NO_WATERMARK,
                rowsIn,
                rowsOut,
                readings.stream().mapToLong(Command.Reading::skipped).sum(),
                definition.plan(),
                definition.splits(),
                readings);
    }

    private static final class Reader {
        private final List<Split> splits = new ArrayList<>();
        private long watermark = Tick.NO_WATERMARK;
        /** When any of its splits moved last. */
        private long movedAt = Long.MIN_VALUE;

        void moved(Split split, long nowMicros) {
            movedAt = nowMicros;
            split.movedAt = nowMicros;
        }

        JobImage.ReaderImage image() {
            return new JobImage.ReaderImage(
                    watermark, movedAt, splits.stream().map(Split::image).toList());
        }

        Command.Reading reading() {
            int idle = 0;
            long skipped = 0;
            for (Split split : splits) {
                idle += split.idle && split.counts() ? 1 : 0;
                skipped += split.skipped;
            }
            return new Command.Reading(watermark, idle, skipped);
        }
    }

    private static final class Split {
        private long bound;
        private long maxTime = SplitReader.NO_TIME;
        private boolean finished;
        private boolean idle;
        private long movedAt = Long.MIN_VALUE;
        private long skipped;
        private FromWorker.@Nullable Offer offer;

        Split(long position) {
            bound = position;
        }

        void restore(JobImage.SplitImage image) {
            bound = image.bound();
            maxTime = image.maxTime();
            finished = image.finished();
            idle = image.idle();
            movedAt = image.movedAt();
            skipped = image.skipped();
        }

        JobImage.SplitImage image() {
            return new JobImage.SplitImage(bound, maxTime, finished, idle, movedAt, skipped);
        }

        /** Whether the watermark looks at it: from its first frame with an event time on, until its end. */
        boolean counts() {
            return !finished && maxTime != SplitReader.NO_TIME;
        }
    }
}
