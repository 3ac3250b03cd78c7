package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.runtime.PlanOperators;
import io.tailwater.server.control.ApplicationMaster;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.ResultStream;
import io.tailwater.storage.DataDirectory;
import io.tailwater.storage.file.FileSegmentStore;
import io.tailwater.testing.ZSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The engine without SQL: plans by hand, rows in, views out, through restarts. */
final class ApplicationEngineTest {
    private static final ObjectName S = ObjectName.inPublic("s");
    private static final ObjectName T = ObjectName.inPublic("t");
    private static final ObjectName V = ObjectName.inPublic("v");
    private static final ObjectName W = ObjectName.inPublic("w");
    private static final Schema ROW = Schema.of(
            new Column("k", DataType.BIGINT), new Column("x", DataType.BIGINT), new Column("name", DataType.VARCHAR));
    private static final Schema SUMS = Schema.of(
            new Column("k", DataType.BIGINT),
            new Column("n", DataType.BIGINT.notNull()),
            new Column("sum", DataType.BIGINT));
    private static final Traits APPEND = new Traits(new Distribution.Any(), true, List.of(), List.of());

    private final MemoryAccount memory = MemoryAccount.unlimited("test");

    private static CatalogObject.Stream stream(ObjectName name, int partitions) {
        return new CatalogObject.Stream(name, ROW, null, List.of(), partitions, new TreeMap<>());
    }

    private static PlanNode scan(ObjectName name, PlanNode.ScanKind kind, Schema schema) {
        List<Integer> columns = new ArrayList<>();
        for (int c = 0; c < schema.size(); c++) {
            columns.add(c);
        }
        return new PlanNode.Scan(
                0, kind, name, columns, schema, kind == PlanNode.ScanKind.STREAM ? APPEND : Traits.NONE);
    }

    private static PlanNode sums(PlanNode input) {
        Distribution byKey = new Distribution.Hash(List.of(0));
        PlanNode exchange = new PlanNode.Exchange(
                input, byKey, new Traits(byKey, input.traits().appendOnly(), List.of(), List.of()));
        return new PlanNode.Aggregate(
                exchange,
                List.of(0),
                List.of(
                        AggregateCall.of(AggregateFunction.COUNT, DataType.BIGINT.notNull()),
                        AggregateCall.of(AggregateFunction.SUM, DataType.BIGINT, 1)),
                SUMS,
                new Traits(byKey, false, List.of(List.of(0)), List.of()));
    }

    private static CatalogImage catalog(int partitions) {
        JobPlan copy = new JobPlan(scan(S, PlanNode.ScanKind.STREAM, ROW), new JobPlan.Sink.Stream(T, List.of()));
        JobPlan direct = new JobPlan(sums(scan(S, PlanNode.ScanKind.STREAM, ROW)), new JobPlan.Sink.View(V));
        JobPlan chained = new JobPlan(sums(scan(T, PlanNode.ScanKind.STREAM, ROW)), new JobPlan.Sink.View(W));
        return CatalogImage.EMPTY
                .with(stream(S, partitions))
                .with(stream(T, partitions))
                .with(new CatalogObject.MaterializedView(V, SUMS, "", direct, List.of(0), List.of(S)))
                .with(new CatalogObject.MaterializedView(W, SUMS, "", chained, List.of(0), List.of(T)))
                .withJob(new JobDefinition("copy", "default", "", T, copy, List.of(S, T), false));
    }

    private static ApplicationEngine open(DataDirectory directory, CatalogImage catalog, int workers) {
        return open(directory, catalog, workers, -1);
    }

    private static ApplicationEngine open(
            DataDirectory directory, CatalogImage catalog, int workers, long snapshotMicros) {
        return new ApplicationEngine(
                new ApplicationEngine.Options(
                        workers,
                        1L << 30,
                        false,
                        new ApplicationMaster.Pace(1_000, 100_000_000),
                        snapshotMicros,
                        "test"),
                directory.streams(),
                directory.applicationLog(ApplicationEngine.APPLICATION),
                directory.snapshots(),
                directory.metadata(),
                Map.of(),
                new PlanOperators(),
                catalog,
                Clock.SYSTEM);
    }

    private ColumnBatch rows(int from, int to) {
        List<List<Object>> rows = new ArrayList<>();
        for (int i = from; i < to; i++) {
            rows.add(List.of((long) i % 7, (long) i, "a name longer than twelve bytes " + i));
        }
        return ZSet.batch(ROW, memory, rows, null);
    }

    private static ZSet expected(int to) {
        return sumsOf(0, to);
    }

    private static ZSet read(
            Engine engine, PlanNode plan, CatalogImage catalog, Map<ObjectName, Engine.Position> writes) {
        ZSet out = new ZSet();
        try (ResultStream result =
                engine.query(plan, false, ZoneOffset.UTC, catalog, (t, m) -> List.of(), writes, new CancelSignal())) {
            while (true) {
                ResultStream.Next next = result.next(Duration.ofSeconds(30).toNanos());
                if (next instanceof ResultStream.Next.Rows rows) {
                    try (ColumnBatch batch = rows.batch()) {
                        out.addBatch(batch);
                    }
                } else if (next instanceof ResultStream.Next.End) {
                    return out;
                } else {
                    throw new AssertionError("no answer within 30 s");
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, -1", "2, -1", "3, -1", "1, 0", "2, 0", "3, 0", "2, 20000"})
    void viewsAndChainsSeeEachRowOnceThroughRestarts(int workers, long snapshotMicros, @TempDir Path path) {
        CatalogImage catalog = catalog(2);
        int written = 0;
        for (int life = 0; life < 4; life++) {
            try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                    ApplicationEngine engine = open(directory, catalog, workers, snapshotMicros)) {
                for (int i = 0; i < 5; i++) {
                    engine.append(S, rows(written, written + 100 + i));
                    written += 100 + i;
                }
                engine.waitFor(W, null, Duration.ofSeconds(30), new CancelSignal());
                engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
                PlanNode v = scan(V, PlanNode.ScanKind.VIEW, SUMS);
                PlanNode w = scan(W, PlanNode.ScanKind.VIEW, SUMS);
                assertThat(read(engine, v, catalog, Map.of())).isEqualTo(expected(written));
                assertThat(read(engine, w, catalog, Map.of())).isEqualTo(expected(written));
                assertThat(read(engine, scan(T, PlanNode.ScanKind.STREAM, ROW), catalog, Map.of())
                                .rows())
                        .hasSize(written)
                        .allSatisfy((row, weight) -> assertThat(weight).isEqualTo(1));
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    /** Nothing comes after the restart, so no tick shows what was restored. */
    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void whatASnapshotHasIsThereFromTheStart(int workers, @TempDir Path path) {
        CatalogImage catalog = catalog(2);
        PlanNode v = scan(V, PlanNode.ScanKind.VIEW, SUMS);
        PlanNode w = scan(W, PlanNode.ScanKind.VIEW, SUMS);
        for (int life = 0; life < 4; life++) {
            try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                    ApplicationEngine engine = open(directory, catalog, workers, 3_600_000_000L)) {
                if (life == 0) {
                    engine.append(S, rows(0, 100));
                    engine.waitFor(W, null, Duration.ofSeconds(30), new CancelSignal());
                    engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
                    engine.recovery().createPoint("p");
                }
                assertThat(read(engine, v, catalog, Map.of())).isEqualTo(expected(100));
                assertThat(read(engine, w, catalog, Map.of())).isEqualTo(expected(100));
                assertThat(engine.recovery().points()).hasSize(1);
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    /** The newest snapshot is damaged: the one before it, and the log from there on, lead to the same. */
    @ParameterizedTest
    @CsvSource({
        ".state, FLIP",
        ".state, CUT",
        ".state, DELETE",
        ".manifest, FLIP",
        ".manifest, CUT",
        ".manifest, DELETE"
    })
    void aDamagedSnapshotIsLeftOut(String kind, Damage damage, @TempDir Path path) throws IOException {
        CatalogImage catalog = catalog(2);
        Set<Path> older;
        try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                ApplicationEngine engine = open(directory, catalog, 2, 3_600_000_000L)) {
            append(engine, 0, 100);
            engine.recovery().createPoint("a");
            older = files(path.resolve("snapshots"), kind);
            append(engine, 100, 200);
            engine.recovery().createPoint("b");
        }
        Set<Path> newest = files(path.resolve("snapshots"), kind);
        newest.removeAll(older);
        assertThat(newest).hasSize(1);
        damage.to(newest.iterator().next());
        try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                ApplicationEngine engine = open(directory, catalog, 2, 3_600_000_000L)) {
            PlanNode w = scan(W, PlanNode.ScanKind.VIEW, SUMS);
            assertThat(read(engine, w, catalog, Map.of())).isEqualTo(expected(200));
            append(engine, 200, 300);
            assertThat(read(engine, w, catalog, Map.of())).isEqualTo(expected(300));
        }
        assertThat(memory.usedBytes()).isZero();
    }

    /** Old files are looked for after every tenth snapshot, which counts all the same if one of them cannot be read. */
    @Test
    void aDamagedRecoveryPointKeepsNoSnapshotFromBeingTaken(@TempDir Path path) throws IOException {
        CatalogImage catalog = catalog(1);
        try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                ApplicationEngine engine = open(directory, catalog, 1, 3_600_000_000L)) {
            engine.recovery().createPoint("damaged");
            for (Path manifest : files(path.resolve("snapshots"), ".manifest")) {
                Damage.CUT.to(manifest);
            }
            for (int i = 0; i < 12; i++) {
                append(engine, i, i + 1);
                engine.recovery().createPoint("p" + i);
            }
            assertThatThrownBy(() -> engine.recovery().rollback(V.toString(), "damaged"))
                    .isInstanceOf(StreamException.class);
            engine.recovery().rollback(V.toString(), "p3");
            engine.recovery().dropPoint("damaged");
            assertThat(engine.recovery().points()).hasSize(12);
        }
    }

    private void append(Engine engine, int from, int to) {
        engine.append(S, rows(from, to));
        engine.waitFor(W, null, Duration.ofSeconds(30), new CancelSignal());
        engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
    }

    private static Set<Path> files(Path directory, String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(f -> f.toString().endsWith(suffix)).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** What may befall a file. */
    private enum Damage {
        FLIP,
        CUT,
        DELETE;

        void to(Path file) throws IOException {
            byte[] bytes = Files.readAllBytes(file);
            switch (this) {
                case FLIP -> {
                    bytes[bytes.length / 2] ^= 4;
                    Files.write(file, bytes);
                }
                case CUT -> Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length - 1));
                case DELETE -> Files.delete(file);
            }
        }
    }

    /** What snapshots have need not be kept: a job that reads a stream does not keep all of it, nor all of the log. */
    @Test
    void aStreamLosesWhatSnapshotsHave(@TempDir Path path) {
        HandClock clock = new HandClock();
        CatalogObject.Stream kept =
                new CatalogObject.Stream(S, ROW, null, List.of(), 1, new TreeMap<>(Map.of("retention", "8 h")));
        JobPlan sums = new JobPlan(sums(scan(S, PlanNode.ScanKind.STREAM, ROW)), new JobPlan.Sink.View(V));
        CatalogImage catalog = CatalogImage.EMPTY
                .with(kept)
                .with(new CatalogObject.MaterializedView(V, SUMS, "", sums, List.of(0), List.of(S)));
        PlanNode s = scan(S, PlanNode.ScanKind.STREAM, ROW);
        PlanNode v = scan(V, PlanNode.ScanKind.VIEW, SUMS);
        int hour = 0;
        for (int life = 0; life < 3; life++) {
            try (DataDirectory directory = DataDirectory.open(path, clock, FileSegmentStore.Options.DEFAULT);
                    ApplicationEngine engine = open(directory, catalog, 2, 3_600_000_000L)) {
                for (int end = hour + 30; hour < end; hour++) {
                    clock.micros = hour * 3_600_000_000L;
                    engine.append(S, rows(hour, hour + 1));
                    engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
                    engine.retain(clock.micros);
                }
                for (int i = 0; i < 3; i++) {
                    engine.recovery().createPoint("p" + i);
                    engine.recovery().dropPoint("p" + i);
                }
                engine.retain(clock.micros);
                assertThat(read(engine, s, catalog, Map.of()).rows().size()).isBetween(8, 10);
                assertThat(read(engine, v, catalog, Map.of())).isEqualTo(sumsOf(0, hour));
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1000", "3600000000"})
    void eachLifeHasItsOwnNumberOfWorkers(long snapshotMicros, @TempDir Path path) {
        CatalogImage catalog = catalog(2);
        PlanNode v = scan(V, PlanNode.ScanKind.VIEW, SUMS);
        PlanNode w = scan(W, PlanNode.ScanKind.VIEW, SUMS);
        int[] workers = {2, 3, 1, 4, 2};
        for (int life = 0; life < workers.length; life++) {
            try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                    ApplicationEngine engine = open(directory, catalog, workers[life], snapshotMicros)) {
                assertThat(engine.application().workers()).isEqualTo(workers[life]);
                assertThat(read(engine, v, catalog, Map.of())).isEqualTo(expected(life * 200));
                for (int half = 0; half < 2; half++) {
                    int from = life * 200 + half * 100;
                    engine.append(S, rows(from, from + 100));
                    engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
                    engine.waitFor(W, null, Duration.ofSeconds(30), new CancelSignal());
                    assertThat(read(engine, v, catalog, Map.of())).isEqualTo(expected(from + 100));
                    assertThat(read(engine, w, catalog, Map.of())).isEqualTo(expected(from + 100));
                    assertThat(read(engine, scan(T, PlanNode.ScanKind.STREAM, ROW), catalog, Map.of())
                                    .rows())
                            .hasSize(from + 100)
                            .allSatisfy((row, weight) -> assertThat(weight).isEqualTo(1));
                    if (half == 0 && life != 2) {
                        // What follows is done again by the next life's workers.
                        engine.recovery().createPoint("p" + life);
                    }
                }
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void stateThatDoesNotTellItsWorkerKeepsTheirNumber(@TempDir Path path) {
        PlanNode sums = sums(scan(S, PlanNode.ScanKind.STREAM, ROW));
        Schema schema = new Schema(SUMS.columns().subList(1, 3));
        PlanNode withoutKey = new PlanNode.Calc(
                sums,
                null,
                List.of(new Expr.Input(1, SUMS.type(1)), new Expr.Input(2, SUMS.type(2))),
                schema,
                Traits.NONE);
        JobPlan plan = new JobPlan(withoutKey, new JobPlan.Sink.View(V));
        CatalogImage catalog = CatalogImage.EMPTY
                .with(stream(S, 2))
                .with(new CatalogObject.MaterializedView(V, schema, "", plan, List.of(), List.of(S)));
        PlanNode v = scan(V, PlanNode.ScanKind.VIEW, schema);
        for (int life = 0; life < 3; life++) {
            try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                    ApplicationEngine engine = open(directory, catalog, 2 + life, 1_000)) {
                assertThat(engine.application().workers()).isEqualTo(2);
                engine.append(S, rows(life * 100, life * 100 + 100));
                engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
                ZSet expected = new ZSet();
                expected(life * 100 + 100)
                        .rows()
                        .forEach((row, weight) -> expected.add(weight, row.get(1), row.get(2)));
                assertThat(read(engine, v, catalog, Map.of())).isEqualTo(expected);
                if (life == 0) {
                    engine.recovery().createPoint("p");
                }
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    /** The point has fewer or more workers than those that go back to it, and the restart after that as many again. */
    @ParameterizedTest
    @CsvSource({"2, 3, 1", "3, 1, 4", "1, 4, 2"})
    void aViewGoesBackToWhatOtherWorkersHad(int first, int second, int third, @TempDir Path path) {
        CatalogImage catalog = catalog(2);
        PlanNode v = scan(V, PlanNode.ScanKind.VIEW, SUMS);
        int[] workers = {first, second, third};
        for (int life = 0; life < 3; life++) {
            try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                    ApplicationEngine engine = open(directory, catalog, workers[life], 3_600_000_000L)) {
                assertThat(engine.application().workers()).isEqualTo(workers[life]);
                engine.append(S, rows(life * 100, life * 100 + 100));
                engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
                if (life == 0) {
                    engine.recovery().createPoint("p");
                } else if (life == 1) {
                    engine.recovery().rollback(V.toString(), "p");
                    engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
                }
                assertThat(read(engine, v, catalog, Map.of())).isEqualTo(expected(life * 100 + 100));
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void aViewGoesBackToARecoveryPointAndReadsOnFromThere(int workers, @TempDir Path path) {
        CatalogImage catalog = catalog(2);
        PlanNode v = scan(V, PlanNode.ScanKind.VIEW, SUMS);
        for (int life = 0; life < 3; life++) {
            try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                    ApplicationEngine engine = open(directory, catalog, workers, life == 1 ? 3_600_000_000L : 1_000)) {
                engine.append(S, rows(life * 100, life * 100 + 100));
                engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
                if (life == 0) {
                    engine.recovery().createPoint("p");
                } else {
                    engine.recovery().rollback(V.toString(), "p");
                    engine.append(S, rows(life * 100 + 100, life * 100 + 101));
                    engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
                }
                // Row 200 was written twice.
                ZSet all = sumsOf(0, life * 100 + 100 + Math.min(life, 1), life == 2 ? 200 : -1);
                assertThat(read(engine, v, catalog, Map.of())).isEqualTo(all);
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void whatCannotGoBackSaysWhy(@TempDir Path path) {
        CatalogImage catalog = catalog(1);
        try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                ApplicationEngine engine = open(directory, catalog, 1, 1_000)) {
            Recovery recovery = engine.recovery();
            recovery.createPoint("p");
            assertThatThrownBy(() -> recovery.createPoint("p")).hasMessage("recovery point \"p\" already exists");
            assertThatThrownBy(() -> recovery.rollback("copy", "p")).hasMessageContaining("has written to its target");
            assertThatThrownBy(() -> recovery.rollback(null, "p")).hasMessageContaining("has written to its target");
            assertThatThrownBy(() -> recovery.rollback("other", "p")).hasMessageContaining("is not in recovery point");
            assertThatThrownBy(() -> recovery.rollback(null, "q")).hasMessage("recovery point \"q\" does not exist");
            recovery.dropPoint("p");
            assertThatThrownBy(() -> recovery.dropPoint("p")).hasMessage("recovery point \"p\" does not exist");
        }
    }

    private static CatalogImage incarnations(CatalogImage catalog, long s, long t) {
        return new CatalogImage(
                catalog.version(), catalog.objects(), catalog.jobs(), new TreeMap<>(Map.of(S, s, T, t)));
    }

    /** A crash came between REPLACE in the catalog and its effect: the storage of the old streams is there, the log names its frames. */
    @Test
    void framesOfAReplacedStreamAreNotThoseOfItsSuccessor(@TempDir Path path) {
        CatalogImage first = incarnations(catalog(2), 1, 2);
        try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                ApplicationEngine engine = open(directory, first, 2)) {
            engine.append(S, rows(0, 100));
            engine.waitFor(W, null, Duration.ofSeconds(30), new CancelSignal());
            assertThat(directory.streams().owners()).containsExactly("public.s-1", "public.t-2");
        }
        PlanNode s = scan(S, PlanNode.ScanKind.STREAM, ROW);
        PlanNode t = scan(T, PlanNode.ScanKind.STREAM, ROW);
        CatalogImage replaced =
                incarnations(CatalogImage.EMPTY.with(stream(S, 2)).with(stream(T, 2)), 8, 9);
        for (int life = 0; life < 2; life++) {
            try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                    ApplicationEngine engine = open(directory, replaced, 2)) {
                assertThat(directory.streams().owners()).isEmpty();
                assertThat(read(engine, s, replaced, Map.of()).rows()).isEmpty();
                assertThat(read(engine, t, replaced, Map.of()).rows()).isEmpty();
            }
        }
        CatalogImage again = incarnations(catalog(2), 8, 9);
        for (int life = 0; life < 3; life++) {
            try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                    ApplicationEngine engine = open(directory, again, 2)) {
                engine.append(S, rows(10 * life, 10 * life + 10));
                engine.waitFor(W, null, Duration.ofSeconds(30), new CancelSignal());
                PlanNode w = scan(W, PlanNode.ScanKind.VIEW, SUMS);
                assertThat(read(engine, w, again, Map.of())).isEqualTo(expected(10 * life + 10));
                assertThat(directory.streams().owners()).containsExactly("public.s-8", "public.t-9");
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    /** A clock that a test sets. */
    private static final class HandClock implements Clock {
        private volatile long micros;

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long wallMicros() {
            return micros;
        }
    }

    @Test
    void aStreamLosesItsOldestSegmentsUnlessAJobWouldReadThemAgain(@TempDir Path path) {
        HandClock clock = new HandClock();
        FileSegmentStore.Options options = FileSegmentStore.Options.DEFAULT;
        CatalogObject.Stream kept =
                new CatalogObject.Stream(S, ROW, null, List.of(), 1, new TreeMap<>(Map.of("retention", "8 h")));
        CatalogImage without = CatalogImage.EMPTY.with(kept);
        JobPlan sums = new JobPlan(sums(scan(S, PlanNode.ScanKind.STREAM, ROW)), new JobPlan.Sink.View(V));
        CatalogImage with = without.with(new CatalogObject.MaterializedView(V, SUMS, "", sums, List.of(0), List.of(S)));
        PlanNode s = scan(S, PlanNode.ScanKind.STREAM, ROW);
        PlanNode v = scan(V, PlanNode.ScanKind.VIEW, SUMS);
        int hour = 0;
        try (DataDirectory directory = DataDirectory.open(path, clock, options);
                ApplicationEngine engine = open(directory, without, 2)) {
            for (; hour < 30; hour++) {
                clock.micros = hour * 3_600_000_000L;
                engine.append(S, rows(hour, hour + 1));
                engine.retain(clock.micros);
            }
            int left = read(engine, s, without, Map.of()).rows().size();
            assertThat(left).isBetween(8, 10);
            assertThat(engine.streams().get(0).rows()).isEqualTo(left);
            engine.startJob(V.toString(), sums, ZoneOffset.UTC, with);
            for (; hour < 60; hour++) {
                clock.micros = hour * 3_600_000_000L;
                engine.append(S, rows(hour, hour + 1));
                engine.retain(clock.micros);
            }
            assertThat(read(engine, s, with, Map.of()).rows()).hasSize(left + 30);
            assertThat(engine.retained(S, V.toString())).isEqualTo(Engine.Retained.AS_BEFORE);
            assertThat(engine.retained(S, "somebody else")).isEqualTo(Engine.Retained.LESS);
            engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
            assertThat(read(engine, v, with, Map.of())).isEqualTo(sumsOf(30 - left, 60));
        }
        try (DataDirectory directory = DataDirectory.open(path, clock, options);
                ApplicationEngine engine = open(directory, with, 2)) {
            engine.retain(clock.micros);
            int left = read(engine, s, with, Map.of()).rows().size();
            assertThat(left).isBetween(38, 40);
            assertThat(read(engine, v, with, Map.of())).isEqualTo(sumsOf(60 - left, 60));
            assertThat(engine.retained(S, V.toString())).isEqualTo(Engine.Retained.AS_BEFORE);
            engine.stopJob(V.toString());
            engine.retain(clock.micros);
            assertThat(read(engine, s, with, Map.of()).rows().size()).isBetween(8, 10);
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void outputsOfJobsAreRemovedTooAndCountedRight(@TempDir Path path) {
        HandClock clock = new HandClock();
        SortedMap<ObjectName, CatalogObject> objects = new TreeMap<>(catalog(1).objects());
        objects.remove(W);
        objects.put(
                T,
                new CatalogObject.Stream(T, ROW, null, List.of(), 1, new TreeMap<>(Map.of("retention_size", "2 KB"))));
        CatalogImage catalog = new CatalogImage(7, objects, catalog(1).jobs());
        for (int life = 0; life < 3; life++) {
            try (DataDirectory directory = DataDirectory.open(path, clock, FileSegmentStore.Options.DEFAULT);
                    ApplicationEngine engine = open(directory, catalog, 1)) {
                for (int i = 0; i < 20; i++) {
                    clock.micros = life * 20L + i + 1;
                    Engine.Position position = engine.append(S, rows(i, i + 1));
                    engine.waitFor(T, Map.of(S, position), Duration.ofSeconds(30), new CancelSignal());
                    engine.retain(clock.micros);
                }
                Engine.StreamStatus t = engine.streams().stream()
                        .filter(status -> status.name().equals(T))
                        .findFirst()
                        .orElseThrow();
                assertThat(t.bytes()).isBetween(2048L, 4096L);
                ZSet left = read(engine, scan(T, PlanNode.ScanKind.STREAM, ROW), catalog, Map.of());
                assertThat(t.rows())
                        .isEqualTo(left.rows().values().stream()
                                .mapToLong(Long::longValue)
                                .sum());
                assertThat(t.rows()).isBetween(3L, 12L);
                PlanNode v = scan(V, PlanNode.ScanKind.VIEW, SUMS);
                assertThat(read(engine, v, catalog, Map.of()).rows()).hasSize(7);
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    private static ZSet sumsOf(int from, int to) {
        return sumsOf(from, to, -1);
    }

    private static ZSet sumsOf(int from, int to, int twice) {
        ZSet out = new ZSet();
        for (long k = 0; k < 7; k++) {
            long n = 0;
            long sum = 0;
            for (int i = from; i < to; i++) {
                if (i % 7 == k) {
                    n += i == twice ? 2 : 1;
                    sum += i == twice ? 2 * i : i;
                }
            }
            if (n > 0) {
                out.add(1, k, n, sum);
            }
        }
        return out;
    }

    @Test
    void aSessionReadsItsOwnWrites(@TempDir Path path) {
        CatalogImage catalog = catalog(1);
        try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                ApplicationEngine engine = open(directory, catalog, 2)) {
            for (int i = 0; i < 50; i++) {
                Engine.Position position = engine.append(S, rows(i, i + 1));
                PlanNode w = scan(W, PlanNode.ScanKind.VIEW, SUMS);
                assertThat(read(engine, w, catalog, Map.of(S, position))).isEqualTo(expected(i + 1));
            }
        }
    }

    @Test
    void pushedChangesAddUpToTheView(@TempDir Path path) {
        CatalogImage catalog = catalog(1);
        try (DataDirectory directory = DataDirectory.open(path, Clock.SYSTEM);
                ApplicationEngine engine = open(directory, catalog, 2)) {
            engine.append(S, rows(0, 10));
            engine.waitFor(V, null, Duration.ofSeconds(30), new CancelSignal());
            ZSet seen = new ZSet();
            try (ResultStream result = engine.query(
                    scan(V, PlanNode.ScanKind.VIEW, SUMS),
                    true,
                    ZoneOffset.UTC,
                    catalog,
                    (t, m) -> List.of(),
                    Map.of(),
                    new CancelSignal())) {
                for (int i = 10; i < 60; i += 5) {
                    engine.append(S, rows(i, i + 5));
                    ZSet wanted = expected(i + 5);
                    while (!seen.equals(wanted)) {
                        if (result.next(Duration.ofSeconds(30).toNanos()) instanceof ResultStream.Next.Rows rows) {
                            try (ColumnBatch batch = rows.batch()) {
                                seen.addBatch(batch);
                            }
                        }
                    }
                }
            }
        }
    }
}
