package io.tailwater.executor.runtime;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.message.FromWorker;
import io.tailwater.api.message.TickPlan;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.executor.operator.Tick;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One of an application's threads. It runs its share of every job, tick by tick: rows from its splits and its peers go through the operators as they
 * come, and when every job has ended the tick it says so to the master and offers what its splits have next.
 *
 * <p>A data error fails the job it happened in, here and at the peers; other jobs go on. Anything else ends the worker ({@link FromWorker.Broken}).
 */
public final class Worker implements Runnable {
    /** Rows a source step reads before the mailbox is looked at again. */
    private static final long STEP_ROWS = 8192;

    private final int index;
    private final Mailbox mailbox;
    private final List<Mailbox> peers;
    private final WorkerServices services;
    private final OperatorFactory operators;
    private final MemoryAccount memory;
    private final Clock clock;
    private final Consumer<FromWorker> master;
    private final SortedMap<Long, WorkerJob> jobs = new TreeMap<>();
    private final ArrayDeque<WorkerJob.SourceWork> work = new ArrayDeque<>();
    private final List<ToWorker> early = new ArrayList<>();
    private @Nullable TickPlan running;
    private long lastTick = Long.MIN_VALUE;
    private long tickStart;
    private long offerRows = 1 << 14;
    private boolean polling;
    private boolean stopped;

    /**
     * @param peers the mailboxes of all workers, this one's included, by worker number
     * @param master must only enqueue
     */
    public Worker(
            int index,
            List<Mailbox> peers,
            WorkerServices services,
            OperatorFactory operators,
            MemoryAccount memory,
            Clock clock,
            Consumer<FromWorker> master) {
        this.index = index;
        this.peers = List.copyOf(peers);
        this.mailbox = peers.get(index);
        this.services = services;
        this.operators = operators;
        this.memory = memory;
        this.clock = clock;
        this.master = master;
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                step();
            }
        } catch (RuntimeException | Error e) {
            master.accept(new FromWorker.Broken(index, e));
        } finally {
            jobs.values().forEach(WorkerJob::close);
            for (ToWorker message = mailbox.poll(); message != null; message = mailbox.poll()) {
                discard(message);
            }
            early.forEach(Worker::discard);
        }
    }

    private static void discard(ToWorker message) {
        if (message instanceof ToWorker.Data data) {
            data.batch().close();
        }
    }

    private void step() {
        ToWorker message = mailbox.poll();
        if (message != null) {
            handle(message);
            return;
        }
        WorkerJob.SourceWork next = work.peek();
        if (next != null) {
            source(next);
            return;
        }
        if (running != null) {
            mailbox.await(1_000_000_000L);
            return;
        }
        long patience = polling ? pollInputs() : Long.MAX_VALUE;
        if (patience > 0) {
            mailbox.await(Math.min(patience, 1_000_000_000L));
        }
    }

    private void handle(ToWorker message) {
        if (message instanceof ToWorker.Data data) {
            exchange(data.tick(), data.job(), data);
        } else if (message instanceof ToWorker.End end) {
            exchange(end.tick(), end.job(), end);
        } else if (message instanceof ToWorker.PeerFailed failed) {
            exchange(failed.tick(), failed.job(), failed);
        } else if (message instanceof ToWorker.RunTick tick) {
            begin(tick.plan());
        } else if (message instanceof ToWorker.Committed committed) {
            settle(committed.tick());
        } else if (message instanceof ToWorker.Deploy deploy) {
            deploy(deploy);
        } else if (message instanceof ToWorker.Undeploy undeploy) {
            WorkerJob job = jobs.remove(undeploy.job());
            if (job != null) {
                job.fail(); // whoever still reads its view must notice
            }
        } else if (message instanceof ToWorker.AddSplits more) {
            WorkerJob job = jobs.get(more.job());
            if (job != null && !job.failed()) {
                guard(job, () -> job.addSplits(more, index, peers.size(), mailbox::wake));
            }
        } else if (message instanceof ToWorker.Snapshot snapshot) {
            capture(snapshot);
        } else if (message instanceof ToWorker.CatchUp) {
            master.accept(new FromWorker.CaughtUp(index));
        } else if (message instanceof ToWorker.Poll poll) {
            polling = true;
            offerRows = poll.offerRows();
            jobs.values().forEach(WorkerJob::forgetOffers);
        } else if (message instanceof ToWorker.Stop) {
            stopped = true;
        } else {
            throw new AssertionError(message);
        }
    }

    private void deploy(ToWorker.Deploy deploy) {
        try {
            WorkerJob job = new WorkerJob(
                    deploy,
                    index,
                    peers.size(),
                    services,
                    operators,
                    memory,
                    jobs,
                    new Outbox(deploy.job()),
                    mailbox::wake);
            jobs.put(deploy.job(), job);
        } catch (RuntimeException | AssertionError | StackOverflowError | LinkageError e) {
            master.accept(new FromWorker.Failed(index, deploy.job(), asDataError(deploy.name(), e)));
        }
    }

    private void settle(long tick) {
        for (WorkerJob job : jobs.values()) {
            if (!job.failed()) {
                guard(job, () -> job.instance().sink().committed(tick));
            }
        }
        master.accept(new FromWorker.Settled(index, tick));
    }

    private void capture(ToWorker.Snapshot snapshot) {
        long begun = clock.nanoTime();
        List<StateRows> out = new ArrayList<>();
        long held = 0;
        StreamException error = null;
        for (WorkerJob job : jobs.values()) {
            if (job.failed() || !job.tracked() || error != null) {
                continue;
            }
            try {
                out.add(job.capture(snapshot.full()));
                held += job.instance().stateRows();
            } catch (RuntimeException | AssertionError e) {
                // The job itself goes on: it is the snapshot that there is no memory for.
                error = asDataError(job.name(), e);
            }
        }
        if (error != null) {
            out.forEach(StateRows::close);
            out.clear();
        }
        master.accept(new FromWorker.Captured(index, snapshot.tick(), out, error, held, clock.nanoTime() - begun));
    }

    private void begin(TickPlan plan) {
        if (running != null) {
            throw new AssertionError("tick " + plan.tick() + " while " + running.tick() + " runs");
        }
        running = plan;
        tickStart = clock.nanoTime();
        offerRows = plan.offerRows();
        for (TickPlan.JobTick input : plan.jobs()) {
            WorkerJob job = jobs.get(input.job());
            if (job == null || job.failed()) {
                // It failed here before the tick: peers must not wait for its rows.
                tellPeers(plan.tick(), input.job());
                continue;
            }
            guard(
                    job,
                    () -> job.begin(
                            new Tick(plan.tick(), plan.clockMicros(), input.watermarks()), plan.muted(), input, work));
        }
        List<ToWorker> waiting = new ArrayList<>(early);
        early.clear();
        waiting.forEach(this::handle);
        settle();
    }

    /** A peer's message: for the tick under way, for one this worker has yet to begin, or for one that is past (of a failed job). */
    private void exchange(long tick, long jobId, ToWorker message) {
        TickPlan now = running;
        if (tick > (now == null ? lastTick : now.tick())) {
            early.add(message);
            return;
        }
        WorkerJob job = jobs.get(jobId);
        if (now == null || tick < now.tick() || job == null || job.failed()) {
            discard(message);
            return;
        }
        if (message instanceof ToWorker.Data data) {
            guard(job, () -> job.instance().receive(data.exchange(), data.batch()));
            if (job.failed()) {
                settle(); // no message of this job will do it: from now on they are discarded
            }
        } else if (message instanceof ToWorker.End end) {
            guard(job, () -> job.instance().receiveEnd(end.exchange()));
            settle();
        } else if (message instanceof ToWorker.PeerFailed) {
            job.fail();
            work.removeIf(w -> w.job() == job);
            settle();
        } else {
            throw new AssertionError(message);
        }
    }

    private void source(WorkerJob.SourceWork next) {
        guard(next.job(), () -> {
            if (next.step(STEP_ROWS)) {
                work.remove();
                next.job().rangeDone(next.reader());
            }
        });
        settle();
    }

    /** Runs a step of a job; a data error fails the job here, and tells peers and master. */
    private void guard(WorkerJob job, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | AssertionError | StackOverflowError | LinkageError e) {
            failed(job, asDataError(job.name(), e));
        }
    }

    /** Whatever a job's own code threw is that job's failure, not the worker's. */
    private static StreamException asDataError(String job, Throwable cause) {
        return cause instanceof StreamException known
                ? known
                : new StreamException(
                        ErrorCode.INTERNAL_ERROR,
                        "internal error in job " + job + ": " + cause,
                        -1,
                        "This is a bug; the log has the stack trace.",
                        cause);
    }

    private void failed(WorkerJob job, StreamException error) {
        job.fail();
        work.removeIf(w -> w.job() == job);
        master.accept(new FromWorker.Failed(index, job.id(), error));
        TickPlan now = running;
        if (now != null) {
            tellPeers(now.tick(), job.id());
        }
    }

    private void tellPeers(long tick, long job) {
        for (int peer = 0; peer < peers.size(); peer++) {
            if (peer != index) {
                peers.get(peer).put(new ToWorker.PeerFailed(tick, job));
            }
        }
    }

    /** Hands finished views to their readers, and ends the tick if all jobs have. */
    private void settle() {
        TickPlan now = running;
        if (now == null) {
            return;
        }
        boolean all = true;
        for (TickPlan.JobTick entry : now.jobs()) {
            WorkerJob job = jobs.get(entry.job());
            if (job == null || job.failed()) {
                continue;
            }
            for (WorkerJob.ViewInput input : job.waitingViews()) {
                if (job.failed()) {
                    break;
                }
                WorkerJob source = input.source();
                if (source.failed()) {
                    failed(
                            job,
                            new StreamException(
                                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                                    "its input " + source.name() + " has failed"));
                    break;
                }
                if (source.instance().done()) {
                    guard(job, () -> job.deliver(input));
                }
            }
            all &= job.failed() || job.instance().done();
        }
        if (all && work.isEmpty()) {
            finish(now);
        }
    }

    private void finish(TickPlan plan) {
        List<FromWorker.JobOutcome> outcomes = new ArrayList<>();
        for (TickPlan.JobTick entry : plan.jobs()) {
            WorkerJob job = jobs.get(entry.job());
            if (job != null && !job.failed()) {
                outcomes.add(job.outcome());
            }
        }
        for (WorkerJob job : jobs.values()) {
            job.releaseDelta();
        }
        running = null;
        lastTick = plan.tick();
        List<FromWorker.Offer> offers = polling ? offers(true) : List.of();
        master.accept(new FromWorker.Done(index, plan.tick(), outcomes, offers, clock.nanoTime() - tickStart));
    }

    /** Looks at the inputs between ticks. Returns how long there is nothing to do, in nanoseconds. */
    private long pollInputs() {
        List<FromWorker.Offer> offers = offers(false);
        if (!offers.isEmpty()) {
            master.accept(new FromWorker.Offers(index, offers));
        }
        long patience = Long.MAX_VALUE;
        for (WorkerJob job : jobs.values()) {
            patience = Math.min(patience, job.nextPollNanos());
        }
        return patience;
    }

    private List<FromWorker.Offer> offers(boolean afterTick) {
        List<FromWorker.Offer> out = new ArrayList<>();
        for (WorkerJob job : jobs.values()) {
            if (!job.failed()) {
                guard(job, () -> job.offers(offerRows, out));
            }
        }
        return afterTick || !out.isEmpty() ? out : Collections.emptyList();
    }

    /** This worker's way to its peers for one job's exchanges. */
    private final class Outbox implements Peers {
        private final long job;

        Outbox(long job) {
            this.job = job;
        }

        @Override
        public void data(int to, int exchange, ColumnBatch batch) {
            peers.get(to).put(new ToWorker.Data(tick(), job, exchange, batch));
        }

        @Override
        public void end(int to, int exchange) {
            peers.get(to).put(new ToWorker.End(tick(), job, exchange));
        }

        private long tick() {
            TickPlan now = running;
            if (now == null) {
                throw new AssertionError("an exchange between ticks");
            }
            return now.tick();
        }
    }
}
