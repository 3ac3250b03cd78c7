package io.tailwater.server.engine;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.message.FromWorker;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.executor.runtime.Mailbox;
import io.tailwater.executor.runtime.OperatorFactory;
import io.tailwater.executor.runtime.Worker;
import io.tailwater.server.control.ApplicationMaster;
import io.tailwater.server.control.Command;
import io.tailwater.server.control.Event;
import io.tailwater.server.control.Manifest;
import io.tailwater.server.sql.CancelSignal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * The shell round an {@link ApplicationMaster}: one loop thread that feeds it events and does what it says, and the application's worker threads. Everybody
 * else posts events and waits for published progress. Thread-safe.
 */
final class Application implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Application.class);
    private static final Object STOP = new Object();
    private static final String ROLLBACK = "";

    private final String name;
    private final ApplicationMaster master;
    private final ApplicationLog log;
    private final StreamStorage streams;
    private final Views views;
    private final JobServices services;
    private final Clock clock;
    private final boolean syncTicks;
    private final @Nullable Snapshots snapshots;
    private final SpaceWait space;
    private final LinkedBlockingQueue<Object> inbox = new LinkedBlockingQueue<>();
    private final List<Mailbox> mailboxes = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CompletableFuture<@Nullable Void> recovered = new CompletableFuture<>();
    private final Map<String, CompletableFuture<@Nullable Void>> starting = new HashMap<>();
    private final Map<String, CompletableFuture<@Nullable Void>> stopping = new HashMap<>();
    private final Map<String, CompletableFuture<@Nullable Void>> dropping = new HashMap<>();
    private final Map<String, CompletableFuture<@Nullable Void>> rollingBack = new HashMap<>();
    private final BiConsumer<String, StreamException> onFailed;
    private final TickTimes tickTimes = new TickTimes();

    /** The snapshot that workers are asked for. Owned by the loop. */
    private @Nullable Manifest asked;

    /** Owned by the loop; negative if nobody waits. */
    private long wakeAfterMicros = -1;

    private final ReentrantLock lock = new ReentrantLock();
    /** Who waits for a snapshot that is yet to begin, and for the one under way. */
    private final List<CompletableFuture<@Nullable Void>> requested = new ArrayList<>();

    private final List<CompletableFuture<@Nullable Void>> awaited = new ArrayList<>();
    private final Condition changed = lock.newCondition();
    private final SortedMap<String, StreamException> failures = new TreeMap<>();
    private SortedMap<String, Command.Progress> progress = new TreeMap<>();
    private long tick;
    private @Nullable StreamException broken;
    private boolean closed;

    Application(
            String name,
            int workers,
            ApplicationLog log,
            StreamStorage streams,
            Views views,
            JobServices services,
            OperatorFactory operators,
            MemoryAccount memory,
            Clock clock,
            boolean syncTicks,
            ApplicationMaster.Pace pace,
            @Nullable Snapshots snapshots,
            long snapshotMicros,
            SpaceWait space,
            BiConsumer<String, StreamException> onFailed) {
        this.name = name;
        this.onFailed = onFailed;
        this.log = log;
        this.streams = streams;
        this.views = views;
        this.services = services;
        this.clock = clock;
        this.syncTicks = syncTicks;
        this.space = space;
        this.snapshots = snapshots;
        master = new ApplicationMaster(name, workers, pace, snapshots == null ? -1 : snapshotMicros);
        for (int i = 0; i < workers; i++) {
            mailboxes.add(new Mailbox());
        }
        for (int i = 0; i < workers; i++) {
            Worker worker = new Worker(
                    i, mailboxes, services, operators, memory, clock, message -> inbox.add(new Event.Worker(message)));
            threads.add(new Thread(worker, "worker-" + name + "-" + i));
        }
        threads.add(new Thread(this::loop, "master-" + name));
    }

    /** Recovers what snapshot and log say and runs from there. Returns when replay is over. */
    void start(ApplicationMaster.Recovery recovery) {
        inbox.add((Runnable) () -> execute(master.recover(recovery, clock.wallMicros())));
        threads.forEach(Thread::start);
        Futures.await(recovered);
    }

    private void loop() {
        try {
            while (true) {
                Object next = wakeAfterMicros < 0 ? inbox.take() : inbox.poll(wakeAfterMicros, TimeUnit.MICROSECONDS);
                wakeAfterMicros = -1;
                if (next == null) {
                    execute(master.decide(new Event.Woken(), clock.wallMicros()));
                } else if (next instanceof Event event) {
                    // Before the next one begins, which others wait for.
                    answerSnapshots(event);
                    execute(master.decide(event, clock.wallMicros()));
                } else if (next instanceof Runnable task) {
                    task.run();
                } else {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            // One of the two loops where everything is caught: whoever waits must hear of it.
            halt(e);
        }
    }

    private void answerSnapshots(Event event) {
        if (!(event instanceof Event.SnapshotCommitted) && !(event instanceof Event.SnapshotFailed)) {
            return;
        }
        List<CompletableFuture<@Nullable Void>> futures;
        lock.lock();
        try {
            futures = List.copyOf(awaited);
            awaited.clear();
        } finally {
            lock.unlock();
        }
        for (CompletableFuture<@Nullable Void> future : futures) {
            if (event instanceof Event.SnapshotFailed failed) {
                future.completeExceptionally(failed.cause());
            } else {
                future.complete(null);
            }
        }
    }

    /** The snapshot that begins is the one that they asked for. */
    private void beginSnapshot() {
        lock.lock();
        try {
            awaited.addAll(requested);
            requested.clear();
        } finally {
            lock.unlock();
        }
    }

    private void execute(List<Command> commands) {
        for (Command command : commands) {
            if (command instanceof Command.Append append) {
                append(append.record());
            } else if (command instanceof Command.SendAll send) {
                if (send.message() instanceof ToWorker.RunTick) {
                    tickTimes.started(clock.nanoTime());
                }
                mailboxes.forEach(m -> m.put(send.message()));
            } else if (command instanceof Command.Publish publish) {
                publish(publish);
                tickTimes.ended(clock.nanoTime());
            } else if (command instanceof Command.Started started) {
                complete(starting, started.name(), null);
            } else if (command instanceof Command.Stopped stopped) {
                stopped(stopped.name());
            } else if (command instanceof Command.Dropped dropped) {
                complete(dropping, dropped.stream(), null);
            } else if (command instanceof Command.Failed failed) {
                failed(failed.name(), failed.error());
            } else if (command instanceof Command.WakeAfter wake) {
                wakeAfterMicros = wake.micros();
            } else if (command instanceof Command.BeginSnapshot begin) {
                asked = begin.what().located(log.end(), streams.committed());
                beginSnapshot();
            } else if (command instanceof Command.WriteSnapshot write) {
                Objects.requireNonNull(snapshots).write(write, Objects.requireNonNull(asked), inbox::add);
            } else if (command instanceof Command.RolledBack) {
                complete(rollingBack, ROLLBACK, null);
            } else if (command instanceof Command.GiveUpSnapshot giveUp) {
                LOG.warn(
                        "there is no snapshot of application {} after tick {}",
                        name,
                        giveUp.what().tick(),
                        giveUp.cause());
                giveUp.state().forEach(StateRows::close);
                inbox.add(new Event.SnapshotFailed(giveUp.cause()));
            } else if (command instanceof Command.Recovered) {
                recovered.complete(null);
            } else if (command instanceof Command.Halt halt) {
                halt(halt.cause());
            } else {
                throw new AssertionError(command);
            }
        }
    }

    private void append(ControlRecord record) {
        // What a target outside may remember of a tick, a loss of power must not make us forget.
        boolean bindLasts = record instanceof ControlRecord.Bind && services.outlivesLog();
        if ((syncTicks && record instanceof ControlRecord.Commit) || bindLasts) {
            streams.sync();
        }
        if (recovered.isDone()) {
            space.append(() -> log.append(record));
        } else {
            // At start-up the operator waits for an answer.
            log.append(record);
        }
        if (syncTicks || bindLasts || record instanceof ControlRecord.Plan || record instanceof ControlRecord.Fail) {
            log.sync();
        }
        if (record instanceof ControlRecord.Commit commit) {
            for (ControlRecord.OutputCommit output : commit.outputs()) {
                streams.commit(output.stream(), output.ranges());
            }
        }
    }

    private void publish(Command.Publish publish) {
        views.publish(publish.tick(), publish.jobs());
        SortedMap<String, Command.Progress> next = new TreeMap<>();
        publish.jobs().forEach(p -> next.put(p.name(), p));
        lock.lock();
        try {
            progress = next;
            tick = publish.tick();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void complete(
            Map<String, CompletableFuture<@Nullable Void>> waiting, String job, @Nullable StreamException error) {
        CompletableFuture<@Nullable Void> future;
        lock.lock();
        try {
            future = waiting.remove(job);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (future != null) {
            if (error == null) {
                future.complete(null);
            } else {
                future.completeExceptionally(error);
            }
        }
    }

    private void stopped(String job) {
        lock.lock();
        try {
            failures.remove(job);
            SortedMap<String, Command.Progress> next = new TreeMap<>(progress);
            next.remove(job);
            progress = next;
        } finally {
            lock.unlock();
        }
        complete(stopping, job, null);
    }

    private void failed(String job, StreamException error) {
        LOG.warn("job {} of application {} failed: {}", job, name, error.getMessage(), error);
        lock.lock();
        try {
            failures.put(job, error);
            SortedMap<String, Command.Progress> next = new TreeMap<>(progress);
            next.remove(job);
            progress = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        onFailed.accept(job, error);
    }

    private void halt(Throwable cause) {
        LOG.error("application {} has stopped on an internal error", name, cause);
        StreamException error = cause instanceof StreamException known
                ? known
                : new StreamException(
                        ErrorCode.INTERNAL_ERROR,
                        "application " + name + " has stopped: " + cause,
                        -1,
                        "Restart the server; its state is rebuilt from the log. The server's log has the stack trace.",
                        cause);
        lock.lock();
        try {
            broken = error;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        failWaiting(error);
        recovered.completeExceptionally(error);
    }

    private void failWaiting(StreamException error) {
        List<CompletableFuture<@Nullable Void>> futures = new ArrayList<>();
        lock.lock();
        try {
            for (Map<String, CompletableFuture<@Nullable Void>> waiting :
                    List.of(starting, stopping, dropping, rollingBack)) {
                futures.addAll(waiting.values());
                waiting.clear();
            }
            futures.addAll(requested);
            futures.addAll(awaited);
            requested.clear();
            awaited.clear();
        } finally {
            lock.unlock();
        }
        futures.forEach(f -> f.completeExceptionally(error));
    }

    void startJob(Event.StartJob job) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        lock.lock();
        try {
            throwIfBroken();
            starting.put(job.name(), done);
            inbox.add(job);
        } finally {
            lock.unlock();
        }
        Futures.await(done);
    }

    /** Splits have come to a reader of a job. */
    void newSplits(Event.NewSplits splits) {
        inbox.add(splits);
    }

    /** Takes a snapshot that begins after the call; returns when it is what a restart goes on from, or nobody wants to wait any more. */
    void snapshot(CancelSignal cancel) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        lock.lock();
        try {
            throwIfBroken();
            requested.add(done);
            inbox.add(new Event.TakeSnapshot());
        } finally {
            lock.unlock();
        }
        cancel.onCancel(() -> done.completeExceptionally(
                new StreamException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request")));
        Futures.await(done);
    }

    /** Brings jobs back to a snapshot, one call at a time. */
    synchronized void rollback(Event.Rollback jobs) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        lock.lock();
        try {
            throwIfBroken();
            jobs.jobs().forEach(job -> failures.remove(job.image().start().name()));
            rollingBack.put(ROLLBACK, done);
            inbox.add(jobs);
        } finally {
            lock.unlock();
        }
        Futures.await(done);
    }

    /** Makes the log forget a stream, so that its storage may go. */
    void dropStream(String stream) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        lock.lock();
        try {
            throwIfBroken();
            dropping.put(stream, done);
            inbox.add(new Event.DropStream(stream));
        } finally {
            lock.unlock();
        }
        Futures.await(done);
    }

    void stopJob(String job) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        lock.lock();
        try {
            throwIfBroken();
            if (!progress.containsKey(job) && !failures.containsKey(job) && !starting.containsKey(job)) {
                // Known to the master perhaps, though not published yet: its answer decides.
                inbox.add((Runnable) () -> {
                    execute(master.decide(new Event.StopJob(job), clock.wallMicros()));
                    inbox.add((Runnable) () -> complete(stopping, job, null));
                });
            } else {
                inbox.add(new Event.StopJob(job));
            }
            stopping.put(job, done);
        } finally {
            lock.unlock();
        }
        Futures.await(done);
    }

    private void throwIfBroken() {
        if (broken != null) {
            throw broken;
        }
        if (closed) {
            throw new StreamException(ErrorCode.ADMIN_SHUTDOWN, "the server is shutting down");
        }
    }

    TickTimes tickTimes() {
        return tickTimes;
    }

    SortedMap<String, Command.Progress> progress() {
        lock.lock();
        try {
            return progress;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the job runs or has failed; not whether it exists in the catalog. */
    boolean knows(String job) {
        lock.lock();
        try {
            return progress.containsKey(job) || failures.containsKey(job);
        } finally {
            lock.unlock();
        }
    }

    long tick() {
        lock.lock();
        try {
            return tick;
        } finally {
            lock.unlock();
        }
    }

    int workers() {
        return mailboxes.size();
    }

    SortedMap<String, StreamException> failures() {
        lock.lock();
        try {
            return new TreeMap<>(failures);
        } finally {
            lock.unlock();
        }
    }

    /** The error of a failed job, or null. */
    @Nullable StreamException failure(String job) {
        lock.lock();
        try {
            return failures.get(job);
        } finally {
            lock.unlock();
        }
    }

    /** Lets waiters look again, because they are cancelled or time is up. */
    void wakeWaiters() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until a condition over published progress holds. The condition may throw.
     *
     * @param deadlineNanos on the engine's clock
     * @return false if the deadline passed first
     */
    boolean await(BooleanSupplier condition, long deadlineNanos) {
        lock.lock();
        try {
            while (!condition.getAsBoolean()) {
                throwIfBroken();
                long left = deadlineNanos - clock.nanoTime();
                if (left <= 0) {
                    return false;
                }
                long remaining =
                        changed.awaitNanos(Math.min(left, Duration.ofSeconds(1).toNanos()));
                if (remaining <= 0 && clock.nanoTime() >= deadlineNanos) {
                    return condition.getAsBoolean();
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ResultQueue.cancellation();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        inbox.add(STOP);
        // After STOP: what a worker says of a write that was given up is heard by nobody, and its tick runs again as it
        // was bound.
        space.stop();
        services.cancelWriters(null);
        mailboxes.forEach(m -> m.put(new ToWorker.Stop()));
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        failWaiting(new StreamException(ErrorCode.ADMIN_SHUTDOWN, "the server is shutting down"));
        if (snapshots != null) {
            snapshots.close();
        }
        master.abandon().forEach(StateRows::close);
        for (Object left = inbox.poll(); left != null; left = inbox.poll()) {
            if (left instanceof Event.Worker worker && worker.message() instanceof FromWorker.Captured captured) {
                captured.jobs().forEach(StateRows::close);
            }
        }
        log.sync();
        log.close();
    }
}
