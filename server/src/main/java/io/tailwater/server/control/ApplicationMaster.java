package io.tailwater.server.control;

import io.tailwater.api.message.FromWorker;
import io.tailwater.api.message.TickPlan;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.snapshot.StateOrigin;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Steps one application through its ticks.
 *
 * <p>{@code Idle -> (input offered) BIND, RunTick -> Running -> (all workers done) COMMIT, Publish -> Idle}; where external sinks took part, {@code COMMIT, Committed ->
 * Settling -> (all workers settled) Publish -> Idle}. Jobs start and stop between ticks. No tick runs
 * before its BIND is in the log, none is visible before its COMMIT is; the clock never goes back; tick numbers only grow. After a restart the log is replayed
 * with outputs muted through the last COMMIT, a tick bound but not committed runs again as bound, and only then new input is bound.
 *
 * <p>Owned by the application's loop; not thread-safe.
 */
public final class ApplicationMaster {
    private static final long FIRST_OFFER_ROWS = 1 << 14;
    private static final long MOST_OFFER_ROWS = 1 << 20;

    private final String name;
    private final int workers;
    private final Pace pace;
    private final SnapshotCycle snapshots;
    private final SortedMap<Long, MasterJob> jobs = new TreeMap<>();
    private final Deque<Event> waiting = new ArrayDeque<>();
    private Deque<Replay.Step> replay = new ArrayDeque<>();
    private boolean recovering = true;
    private boolean caughtUp;
    private boolean rollingBack;
    /** Answers to {@link ToWorker.CatchUp} that are to come. */
    private int behind;

    private long epoch;
    private long lastTick;
    private long lastJob;
    private long lastClock;
    private long planVersion;
    private long lastBind = Long.MIN_VALUE / 2;
    private long offerRows = FIRST_OFFER_ROWS;
    private @Nullable Running running;

    /**
     * How ticks are spaced and sized.
     *
     * @param leastMicros between the starts of two ticks; the first after a pause starts at once
     * @param targetNanos that a tick should take when input waits
     */
    public record Pace(long leastMicros, long targetNanos) {}

    /** @param snapshotMicros between two snapshots, or -1 to take none */
    public ApplicationMaster(String name, int workers, Pace pace, long snapshotMicros) {
        this.name = name;
        this.workers = workers;
        this.pace = pace;
        snapshots = new SnapshotCycle(workers, snapshotMicros);
    }

    /**
     * What there is to take over.
     *
     * @param base snapshot to go on from, or null
     * @param manifest its name, or empty
     * @param records of the log that the snapshot does not cover: without one, all
     * @param wanted plans of the jobs that the catalog knows, by name; others of the log are stopped
     * @param times how event time advances, per reader of each job of the log that is wanted
     * @param images jobs as the snapshots have them that others began from
     */
    public record Recovery(
            @Nullable Manifest base,
            String manifest,
            List<ControlRecord> records,
            SortedMap<String, JobPlan> wanted,
            EventTimes times,
            Images images) {}

    /** Takes over the application. */
    public List<Command> recover(Recovery from, long wallMicros) {
        Manifest base = from.base();
        List<ControlRecord> records = from.records();
        List<Command> out = new ArrayList<>();
        Replay log = new Replay(base, records, from.wanted());
        if (base != null) {
            snapshots.restored(base);
        }
        epoch = log.epoch() + 1;
        lastTick = log.lastTick();
        lastJob = log.lastJob();
        lastClock = log.lastClock();
        planVersion = log.lastPlan();
        replay = log.steps();
        out.add(new Command.Append(new ControlRecord.Owner(epoch, Math.max(lastClock, wallMicros))));
        for (PlanChange.Start orphan : log.orphans()) {
            out.add(change(new PlanChange.Stop(orphan.job())));
        }
        for (Replay.Step step : replay) {
            if (step instanceof Replay.Step.Start start) {
                MasterJob job = restarted(start, from);
                jobs.put(job.id(), job);
                ControlRecord.Fail fail = log.failed().get(job.id());
                if (fail != null) {
                    StreamException error = new StreamException(errorCode(fail.sqlState()), fail.message());
                    job.fail(error);
                    out.add(new Command.Failed(job.name(), job.id(), error));
                }
            }
        }
        for (ControlRecord record : records) {
            if (record instanceof ControlRecord.Commit commit) {
                for (ControlRecord.SinkCommit sink : commit.sinks()) {
                    MasterJob job = jobs.get(Long.parseLong(sink.job()));
                    if (job != null) {
                        job.replayCommit(sink);
                    }
                }
            }
        }
        proceed(out, wallMicros);
        return out;
    }

    private MasterJob restarted(Replay.Step.Start step, Recovery from) {
        PlanChange.Start start = step.job();
        List<EventTime> eventTimes = from.times().of(start.name(), start.plan());
        if (step.image() != null) {
            return new MasterJob(step.image(), start, eventTimes, workers, from.manifest());
        }
        StateOrigin origin = start.origin();
        if (origin == null) {
            return new MasterJob(start, eventTimes, workers);
        }
        snapshots.requestAll();
        return new MasterJob(from.images().of(origin), start, eventTimes, workers, origin.manifest());
    }

    /** Jobs as snapshots have them. */
    @FunctionalInterface
    public interface Images {
        JobImage of(StateOrigin origin);
    }

    /** How event time of a job's readers advances, looked up anew because the catalog says so. */
    @FunctionalInterface
    public interface EventTimes {
        List<EventTime> of(String name, JobPlan plan);
    }

    /** The one entry point once {@link #recover} was called. */
    public List<Command> decide(Event event, long wallMicros) {
        List<Command> out = new ArrayList<>();
        if (event instanceof Event.Worker worker) {
            fromWorker(worker.message(), out);
        } else if (event instanceof Event.SnapshotCommitted snapshot) {
            snapshots.committed(snapshot.what(), wallMicros);
        } else if (event instanceof Event.SnapshotFailed) {
            snapshots.failed(wallMicros);
        } else if (event instanceof Event.TakeSnapshot) {
            snapshots.request();
        } else if (!(event instanceof Event.Woken)) {
            waiting.add(event);
        }
        proceed(out, wallMicros);
        return out;
    }

    private void fromWorker(FromWorker message, List<Command> out) {
        if (message instanceof FromWorker.Offers offers) {
            offers.offers().forEach(this::offer);
        } else if (message instanceof FromWorker.Done done) {
            Running tick = running;
            if (tick == null || tick.plan.tick() != done.tick()) {
                throw new AssertionError(
                        "worker " + done.worker() + " ended tick " + done.tick() + ", which does not run");
            }
            tick.done(done);
            done.offers().forEach(this::offer);
            if (tick.complete()) {
                commit(tick, out);
            }
        } else if (message instanceof FromWorker.Captured captured) {
            Command write = snapshots.captured(captured);
            if (write != null) {
                out.add(write);
            }
        } else if (message instanceof FromWorker.CaughtUp) {
            behind--;
        } else if (message instanceof FromWorker.Settled settled) {
            Running tick = running;
            if (tick == null || tick.plan.tick() != settled.tick() || !tick.settling) {
                throw new AssertionError("worker " + settled.worker() + " settled tick " + settled.tick());
            }
            tick.missing--;
            if (tick.complete()) {
                end(tick, out);
            }
        } else if (message instanceof FromWorker.Failed failed) {
            MasterJob job = jobs.get(failed.job());
            if (job != null && !job.failed()) {
                job.fail(failed.error());
                if (running == null) {
                    detach(job, failed.error(), out);
                } else {
                    running.failed.add(job.id());
                }
            }
        } else if (message instanceof FromWorker.Broken broken) {
            out.add(new Command.Halt(broken.cause()));
        } else {
            throw new AssertionError(message);
        }
    }

    private void offer(FromWorker.Offer offer) {
        MasterJob job = jobs.get(offer.job());
        if (job != null && !recovering) {
            job.offer(offer);
        }
    }

    private void commit(Running tick, List<Command> out) {
        long number = tick.plan.tick();
        adapt(tick);
        // Before the COMMIT: it leaves the failed jobs' output out, so a crash in between must not bring them back.
        detachFailed(tick, out);
        // In replay too, so that the counts go on from where they were.
        for (TickPlan.JobTick entry : tick.plan.jobs()) {
            MasterJob job = jobs.get(entry.job());
            if (job != null && !job.failed()) {
                tick.count(job);
            }
        }
        if (!tick.plan.muted()) {
            List<ControlRecord.OutputCommit> outputs = new ArrayList<>();
            List<ControlRecord.SinkCommit> sinks = new ArrayList<>();
            for (TickPlan.JobTick entry : tick.plan.jobs()) {
                MasterJob job = jobs.get(entry.job());
                if (job != null && !job.failed()) {
                    LogRecords.outcome(job, tick.done, outputs, sinks);
                }
            }
            out.add(new Command.Append(new ControlRecord.Commit(epoch, number, outputs, sinks)));
            if (!sinks.isEmpty()) {
                // Who waits for the tick may look at what the sinks wrote, so it is not over before they show it.
                tick.settling = true;
                tick.missing = workers;
                out.add(new Command.SendAll(new ToWorker.Committed(number)));
                return;
            }
        }
        end(tick, out);
    }

    private void end(Running tick, List<Command> out) {
        running = null;
        detachFailed(tick, out);
        snapshots.changed();
        if (!recovering || replay.isEmpty()) {
            out.add(new Command.Publish(tick.plan.tick(), progress()));
        }
    }

    private void detachFailed(Running tick, List<Command> out) {
        for (long id : tick.failed) {
            MasterJob job = jobs.get(id);
            if (job != null) {
                detach(job, job.error(), out);
            }
        }
        tick.failed.clear();
    }

    private List<Command.Progress> progress() {
        return jobs.values().stream()
                .filter(j -> !j.failed())
                .map(MasterJob::progress)
                .toList();
    }

    private void detach(MasterJob job, StreamException error, List<Command> out) {
        out.add(new Command.Append(new ControlRecord.Fail(
                epoch,
                lastTick,
                LogRecords.key(job.id()),
                error.code().sqlState(),
                String.valueOf(error.getMessage()))));
        out.add(new Command.SendAll(new ToWorker.Undeploy(job.id())));
        out.add(new Command.Failed(job.name(), job.id(), error));
    }

    /** Ticks widen while input waits and they stay short, and shrink again when they get long or input is caught up. */
    private void adapt(Running tick) {
        long most = 0;
        for (TickPlan.JobTick job : tick.plan.jobs()) {
            for (TickPlan.InputRange range : job.ranges()) {
                most = Math.max(most, range.rows());
            }
        }
        boolean behind = most >= offerRows / 2;
        if (behind && tick.longest < pace.targetNanos() / 2) {
            offerRows = Math.min(offerRows * 2, MOST_OFFER_ROWS);
        } else if (!behind || tick.longest > 2 * pace.targetNanos()) {
            offerRows = Math.max(offerRows / 2, FIRST_OFFER_ROWS);
        }
    }

    private void proceed(List<Command> out, long wallMicros) {
        while (running == null && recovering && behind == 0) {
            replayStep(out);
        }
        if (recovering) {
            return;
        }
        if (running == null && behind == 0 && rollingBack) {
            rollingBack = false;
            out.add(new Command.Publish(lastTick, progress()));
            out.add(new Command.RolledBack());
        }
        while (running == null && !waiting.isEmpty()) {
            Event event = waiting.remove();
            if (event instanceof Event.StartJob start) {
                start(start, out);
            } else if (event instanceof Event.NewSplits more) {
                grow(more, out);
            } else if (event instanceof Event.StopJob stop) {
                stop(stop, out);
            } else if (event instanceof Event.Rollback rollback) {
                rollback(rollback, out);
            } else if (event instanceof Event.DropStream drop) {
                out.add(change(new PlanChange.Drop(drop.stream())));
                out.add(new Command.Dropped(drop.stream()));
            } else {
                throw new AssertionError(event);
            }
        }
        if (running == null && snapshots.isDue(wallMicros)) {
            snapshot(out, wallMicros);
        }
        if (running == null && jobs.values().stream().anyMatch(job -> job.wantsTick(wallMicros))) {
            long wait = lastBind + pace.leastMicros() - wallMicros;
            // A clock that was set back must not stop the ticks.
            if (wait > 0 && wait <= pace.leastMicros()) {
                out.add(new Command.WakeAfter(wait));
            } else {
                lastBind = wallMicros;
                bind(out, wallMicros);
            }
        } else if (running == null) {
            // A split that falls idle lets the watermark go on although no input comes.
            long idle =
                    jobs.values().stream().mapToLong(MasterJob::nextIdle).min().orElse(Long.MAX_VALUE);
            long next = Math.min(idle, snapshots.dueMicros());
            if (next != Long.MAX_VALUE) {
                out.add(new Command.WakeAfter(Math.max(1, next - wallMicros)));
            }
        }
    }

    private void replayStep(List<Command> out) {
        Replay.Step step = replay.poll();
        if (step == null && !caughtUp) {
            // What was restored without a tick after it must be there before anybody is let in.
            caughtUp = true;
            catchUp(out);
        } else if (step == null) {
            recovering = false;
            out.add(new Command.Publish(lastTick, progress()));
            out.add(new Command.Recovered());
            out.add(new Command.SendAll(new ToWorker.Poll(offerRows)));
        } else if (step instanceof Replay.Step.Start start) {
            MasterJob job = jobs.get(start.job().job());
            caughtUp = false;
            if (job != null && !job.failed()) {
                out.add(new Command.SendAll(job.deployment(!snapshots.isOff())));
            }
        } else if (step instanceof Replay.Step.Tick tick) {
            if (!tick.committed() && tick.jobs().stream().anyMatch(this::writesOutside)) {
                if (!caughtUp) {
                    replay.addFirst(step);
                    caughtUp = true;
                    catchUp(out);
                    return;
                }
                // It may wait for a target that is away, which must not keep the server from starting.
                out.add(new Command.Publish(tick.tick() - 1, progress()));
                out.add(new Command.Recovered());
            }
            for (TickPlan.JobTick entry : tick.jobs()) {
                MasterJob job = jobs.get(entry.job());
                if (job != null) {
                    job.replayBind(entry, tick.clockMicros());
                }
            }
            run(new TickPlan(tick.tick(), tick.clockMicros(), tick.committed(), alive(tick.jobs()), offerRows), out);
        } else {
            throw new AssertionError(step);
        }
    }

    private boolean writesOutside(TickPlan.JobTick entry) {
        MasterJob job = jobs.get(entry.job());
        return job != null && !job.failed() && job.definition().plan().sink() instanceof JobPlan.Sink.Connector;
    }

    private List<TickPlan.JobTick> alive(List<TickPlan.JobTick> entries) {
        return entries.stream()
                .filter(e -> jobs.containsKey(e.job()) && !jobs.get(e.job()).failed())
                .toList();
    }

    private void start(Event.StartJob start, List<Command> out) {
        lastJob++;
        PlanChange.Start record = new PlanChange.Start(
                lastJob, start.name(), start.plan(), start.zone(), start.splits(), start.positions(), null);
        MasterJob job = new MasterJob(record, start.times(), workers);
        jobs.put(job.id(), job);
        out.add(change(record));
        out.add(new Command.SendAll(job.deployment(!snapshots.isOff())));
        out.add(new Command.SendAll(new ToWorker.Poll(offerRows)));
        out.add(new Command.Started(job.name(), job.id()));
    }

    private void grow(Event.NewSplits more, List<Command> out) {
        MasterJob job = jobs.get(more.job());
        if (job == null || job.failed()) {
            return;
        }
        List<String> have = job.definition().splits().get(more.reader());
        List<String> added =
                more.splits().stream().filter(s -> !have.contains(s)).toList();
        if (added.isEmpty()) {
            return;
        }
        PlanChange.Grow record = new PlanChange.Grow(job.id(), more.reader(), added);
        job.grow(record);
        out.add(change(record));
        out.add(new Command.SendAll(new ToWorker.AddSplits(job.id(), more.reader(), have.size(), added)));
    }

    private void stop(Event.StopJob stop, List<Command> out) {
        for (MasterJob job : named(stop.name())) {
            end(job, out);
            out.add(new Command.Stopped(job.name(), job.id()));
        }
    }

    private List<MasterJob> named(String name) {
        return jobs.values().stream().filter(j -> j.name().equals(name)).toList();
    }

    private void end(MasterJob job, List<Command> out) {
        jobs.remove(job.id());
        out.add(change(new PlanChange.Stop(job.id())));
        out.add(new Command.SendAll(new ToWorker.Undeploy(job.id())));
    }

    private void rollback(Event.Rollback event, List<Command> out) {
        for (int i = event.jobs().size() - 1; i >= 0; i--) {
            named(event.jobs().get(i).image().start().name()).forEach(job -> end(job, out));
        }
        for (Event.Restart restart : event.jobs()) {
            lastJob++;
            PlanChange.Start was = restart.image().start();
            PlanChange.Start record = new PlanChange.Start(
                    lastJob,
                    was.name(),
                    was.plan(),
                    was.zone(),
                    was.splits(),
                    was.positions(),
                    new StateOrigin(restart.manifest(), was.job()));
            MasterJob job = new MasterJob(restart.image(), record, restart.times(), workers, restart.manifest());
            jobs.put(job.id(), job);
            out.add(change(record));
            out.add(new Command.SendAll(job.deployment(!snapshots.isOff())));
        }
        out.add(new Command.SendAll(new ToWorker.Poll(offerRows)));
        // Until a snapshot has them, a restart needs the one that they come from.
        snapshots.requestAll();
        rollingBack = true;
        catchUp(out);
    }

    private void catchUp(List<Command> out) {
        behind += workers;
        out.add(new Command.SendAll(new ToWorker.CatchUp()));
    }

    private void bind(List<Command> out, long wallMicros) {
        lastTick++;
        lastClock = Math.max(lastClock, wallMicros);
        List<TickPlan.JobTick> entries = new ArrayList<>();
        for (MasterJob job : jobs.values()) {
            if (!job.failed()) {
                entries.add(job.bind(lastClock));
            }
        }
        out.add(new Command.Append(LogRecords.bind(
                epoch,
                lastTick,
                planVersion,
                lastClock,
                entries,
                id -> java.util.Objects.requireNonNull(jobs.get(id)).definition())));
        run(new TickPlan(lastTick, lastClock, false, entries, offerRows), out);
    }

    /** Between two ticks: all workers tell the state after the same one. */
    private void snapshot(List<Command> out, long wallMicros) {
        Manifest what = Manifest.of(
                name,
                epoch,
                lastTick,
                lastClock,
                wallMicros,
                lastJob,
                planVersion,
                workers,
                jobs.values().stream().map(MasterJob::image).toList(),
                snapshots.chain());
        out.add(new Command.BeginSnapshot(what));
        out.add(new Command.SendAll(new ToWorker.Snapshot(lastTick, snapshots.begin(what, wallMicros))));
    }

    /** State that workers have told and that goes nowhere any more, because the application ends. The caller owns it. */
    public List<StateRows> abandon() {
        return snapshots.abandon();
    }

    private Command change(PlanChange change) {
        planVersion++;
        snapshots.changed();
        return new Command.Append(LogRecords.plan(epoch, planVersion, lastTick + 1, change));
    }

    private static ErrorCode errorCode(String sqlState) {
        for (ErrorCode code : ErrorCode.values()) {
            if (code.sqlState().equals(sqlState)) {
                return code;
            }
        }
        return ErrorCode.INTERNAL_ERROR;
    }

    private void run(TickPlan plan, List<Command> out) {
        running = new Running(plan, workers);
        out.add(new Command.SendAll(new ToWorker.RunTick(plan)));
    }

    /** The tick under way. */
    private static final class Running {
        private final TickPlan plan;
        private final List<FromWorker.Done> done = new ArrayList<>();
        private final SortedSet<Long> failed = new TreeSet<>();
        private int missing;
        /** The COMMIT is logged; workers are making it visible outside. */
        private boolean settling;

        private long longest;

        Running(TickPlan plan, int workers) {
            this.plan = plan;
            missing = workers;
        }

        void done(FromWorker.Done message) {
            if (done.stream().anyMatch(d -> d.worker() == message.worker())) {
                throw new AssertionError("worker " + message.worker() + " ended tick " + message.tick() + " twice");
            }
            done.add(message);
            done.sort(Comparator.comparingInt(FromWorker.Done::worker));
            longest = Math.max(longest, message.busyNanos());
            missing--;
        }

        boolean complete() {
            return missing == 0;
        }

        void count(MasterJob job) {
            for (FromWorker.Done message : done) {
                for (FromWorker.JobOutcome outcome : message.jobs()) {
                    if (outcome.job() == job.id()) {
                        job.outcome(message.worker(), outcome);
                    }
                }
            }
        }
    }
}
