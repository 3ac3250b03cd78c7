package io.tailwater.server.engine;

import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.StreamException;
import io.tailwater.executor.operator.Tick;
import io.tailwater.server.control.Command;
import io.tailwater.server.engine.Engine.JobStatus;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/**
 * What jobs look like from outside, from one published picture. Immutable.
 *
 * @param pause why the whole application stands still, or null if it does not
 * @param sinks jobs whose sinks wait for their targets, with the reason
 */
record JobStatuses(
        SortedMap<String, JobPlan> plans,
        SortedMap<String, Command.Progress> progress,
        SortedMap<String, StreamException> failures,
        long tick,
        JobServices services,
        @Nullable String pause,
        SortedMap<String, String> sinks) {
    List<JobStatus> list() {
        List<JobStatus> out = new ArrayList<>();
        plans.forEach((name, plan) -> out.add(status(name, plan)));
        return out;
    }

    private JobStatus status(String name, JobPlan plan) {
        Command.Progress at = progress.get(name);
        StreamException failure = failures.get(name);
        JobStatus.State state = failure != null
                ? JobStatus.State.FAILED
                : finished(name)
                        ? JobStatus.State.FINISHED
                        : pause(name) == null ? JobStatus.State.RUNNING : JobStatus.State.PAUSED;
        return new JobStatus(
                name,
                kind(name, plan),
                state,
                at == null ? 0 : at.rowsIn(),
                at == null ? 0 : at.rowsOut(),
                at == null ? 0 : at.skipped(),
                tick,
                at == null ? null : watermark(at.watermark()),
                failure != null ? failure.getMessage() : state == JobStatus.State.PAUSED ? pause(name) : null,
                at == null ? List.of() : readers(at),
                services.operators(name));
    }

    /** Why the job stands still, or null if it does not. Ticks are everybody's, so one job's sink makes all wait. */
    private @Nullable String pause(String name) {
        if (pause != null || sinks.isEmpty()) {
            return pause;
        }
        String own = sinks.get(name);
        return own != null ? own : "waits for job " + sinks.firstKey() + ", which " + sinks.get(sinks.firstKey());
    }

    private List<Engine.ReaderStatus> readers(Command.Progress at) {
        SortedMap<Integer, JobServices.Held> held = services.held(at.name());
        List<Engine.ReaderStatus> out = new ArrayList<>();
        for (PlanNode.Scan scan : QueryInputs.scans(at.plan().root())) {
            int reader = scan.reader();
            Command.Reading reading = at.readings().get(reader);
            List<Engine.SplitPosition> positions = new ArrayList<>();
            for (int s = 0; s < at.bound().get(reader).size(); s++) {
                positions.add(new Engine.SplitPosition(
                        at.splits().get(reader).get(s), at.bound().get(reader).get(s)));
            }
            JobServices.Held here = held.getOrDefault(reader, JobServices.Held.NOTHING);
            boolean waits = here.needs() != Long.MAX_VALUE && here.needs() > reading.watermark();
            out.add(new Engine.ReaderStatus(
                    reader,
                    scan.object(),
                    watermark(reading.watermark()),
                    waits ? (Long) here.needs() : null,
                    reading.idleSplits(),
                    positions,
                    reading.skipped(),
                    here.late()));
        }
        return out;
    }

    private static @Nullable Long watermark(long micros) {
        return micros == Tick.NO_WATERMARK ? null : (Long) micros;
    }

    private static String kind(String name, JobPlan plan) {
        if (plan.sink() instanceof JobPlan.Sink.View view) {
            return name.equals(view.name().toString()) ? "MATERIALIZED VIEW" : "TABLE";
        }
        return "INSERT";
    }

    /** All bounded inputs are applied to their ends, the views it reads included. A job of constants is finished once it has run. */
    private boolean finished(String name) {
        JobPlan plan = plans.get(name);
        Command.Progress at = progress.get(name);
        if (plan == null || at == null) {
            return false;
        }
        boolean any = false;
        for (PlanNode.Scan scan : QueryInputs.scans(plan.root())) {
            if (scan.kind() == PlanNode.ScanKind.VIEW || scan.kind() == PlanNode.ScanKind.TABLE) {
                if (!finishedView(scan.object())) {
                    return false;
                }
            } else {
                any = true;
            }
        }
        return !any || at.finished();
    }

    private boolean finishedView(ObjectName view) {
        for (var job : plans.entrySet()) {
            if (job.getValue().sink() instanceof JobPlan.Sink.View kept
                    && kept.name().equals(view)) {
                return finished(job.getKey());
            }
        }
        return false;
    }
}
