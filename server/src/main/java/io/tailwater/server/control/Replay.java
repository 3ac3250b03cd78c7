package io.tailwater.server.control;

import io.tailwater.api.message.TickPlan;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.storage.ControlRecord;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What of an application log must be done again: starts and ticks of the jobs that still live, in order. Committed ticks in a row become one where no plan
 * can tell the difference.
 */
final class Replay {
    /** One step of replay. */
    sealed interface Step {
        /**
         * A job to start.
         *
         * @param image the job as a snapshot has it, or null if it began later
         */
        record Start(PlanChange.Start job, @Nullable JobImage image) implements Step {}

        /** A tick to run again; {@code committed} says that its outputs exist. */
        record Tick(long tick, long clockMicros, List<TickPlan.JobTick> jobs, boolean committed) implements Step {}
    }

    /** Rows one replayed tick may gather. */
    private static final long COALESCED_ROWS = 1 << 20;

    private final Deque<Step> steps = new ArrayDeque<>();
    private final SortedMap<Long, PlanChange.Start> live = new TreeMap<>();
    private final SortedMap<Long, ControlRecord.Fail> failed = new TreeMap<>();
    private final List<PlanChange.Start> orphans = new ArrayList<>();
    private long epoch;
    private long lastTick;
    private long lastJob;
    private long lastPlan;
    private long lastClock;

    /**
     * Sorts out a log.
     *
     * @param base snapshot to go on from, or null to begin with nothing
     * @param records of the log that the snapshot does not cover
     * @param wanted plans of the jobs the catalog knows, by name
     */
    Replay(@Nullable Manifest base, List<ControlRecord> records, SortedMap<String, JobPlan> wanted) {
        SortedSet<Long> committed = new TreeSet<>();
        SortedMap<Long, PlanChange.Start> started = new TreeMap<>();
        if (base != null) {
            epoch = base.epoch();
            lastTick = base.tick();
            lastJob = base.lastJob();
            lastPlan = base.planVersion();
            lastClock = base.clockMicros();
            for (JobImage job : base.jobs()) {
                started.put(job.start().job(), job.start());
                JobImage.FailureImage failure = job.failure();
                if (failure != null) {
                    failed.put(
                            job.start().job(),
                            new ControlRecord.Fail(
                                    base.epoch(),
                                    base.tick(),
                                    LogRecords.key(job.start().job()),
                                    failure.sqlState(),
                                    failure.message()));
                }
            }
        }
        for (ControlRecord record : records) {
            epoch = Math.max(epoch, record.epoch());
            if (record instanceof ControlRecord.Plan plan) {
                lastPlan = plan.version();
                PlanChange change = LogRecords.change(plan);
                if (change instanceof PlanChange.Start start) {
                    started.put(start.job(), start);
                    lastJob = Math.max(lastJob, start.job());
                } else if (change instanceof PlanChange.Grow grow) {
                    // What a job reads only later it may as well have from the start: its ticks say what is read when.
                    started.computeIfPresent(grow.job(), (id, start) -> start.with(grow));
                } else if (change instanceof PlanChange.Stop stop) {
                    started.remove(stop.job());
                    failed.remove(stop.job());
                }
            } else if (record instanceof ControlRecord.Fail fail) {
                failed.put(Long.parseLong(fail.job()), fail);
            } else if (record instanceof ControlRecord.Commit commit) {
                committed.add(commit.tick());
            } else if (record instanceof ControlRecord.Bind bind) {
                lastTick = Math.max(lastTick, bind.tick());
                lastClock = Math.max(lastClock, bind.clockMicros());
            }
        }
        for (PlanChange.Start start : started.values()) {
            // A job of the same name but another plan has replaced it.
            if (start.plan().equals(wanted.get(start.name()))) {
                live.put(start.job(), start);
            } else {
                orphans.add(start);
            }
        }
        failed.keySet().retainAll(live.keySet());
        boolean coalesce =
                live.values().stream().noneMatch(job -> seesTicks(job.plan().root()));
        if (base != null) {
            for (JobImage job : base.jobs()) {
                PlanChange.Start start = live.get(job.start().job());
                if (start != null) {
                    steps.add(new Step.Start(start, job));
                }
            }
        }
        for (ControlRecord record : records) {
            if (record instanceof ControlRecord.Plan plan
                    && LogRecords.change(plan) instanceof PlanChange.Start start
                    && live.containsKey(start.job())) {
                steps.add(new Step.Start(java.util.Objects.requireNonNull(live.get(start.job())), null));
            } else if (record instanceof ControlRecord.Bind bind) {
                add(bind, committed.contains(bind.tick()), coalesce);
            }
        }
    }

    private void add(ControlRecord.Bind bind, boolean committed, boolean coalesce) {
        List<TickPlan.JobTick> jobs = LogRecords.jobs(bind, live).stream()
                .filter(j -> !failed.containsKey(j.job()))
                .toList();
        Step.Tick tick = new Step.Tick(bind.tick(), bind.clockMicros(), jobs, committed);
        if (coalesce
                && steps.peekLast() instanceof Step.Tick last
                && last.committed()
                && committed
                && mergeable(last, tick)) {
            steps.removeLast();
            steps.add(merge(last, tick));
        } else {
            steps.add(tick);
        }
    }

    private boolean mergeable(Step.Tick a, Step.Tick b) {
        if (a.jobs().size() != b.jobs().size() || rows(a) + rows(b) > COALESCED_ROWS) {
            return false;
        }
        for (int i = 0; i < a.jobs().size(); i++) {
            TickPlan.JobTick x = a.jobs().get(i);
            TickPlan.JobTick y = b.jobs().get(i);
            if (x.job() != y.job()) {
                return false;
            }
            // A table's writers are ordered tick by tick; with one writer in both ticks the order stays what it was.
            PlanChange.Start job = live.get(x.job());
            if (job != null && isKeyed(job.plan().root())) {
                SortedSet<Integer> writers = new TreeSet<>();
                x.ranges().forEach(r -> writers.add(r.split()));
                y.ranges().forEach(r -> writers.add(r.split()));
                if (writers.size() > 1) {
                    return false;
                }
            }
        }
        return true;
    }

    private static long rows(Step.Tick tick) {
        return tick.jobs().stream()
                .flatMap(j -> j.ranges().stream())
                .mapToLong(TickPlan.InputRange::rows)
                .sum();
    }

    private static Step.Tick merge(Step.Tick a, Step.Tick b) {
        List<TickPlan.JobTick> jobs = new ArrayList<>();
        for (int i = 0; i < a.jobs().size(); i++) {
            List<TickPlan.InputRange> ranges = new ArrayList<>(a.jobs().get(i).ranges());
            for (TickPlan.InputRange next : b.jobs().get(i).ranges()) {
                boolean merged = false;
                for (int r = 0; r < ranges.size() && !merged; r++) {
                    TickPlan.InputRange have = ranges.get(r);
                    if (have.reader() == next.reader() && have.split() == next.split() && have.to() == next.from()) {
                        ranges.set(
                                r,
                                new TickPlan.InputRange(
                                        have.reader(),
                                        have.split(),
                                        have.from(),
                                        next.to(),
                                        have.rows() + next.rows()));
                        merged = true;
                    }
                }
                if (!merged) {
                    ranges.add(next);
                }
            }
            jobs.add(new TickPlan.JobTick(
                    b.jobs().get(i).job(), ranges, b.jobs().get(i).watermarks()));
        }
        return new Step.Tick(b.tick(), b.clockMicros(), jobs, true);
    }

    static boolean isKeyed(PlanNode node) {
        return node instanceof PlanNode.Keyed || node.inputs().stream().anyMatch(Replay::isKeyed);
    }

    /** Whether a plan can tell ticks that were merged: by their clock, or by the watermark of the tick before, which late rows are judged by. */
    private static boolean seesTicks(PlanNode node) {
        boolean retained = (node instanceof PlanNode.Aggregate a && a.retention() != null)
                || (node instanceof PlanNode.TopN t && t.retention() != null)
                || (node instanceof PlanNode.SessionAssign s && s.retention() != null);
        return retained
                || node instanceof PlanNode.LateFilter
                || node instanceof PlanNode.WindowClose
                || seesTheClock(node)
                || node.inputs().stream().anyMatch(Replay::seesTicks);
    }

    private static boolean seesTheClock(PlanNode node) {
        boolean here = node instanceof PlanNode.Calc calc
                && (calc.projections().stream().anyMatch(Replay::seesTheClock)
                        || (calc.condition() != null && seesTheClock(calc.condition())));
        if (node instanceof PlanNode.Join join && join.residual() != null) {
            here |= seesTheClock(join.residual());
        }
        return here;
    }

    private static boolean seesTheClock(Expr expr) {
        return expr instanceof Expr.Call call
                && (call.function() == Function.TICK_TIME
                        || call.operands().stream().anyMatch(Replay::seesTheClock));
    }

    Deque<Step> steps() {
        return steps;
    }

    SortedMap<Long, ControlRecord.Fail> failed() {
        return failed;
    }

    /** Jobs that the log has and the catalog has not. */
    List<PlanChange.Start> orphans() {
        return orphans;
    }

    long epoch() {
        return epoch;
    }

    long lastTick() {
        return lastTick;
    }

    long lastJob() {
        return lastJob;
    }

    long lastPlan() {
        return lastPlan;
    }

    long lastClock() {
        return lastClock;
    }
}
