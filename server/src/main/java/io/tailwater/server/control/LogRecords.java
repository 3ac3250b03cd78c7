package io.tailwater.server.control;

import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.message.FromWorker;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.api.message.TickPlan;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanCodec;
import io.tailwater.api.snapshot.StateOrigin;
import io.tailwater.api.storage.ControlRecord;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;

/** Between the master's terms (job ids, split numbers) and the application log's (texts, so that the log explains itself). */
public final class LogRecords {
    /** The application's own writer group in every stream. */
    static final int APPLICATION_WRITER = 1;

    private static final int LONGEST_NAME = 48;

    private LogRecords() {}

    static String key(long job) {
        return Long.toString(job);
    }

    static ControlRecord.Plan plan(long epoch, long version, long tick, PlanChange change) {
        return new ControlRecord.Plan(epoch, version, tick, PlanCodec.write(change));
    }

    /** The stream that a PLAN record drops, or null if it does something else. */
    public static @Nullable String droppedStream(ControlRecord.Plan record) {
        return change(record) instanceof PlanChange.Drop drop ? drop.stream() : null;
    }

    /** Whether a PLAN record ends something: a job or a stream. */
    public static boolean ends(ControlRecord.Plan record) {
        PlanChange change = change(record);
        return change instanceof PlanChange.Stop || change instanceof PlanChange.Drop;
    }

    /** Where the state of a job comes from that a PLAN record starts, and the job's plan; null if it has none, or the record does something else. */
    public static @Nullable Restored restored(ControlRecord.Plan record) {
        return change(record) instanceof PlanChange.Start start && start.origin() != null
                ? new Restored(start.name(), start.plan(), start.origin())
                : null;
    }

    /** A job that began with the state of another. */
    public record Restored(String job, JobPlan plan, StateOrigin origin) {}

    static PlanChange change(ControlRecord.Plan record) {
        return PlanCodec.read(record.plan(), PlanChange.class);
    }

    /** @param definitions of the jobs that the entries name */
    static ControlRecord.Bind bind(
            long epoch,
            long tick,
            long planVersion,
            long clockMicros,
            List<TickPlan.JobTick> jobs,
            LongFunction<PlanChange.Start> definitions) {
        List<ControlRecord.ReaderBind> readers = new ArrayList<>();
        for (TickPlan.JobTick job : jobs) {
            PlanChange.Start definition = definitions.apply(job.job());
            for (int reader = 0; reader < job.watermarks().size(); reader++) {
                List<ControlRecord.Range> ranges = new ArrayList<>();
                for (TickPlan.InputRange range : job.ranges()) {
                    if (range.reader() == reader) {
                        ranges.add(new ControlRecord.Range(
                                split(definition.splits().get(reader), range.split()),
                                range.from(),
                                range.to(),
                                range.rows(),
                                0));
                    }
                }
                readers.add(new ControlRecord.ReaderBind(
                        key(job.job()), reader, ranges, job.watermarks().get(reader), false));
            }
            if (job.watermarks().isEmpty()) {
                // A job of constants has no reader, but is part of the tick.
                readers.add(new ControlRecord.ReaderBind(key(job.job()), -1, List.of(), Long.MIN_VALUE, false));
            }
        }
        return new ControlRecord.Bind(epoch, tick, planVersion, clockMicros, readers);
    }

    /** A split in a binding: by its name if that is short, else by its number, for it stands in every record. */
    private static String split(List<String> names, int number) {
        String name = names.get(number);
        return name.length() <= LONGEST_NAME ? name : "#" + number;
    }

    private static int split(List<String> names, String text) {
        int named = names.indexOf(text);
        return named < 0 && text.startsWith("#") ? Integer.parseInt(text.substring(1)) : named;
    }

    /** The entries of a binding, for the jobs in {@code definitions}. */
    static List<TickPlan.JobTick> jobs(ControlRecord.Bind record, SortedMap<Long, PlanChange.Start> definitions) {
        SortedMap<Long, List<TickPlan.InputRange>> ranges = new TreeMap<>();
        SortedMap<Long, List<Long>> watermarks = new TreeMap<>();
        for (ControlRecord.ReaderBind bind : record.readers()) {
            long job = Long.parseLong(bind.job());
            PlanChange.Start definition = definitions.get(job);
            if (definition == null) {
                continue;
            }
            ranges.computeIfAbsent(job, j -> new ArrayList<>());
            List<Long> marks = watermarks.computeIfAbsent(job, j -> new ArrayList<>());
            if (bind.reader() >= 0) {
                marks.add(bind.watermark());
                for (ControlRecord.Range range : bind.ranges()) {
                    int split = split(definition.splits().get(bind.reader()), range.split());
                    ranges.get(job)
                            .add(new TickPlan.InputRange(bind.reader(), split, range.from(), range.to(), range.rows()));
                }
            }
        }
        List<TickPlan.JobTick> out = new ArrayList<>();
        ranges.forEach((job, list) ->
                out.add(new TickPlan.JobTick(job, list, java.util.Objects.requireNonNull(watermarks.get(job)))));
        return out;
    }

    /** Adds what a job's workers have put out in a tick to a commit's lists. {@code done} is sorted by worker. */
    static void outcome(
            MasterJob job,
            List<FromWorker.Done> done,
            List<ControlRecord.OutputCommit> outputs,
            List<ControlRecord.SinkCommit> sinks) {
        List<ControlRecord.PartitionRange> ranges = new ArrayList<>();
        List<Long> positions = new ArrayList<>();
        SortedMap<String, List<ControlRecord.PartitionRange>> sides = new TreeMap<>();
        boolean external = false;
        for (FromWorker.Done message : done) {
            for (FromWorker.JobOutcome outcome : message.jobs()) {
                if (outcome.job() == job.id()) {
                    for (SinkOutcome.Range range : outcome.sink().ranges()) {
                        ranges.add(new ControlRecord.PartitionRange(range.partition(), range.from(), range.to()));
                    }
                    for (SinkOutcome.Side side : outcome.sink().sides()) {
                        for (SinkOutcome.Range range : side.ranges()) {
                            sides.computeIfAbsent(name(side.stream()), s -> new ArrayList<>())
                                    .add(new ControlRecord.PartitionRange(range.partition(), range.from(), range.to()));
                        }
                    }
                    positions.add(outcome.sink().position());
                    external |= outcome.sink().position() >= 0;
                }
            }
        }
        JobPlan.Sink sink = job.definition().plan().sink();
        if (!ranges.isEmpty()) {
            outputs.add(new ControlRecord.OutputCommit(key(job.id()), target(sink), APPLICATION_WRITER, ranges));
        }
        sides.forEach((stream, list) ->
                outputs.add(new ControlRecord.OutputCommit(key(job.id()), stream, APPLICATION_WRITER, list)));
        if (external) {
            sinks.add(new ControlRecord.SinkCommit(key(job.id()), target(sink), positions));
        }
    }

    private static String name(ObjectName name) {
        return name.schema() + "." + name.name();
    }

    private static String target(JobPlan.Sink sink) {
        if (sink instanceof JobPlan.Sink.Stream stream) {
            return name(stream.name());
        }
        if (sink instanceof JobPlan.Sink.Table table) {
            return name(table.name());
        }
        if (sink instanceof JobPlan.Sink.Connector connector) {
            return name(connector.name());
        }
        throw new AssertionError("a commit of " + sink);
    }
}
