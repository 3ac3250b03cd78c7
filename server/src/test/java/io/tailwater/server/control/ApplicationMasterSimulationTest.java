package io.tailwater.server.control;

import io.tailwater.api.batch.Hashing;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.message.FromWorker;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.api.message.TickPlan;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.StateOrigin;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.snapshot.SnapshotChain;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the master against simulated workers that answer late and in any order, fail jobs, and lose everything but the log in crashes. After each step the
 * log must tell one story.
 */
final class ApplicationMasterSimulationTest {
    /** Splits that a job has from the start, and that it may come to have. */
    private static final int SPLITS = 3;

    private static final int MOST_SPLITS = 6;
    private static final List<String> NAMES = List.of("a", "b", "c", "d".repeat(100), "e", "f".repeat(100));

    @Property(tries = 300)
    void everyInputRowIsCommittedOnceWhateverCrashes(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int workers) {
        World world = new World(seed, workers);
        world.start();
        for (int step = 0; step < 400; step++) {
            world.step();
        }
        world.settle();
        world.checkAllInputCommitted();
    }

    private static JobPlan plan(String name) {
        PlanNode scan = new PlanNode.Scan(
                0,
                PlanNode.ScanKind.STREAM,
                ObjectName.inPublic("s_" + name),
                List.of(0),
                Schema.of(new Column("x", DataType.BIGINT)),
                Traits.NONE);
        ObjectName target = ObjectName.inPublic("out_" + name);
        return new JobPlan(
                scan,
                isExternal(name) ? new JobPlan.Sink.Connector(target) : new JobPlan.Sink.Stream(target, List.of()));
    }

    /** Every third job writes to the outside. */
    private static boolean isExternal(String name) {
        return name.endsWith("0") || name.endsWith("3") || name.endsWith("6");
    }

    private static final class World {
        private final Random random;
        private final int workers;
        private final List<ControlRecord> log = new ArrayList<>();
        private final SortedSet<String> catalog = new TreeSet<>();
        private final SortedSet<String> everFailed = new TreeSet<>();
        /** Rows written so far, per job and split: what a reader could offer. */
        private final Map<String, long[]> written = new HashMap<>();

        private ApplicationMaster master;
        private List<SimulatedWorker> crew = new ArrayList<>();
        private final long snapshotMicros;
        /** Names of manifests from which a restart may go on, from old to new; all manifests, and the files that they name. */
        private final List<String> kept = new ArrayList<>();

        private final Map<String, String> manifests = new TreeMap<>();

        private final Map<String, SortedMap<String, Long>> files = new HashMap<>();
        private @Nullable Manifest base;
        private @Nullable Manifest asked;
        private Command.@Nullable WriteSnapshot writing;
        private int taken;
        private long clock = 1_000;
        private int nextName;
        /** Records that were there when the master began. */
        private int born;

        private boolean recovered;
        private boolean lostJobsStarted;
        private boolean sleeping;

        World(long seed, int workers) {
            random = new Random(seed);
            this.workers = workers;
            snapshotMicros = random.nextInt(4) == 0 ? -1 : random.nextInt(100);
            master = master();
        }

        private ApplicationMaster master() {
            return new ApplicationMaster(
                    "simulated", workers, new ApplicationMaster.Pace(3, 100_000_000), snapshotMicros);
        }

        void start() {
            born = log.size();
            master = master();
            writing = null;
            if (!kept.isEmpty() && random.nextInt(4) == 0) {
                // The newest is damaged.
                kept.remove(kept.size() - 1);
            }
            String newest = kept.isEmpty() ? "" : kept.get(kept.size() - 1);
            base = kept.isEmpty() ? null : manifest(newest);
            crew = new ArrayList<>();
            for (int w = 0; w < workers; w++) {
                crew.add(new SimulatedWorker(w));
            }
            recovered = false;
            lostJobsStarted = false;
            sleeping = false;
            SortedMap<String, JobPlan> wanted = new TreeMap<>();
            catalog.forEach(name -> wanted.put(name, plan(name)));
            int covered = base == null ? 0 : (int) base.logPosition();
            execute(master.recover(
                    new ApplicationMaster.Recovery(
                            base,
                            newest,
                            List.copyOf(log.subList(covered, log.size())),
                            wanted,
                            (name, plan) -> List.of(new EventTime(0, -1)),
                            this::image),
                    clock));
        }

        void step() {
            clock += random.nextInt(5) - 1;
            wake();
            startLostJobs();
            writeSnapshot(random.nextInt(20));
            switch (random.nextInt(12)) {
                case 0 -> {
                    if (catalog.size() < 4) {
                        String name = "j" + nextName++;
                        catalog.add(name);
                        written.put(name, new long[MOST_SPLITS]);
                        startJob(name);
                    }
                }
                case 1 -> {
                    if (!catalog.isEmpty() && random.nextInt(4) == 0) {
                        String name = catalog.first();
                        catalog.remove(name);
                        written.remove(name);
                        decide(new Event.StopJob(name));
                    }
                }
                case 2 -> {
                    if (random.nextInt(3) == 0) {
                        crew.forEach(SimulatedWorker::die);
                        start();
                    }
                }
                case 3, 4, 5 ->
                    written.values().forEach(ends -> ends[random.nextInt(MOST_SPLITS)] += random.nextInt(50));
                case 7 -> {
                    if (!manifests.isEmpty() && recovered && random.nextInt(4) == 0) {
                        rollback();
                    }
                }
                case 6 -> {
                    if (!catalog.isEmpty() && recovered) {
                        grow(catalog.last());
                    }
                }
                default -> crew.get(random.nextInt(workers)).step();
            }
        }

        /** Lets everything come to rest without further faults. */
        void settle() {
            for (int i = 0; i < 2_000; i++) {
                clock++;
                wake();
                startLostJobs();
                writeSnapshot(0);
                crew.get(i % workers).faultless = true;
                crew.get(i % workers).step();
            }
            assertThat(recovered).isTrue();
        }

        /** The writer gets on: it commits, fails, or takes its time. */
        private void writeSnapshot(int chance) {
            Command.WriteSnapshot command = writing;
            Manifest located = asked;
            if (command == null || located == null || chance > 4) {
                return;
            }
            writing = null;
            if (chance == 4) {
                decide(new Event.SnapshotFailed(new StreamException(ErrorCode.IO_ERROR, "no")));
                return;
            }
            taken++;
            String name = "file " + taken;
            SortedMap<String, Long> state = new TreeMap<>();
            crew.forEach(w -> state.putAll(w.captured));
            files.put(name, state);
            Manifest manifest =
                    located.with(new SnapshotFile(name, 1, 1, state.size(), located.tick(), command.full()), "before");
            kept.add("manifest " + taken);
            manifests.put("manifest " + taken, manifest.toJson());
            if (kept.size() > 3) {
                kept.remove(0);
            }
            if (random.nextInt(10) > 0) {
                decide(new Event.SnapshotCommitted(manifest));
            } else {
                // It crashes before anybody hears of it.
                crew.forEach(SimulatedWorker::die);
                start();
            }
        }

        private Manifest manifest(String name) {
            return Manifest.fromJson(java.util.Objects.requireNonNull(manifests.get(name)));
        }

        private JobImage image(StateOrigin origin) {
            return manifest(origin.manifest()).jobs().stream()
                    .filter(j -> j.start().job() == origin.job())
                    .findFirst()
                    .orElseThrow();
        }

        /** A job goes back to a snapshot, old or new. */
        private void rollback() {
            String name = List.copyOf(manifests.keySet()).get(random.nextInt(manifests.size()));
            for (JobImage job : manifest(name).jobs()) {
                if (catalog.contains(job.start().name()) && job.failure() == null && random.nextBoolean()) {
                    everFailed.remove(job.start().name());
                    decide(new Event.Rollback(List.of(new Event.Restart(job, name, List.of(new EventTime(0, -1))))));
                }
            }
        }

        /** State of a job's split as a snapshot has it. */
        private @Nullable Long restored(StateOrigin origin, int split) {
            Manifest from = manifest(origin.manifest());
            SnapshotChain chain = new SnapshotChain(
                    from.files().stream().map(SnapshotFile::full).toList());
            Long value = null;
            for (int f = 0; f < from.files().size(); f++) {
                Long there = java.util.Objects.requireNonNull(
                                files.get(from.files().get(f).name()))
                        .get(origin.job() + "/" + split);
                if (there != null && chain.counts(f, hash(split))) {
                    value = there;
                }
            }
            return value;
        }

        private static long hash(int split) {
            return (split * 40L) << 56;
        }

        /** Time may pass, or not, before a wake-up comes. */
        private void wake() {
            if (sleeping && random.nextBoolean()) {
                sleeping = false;
                decide(new Event.Woken());
            }
        }

        /** More input comes to a job, or what it has is told again. */
        private void grow(String name) {
            long id = idOf(name);
            int have = splitsOf(id);
            if (id >= 0 && have < MOST_SPLITS) {
                decide(new Event.NewSplits(id, 0, NAMES.subList(have - 1, have + random.nextInt(2))));
            }
        }

        private int splitsOf(long id) {
            int count = SPLITS;
            for (ControlRecord record : log) {
                if (record instanceof ControlRecord.Plan plan
                        && LogRecords.change(plan) instanceof PlanChange.Start start
                        && start.job() == id) {
                    count = start.splits().get(0).size();
                }
                if (record instanceof ControlRecord.Plan plan
                        && LogRecords.change(plan) instanceof PlanChange.Grow grow
                        && grow.job() == id) {
                    count += grow.splits().size();
                }
            }
            return count;
        }

        private void startJob(String name) {
            decide(new Event.StartJob(
                    name,
                    plan(name),
                    "UTC",
                    List.of(List.of("a", "b", "c")),
                    List.of(List.of(0L, 0L, 0L)),
                    List.of(new EventTime(0, -1))));
        }

        /** As the engine does after a recovery: a job that the catalog has and the log has not was lost on its way, so it starts now. */
        private void startLostJobs() {
            if (recovered && !lostJobsStarted) {
                lostJobsStarted = true;
                catalog.stream().filter(name -> idOf(name) < 0).toList().forEach(this::startJob);
            }
        }

        private void decide(Event event) {
            execute(master.decide(event, clock));
        }

        private void execute(List<Command> commands) {
            for (Command command : commands) {
                if (command instanceof Command.Append append) {
                    log.add(append.record());
                    checkLog();
                } else if (command instanceof Command.SendAll send) {
                    checkBound(send.message());
                    crew.forEach(w -> w.inbox.add(send.message()));
                } else if (command instanceof Command.Publish publish) {
                    checkShown(publish.tick());
                } else if (command instanceof Command.Failed failed) {
                    everFailed.add(failed.name());
                } else if (command instanceof Command.WakeAfter) {
                    sleeping = true;
                } else if (command instanceof Command.BeginSnapshot begin) {
                    assertThat(writing).isNull();
                    asked = begin.what().located(log.size(), new TreeMap<>());
                } else if (command instanceof Command.WriteSnapshot write) {
                    assertThat(write.what().tick())
                            .isEqualTo(java.util.Objects.requireNonNull(asked).tick());
                    writing = write;
                } else if (command instanceof Command.GiveUpSnapshot) {
                    decide(new Event.SnapshotFailed(new StreamException(ErrorCode.IO_ERROR, "no")));
                } else if (command instanceof Command.Recovered) {
                    recovered = true;
                } else if (command instanceof Command.Halt halt) {
                    throw new AssertionError(halt.cause());
                }
            }
        }

        /** No tick runs before its BIND is in the log, and it is muted if and only if its COMMIT is. */
        private void checkBound(ToWorker message) {
            if (message instanceof ToWorker.RunTick run) {
                long tick = run.plan().tick();
                assertThat(log).anyMatch(r -> r instanceof ControlRecord.Bind bind && bind.tick() == tick);
                boolean committed = log.stream().anyMatch(r -> r instanceof ControlRecord.Commit c && c.tick() == tick);
                assertThat(run.plan().muted()).isEqualTo(committed);
            }
        }

        /** A tick is visible only once its sinks show it; nothing but a COMMIT makes them do so. */
        private void checkShown(long tick) {
            // What an earlier life committed is shown by opening the sink, of which nothing is told.
            boolean external = log.subList(born, log.size()).stream()
                    .anyMatch(r -> r instanceof ControlRecord.Commit c
                            && c.tick() == tick
                            && !c.sinks().isEmpty());
            if (external && recovered) {
                assertThat(crew).allMatch(worker -> worker.shown == tick);
            }
        }

        private void checkLog() {
            long bound = 0;
            long committed = 0;
            long epoch = 0;
            long time = 0;
            for (ControlRecord record : log) {
                assertThat(record.epoch()).isGreaterThanOrEqualTo(epoch);
                epoch = record.epoch();
                if (record instanceof ControlRecord.Bind bind) {
                    assertThat(bind.tick()).isEqualTo(bound + 1);
                    assertThat(committed).isEqualTo(bound); // one tick at a time
                    assertThat(bind.clockMicros()).isGreaterThanOrEqualTo(time);
                    bound = bind.tick();
                    time = bind.clockMicros();
                } else if (record instanceof ControlRecord.Commit commit) {
                    assertThat(commit.tick()).isEqualTo(committed + 1);
                    assertThat(commit.tick()).isLessThanOrEqualTo(bound);
                    committed = commit.tick();
                }
            }
        }

        /** Per job and split, the bound ranges follow each other from 0 and reach all that was written. */
        void checkAllInputCommitted() {
            Map<String, Long> ends = new TreeMap<>();
            for (ControlRecord record : log) {
                if (record instanceof ControlRecord.Plan plan
                        && LogRecords.change(plan) instanceof PlanChange.Start start
                        && start.origin() != null) {
                    List<JobImage.SplitImage> splits =
                            image(start.origin()).readers().get(0).splits();
                    for (int split = 0; split < splits.size(); split++) {
                        ends.put(
                                start.job() + "/" + splitKey(split),
                                splits.get(split).bound());
                    }
                }
                if (record instanceof ControlRecord.Bind bind) {
                    for (ControlRecord.ReaderBind reader : bind.readers()) {
                        for (ControlRecord.Range range : reader.ranges()) {
                            String key = reader.job() + "/" + range.split();
                            assertThat(range.from()).isEqualTo(ends.getOrDefault(key, 0L));
                            ends.put(key, range.to());
                        }
                    }
                }
            }
            for (String name : catalog) {
                if (!everFailed.contains(name)) {
                    long id = idOf(name);
                    for (int split = 0; split < splitsOf(id); split++) {
                        String key = splitKey(split);
                        assertThat(ends.getOrDefault(id + "/" + key, 0L))
                                .as("%s split %d", name, split)
                                .isEqualTo(java.util.Objects.requireNonNull(written.get(name))[split]);
                    }
                }
            }
        }

        private static String splitKey(int split) {
            return NAMES.get(split).length() > 1 ? "#" + split : NAMES.get(split);
        }

        private long idOf(String name) {
            long id = -1;
            for (ControlRecord record : log) {
                if (record instanceof ControlRecord.Plan plan
                        && LogRecords.change(plan) instanceof PlanChange.Start start
                        && start.name().equals(name)) {
                    id = start.job();
                }
            }
            return id;
        }

        /** Does what a worker must, when it pleases. */
        private final class SimulatedWorker {
            private final int index;
            private final List<ToWorker> inbox = new ArrayList<>();
            private final Map<Long, ToWorker.Deploy> jobs = new TreeMap<>();
            private final Map<String, Long> positions = new HashMap<>();
            /** What the job has applied of each split, and what of that has changed since it was told last. */
            private final SortedMap<String, Long> state = new TreeMap<>();

            private final SortedSet<String> changed = new TreeSet<>();
            private final SortedMap<String, Long> captured = new TreeMap<>();
            private boolean polling;
            private boolean dead;
            private boolean faultless;
            private long shown;

            SimulatedWorker(int index) {
                this.index = index;
            }

            void die() {
                dead = true;
            }

            void step() {
                if (dead) {
                    return;
                }
                if (inbox.isEmpty()) {
                    if (polling) {
                        decide(new Event.Worker(new FromWorker.Offers(index, offers())));
                    }
                    return;
                }
                ToWorker message = inbox.remove(0);
                if (message instanceof ToWorker.Deploy deploy) {
                    jobs.put(deploy.job(), deploy);
                    assertThat(deploy.splits().get(0))
                            .isEqualTo(NAMES.subList(0, deploy.splits().get(0).size()));
                    for (int split = index; split < deploy.splits().get(0).size(); split += workers) {
                        positions.put(
                                deploy.job() + "/" + split,
                                deploy.positions().get(0).get(split));
                    }
                    for (int split = 0; deploy.origin() != null && split < MOST_SPLITS; split++) {
                        Long there = split % workers == index ? restored(deploy.origin(), split) : null;
                        if (there != null) {
                            state.put(deploy.job() + "/" + split, there);
                        }
                    }
                } else if (message instanceof ToWorker.AddSplits more) {
                    for (int i = 0; i < more.splits().size(); i++) {
                        assertThat(more.splits().get(i)).isEqualTo(NAMES.get(more.first() + i));
                        if ((more.first() + i) % workers == index) {
                            positions.put(more.job() + "/" + (more.first() + i), 0L);
                        }
                    }
                } else if (message instanceof ToWorker.Undeploy undeploy) {
                    jobs.remove(undeploy.job());
                } else if (message instanceof ToWorker.Snapshot snapshot) {
                    capture(snapshot);
                } else if (message instanceof ToWorker.CatchUp) {
                    decide(new Event.Worker(new FromWorker.CaughtUp(index)));
                } else if (message instanceof ToWorker.Poll) {
                    polling = true;
                } else if (message instanceof ToWorker.RunTick run) {
                    tick(run.plan());
                } else if (message instanceof ToWorker.Committed committed) {
                    settle(committed.tick());
                } else {
                    throw new AssertionError(message);
                }
            }

            private void capture(ToWorker.Snapshot snapshot) {
                captured.clear();
                state.forEach((key, value) -> {
                    int split = Integer.parseInt(key.substring(key.indexOf('/') + 1));
                    if (changed.contains(key) || snapshot.full().contains(Hashing.vnode(hash(split)))) {
                        captured.put(key, value);
                    }
                });
                changed.clear();
                StreamException error = !faultless && random.nextInt(10) == 0
                        ? new StreamException(ErrorCode.OUT_OF_MEMORY, "no memory")
                        : null;
                decide(new Event.Worker(
                        new FromWorker.Captured(index, snapshot.tick(), List.of(), error, state.size(), 10)));
            }

            private void settle(long tick) {
                assertThat(log)
                        .anyMatch(r -> r instanceof ControlRecord.Commit c
                                && c.tick() == tick
                                && !c.sinks().isEmpty());
                if (!faultless && !jobs.isEmpty() && random.nextInt(20) == 0) {
                    long job = jobs.keySet().iterator().next();
                    jobs.remove(job);
                    decide(new Event.Worker(
                            new FromWorker.Failed(index, job, new StreamException(ErrorCode.IO_ERROR, "gone"))));
                }
                shown = tick;
                decide(new Event.Worker(new FromWorker.Settled(index, tick)));
            }

            private void tick(TickPlan plan) {
                List<FromWorker.JobOutcome> outcomes = new ArrayList<>();
                for (TickPlan.JobTick job : plan.jobs()) {
                    for (TickPlan.InputRange range : job.ranges()) {
                        String key = job.job() + "/" + range.split();
                        if (range.split() % workers == index && jobs.containsKey(job.job())) {
                            // Nothing lost, nothing twice, whatever it was restored from.
                            assertThat(range.from()).isEqualTo(state.getOrDefault(key, 0L));
                            state.put(key, range.to());
                            changed.add(key);
                        }
                        positions.computeIfPresent(job.job() + "/" + range.split(), (k, v) -> range.to());
                    }
                    if (jobs.containsKey(job.job())) {
                        if (!faultless && !plan.muted() && random.nextInt(60) == 0) {
                            jobs.remove(job.job());
                            decide(new Event.Worker(new FromWorker.Failed(
                                    index,
                                    job.job(),
                                    new StreamException(ErrorCode.DIVISION_BY_ZERO, "division by zero"))));
                        } else {
                            outcomes.add(new FromWorker.JobOutcome(job.job(), outcome(job.job(), plan), 1, 1));
                        }
                    }
                }
                decide(new Event.Worker(
                        new FromWorker.Done(index, plan.tick(), outcomes, polling ? offers() : List.of(), 1_000_000)));
            }

            private SinkOutcome outcome(long job, TickPlan plan) {
                if (isExternal(java.util.Objects.requireNonNull(jobs.get(job)).name())) {
                    return plan.muted() ? SinkOutcome.NONE : new SinkOutcome(List.of(), plan.tick());
                }
                return new SinkOutcome(List.of(new SinkOutcome.Range(0, 1, 2)), -1);
            }

            private List<FromWorker.Offer> offers() {
                List<FromWorker.Offer> out = new ArrayList<>();
                for (ToWorker.Deploy job : jobs.values()) {
                    long[] ends = written.get(job.name());
                    for (int split = index; ends != null && split < MOST_SPLITS; split += workers) {
                        Long at = positions.get(job.job() + "/" + split);
                        if (at != null && ends[split] > at) {
                            out.add(new FromWorker.Offer(
                                    job.job(), 0, split, at, ends[split], ends[split] - at, 5, 6, false, 0));
                        }
                    }
                }
                return out;
            }
        }
    }
}
