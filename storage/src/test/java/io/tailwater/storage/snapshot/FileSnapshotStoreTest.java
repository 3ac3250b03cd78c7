package io.tailwater.storage.snapshot;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.batch.ipc.MessageBuffer;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.SnapshotStore;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.SimulatedDisk;
import io.tailwater.storage.file.SpaceGuard;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FileSnapshotStoreTest {
    private static final Path ROOT = Path.of("/data/snapshots");
    private static final Path APPLICATION = ROOT.resolve("default");
    private static final VnodeRange FULL = new VnodeRange(16, 32);

    private final SimulatedDisk disk = new SimulatedDisk();
    private final MemoryAccount memory = MemoryAccount.unlimited("test");
    private final FileSnapshotStore store = store(disk, 0);

    @TempDir
    Path temporary;

    private static FileSnapshotStore store(FileIo io, long firstName) {
        long[] next = {firstName};
        return store(io, () -> next[0]++);
    }

    private static FileSnapshotStore store(FileIo io, LongSupplier names) {
        return new FileSnapshotStore(io, ROOT, Clock.SYSTEM, 1 << 20, names, 2000);
    }

    private List<StateRows> state(long seed, int rows) {
        Random random = new Random(seed);
        return List.of(
                States.random(1, 0, 2, rows, random, memory),
                States.random(1, 1, 1, rows, random, memory),
                States.random(7, 0, 1, rows, random, memory));
    }

    private SnapshotFile write(SnapshotStore to, long tick, List<StateRows> state) {
        try {
            return to.write("default", 3, tick, FULL, state);
        } finally {
            state.forEach(StateRows::close);
        }
    }

    private SnapshotFile small() {
        return write(store, 5, state(1, 4));
    }

    private static void assertFails(ThrowableAssert.ThrowingCallable call, ErrorCode code, String message) {
        assertThatThrownBy(call)
                .isInstanceOf(StreamException.class)
                .hasMessageContaining(message)
                .extracting(e -> ((StreamException) e).code())
                .isEqualTo(code);
    }

    /** Neither verifying nor reading all of it lets the damage pass. */
    private void assertDamaged(SnapshotFile file, String what) {
        assertThatThrownBy(() -> store.verify(file))
                .as("verify: " + what)
                .isInstanceOf(StreamException.class)
                .hasMessageContaining(ROOT.resolve(file.name()) + " is corrupt")
                .extracting(e -> ((StreamException) e).code())
                .isEqualTo(ErrorCode.DATA_CORRUPTED);
        assertThatThrownBy(() -> {
                    store.read(file, 1, -1, part -> {});
                    store.read(file, 7, -1, part -> {});
                })
                .as("read: " + what)
                .isInstanceOf(StreamException.class)
                .hasMessageContaining(ROOT.resolve(file.name()) + " is corrupt")
                .extracting(e -> ((StreamException) e).code())
                .isEqualTo(ErrorCode.DATA_CORRUPTED);
    }

    private byte[] bytes(String name) throws IOException {
        try (FileIo.OpenFile in = disk.openToRead(ROOT.resolve(name))) {
            ByteBuffer out = ByteBuffer.allocate((int) in.size());
            in.read(out, 0);
            return out.array();
        }
    }

    private void replace(String name, byte[] bytes) throws IOException {
        try (FileIo.OpenFile out = disk.open(ROOT.resolve(name))) {
            out.truncate(0);
            out.write(new ByteBuffer[] {ByteBuffer.wrap(bytes)}, 0);
        }
    }

    @Property(tries = 60)
    void whatIsWrittenIsReadByJobAndWorkerInItsOrder(
            @ForAll long seed, @ForAll @IntRange(max = 3) int jobs, @ForAll @IntRange(max = 120) int rows) {
        long open = ColumnBatch.openBatches();
        Random random = new Random(seed);
        List<StateRows> state = new ArrayList<>();
        for (int job = 0; job < jobs; job++) {
            for (int worker = 0; worker < 2; worker++) {
                state.add(States.random(job, worker, random.nextInt(4), rows, random, memory));
            }
        }
        SnapshotFile file = store.write("default", 3, 9, FULL, state);
        assertThat(file.rows())
                .isEqualTo(state.stream().mapToLong(StateRows::rows).sum());
        assertThat(file.tick()).isEqualTo(9);
        assertThat(file.full()).isEqualTo(FULL);
        store.verify(file);
        for (int job = 0; job <= jobs; job++) {
            long wanted = job;
            for (int worker = -1; worker < 2; worker++) {
                int whose = worker;
                assertThat(States.read(store, file, job, worker))
                        .isEqualTo(States.lines(state.stream()
                                .filter(s -> s.job() == wanted && (whose < 0 || s.worker() == whose))
                                .toList()));
            }
        }
        state.forEach(StateRows::close);
        assertThat(ColumnBatch.openBatches()).isEqualTo(open);
        assertThat(memory.usedBytes()).isZero();
    }

    @Property(tries = 100)
    void theChecksumOfAWholeFollowsFromThoseOfItsParts(@ForAll byte[] whole, @ForAll @IntRange(max = 100) int percent) {
        int cut = whole.length * percent / 100;
        assertThat(Checksums.combine(
                        Checksums.of(ByteBuffer.wrap(whole, 0, cut)),
                        Checksums.of(ByteBuffer.wrap(whole, cut, whole.length - cut)),
                        whole.length - cut))
                .isEqualTo(Checksums.of(ByteBuffer.wrap(whole)));
    }

    @Test
    void thoseWhoTakeTheRowsMayFail() {
        SnapshotFile file = small();
        assertThatThrownBy(() -> store.read(file, 1, -1, part -> {
                    throw new IllegalStateException("enough");
                }))
                .hasMessage("enough");
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void everyFlippedBitIsFound() throws IOException {
        SnapshotFile file = small();
        byte[] whole = bytes(file.name());
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= (byte) (1 << at * 5 % 8);
            replace(file.name(), damaged);
            assertDamaged(file, "byte " + at + " of " + whole.length);
        }
        replace(file.name(), whole);
        store.verify(file);
        assertThat(States.read(store, file, 1, -1)).isNotEmpty();
    }

    @Test
    void aFileOfAnotherLengthIsFound() throws IOException {
        SnapshotFile file = small();
        byte[] whole = bytes(file.name());
        for (int length = 0; length < whole.length; length += 13) {
            replace(file.name(), Arrays.copyOf(whole, length));
            assertDamaged(file, length + " bytes of " + whole.length);
        }
        replace(file.name(), Arrays.copyOf(whole, whole.length + 1));
        assertDamaged(file, "a byte more");
        // As long as it should be, but another file.
        SnapshotFile other = write(store, 6, state(2, 4));
        replace(other.name(), Arrays.copyOf(bytes(other.name()), (int) file.bytes()));
        assertDamaged(new SnapshotFile(other.name(), file.bytes(), file.crc(), 0, 6, FULL), "another file's bytes");
    }

    @Test
    void aWholeFileUnderTheNameOfAnotherIsFound() throws IOException {
        SnapshotFile file = small();
        SnapshotFile older = write(store, 4, state(1, 4));
        assertThat(older.bytes()).isEqualTo(file.bytes());
        replace(file.name(), bytes(older.name()));
        assertDamaged(file, "the bytes of an older snapshot");
    }

    @Test
    void lostSectorsAreFound() throws IOException {
        SnapshotFile file = write(store, 5, state(1, 60));
        byte[] whole = bytes(file.name());
        for (int at = 0; at < whole.length; at += 512) {
            byte[] torn = whole.clone();
            Arrays.fill(torn, at, Math.min(at + 512, torn.length), (byte) 0);
            replace(file.name(), torn);
            assertDamaged(file, "512 zeros at " + at);
        }
    }

    @Test
    void aRemovedFileIsMissing() throws IOException {
        SnapshotFile file = small();
        String manifest = store.writeManifest("default", 3, 5, "{}");
        disk.delete(APPLICATION);
        assertDamaged(file, "removed");
        assertFails(() -> store.verify(file), ErrorCode.DATA_CORRUPTED, "missing");
        assertFails(() -> store.readManifest(manifest), ErrorCode.DATA_CORRUPTED, "missing");
        assertThat(store.manifests("default")).isEmpty();
    }

    @Test
    void afterALossOfPowerAllThatWasAnnouncedIsThere() {
        for (int seed = 0; seed < 50; seed++) {
            List<StateRows> state = state(seed, 60);
            List<String> lines = States.lines(state.subList(0, 2));
            SnapshotFile file = write(store(disk, 1000L * seed), seed, state);
            String manifest = store(disk, 1000L * seed).writeManifest("default", 3, seed, "{\"seed\":" + seed + "}");
            disk.crash(new Random(seed));
            store.verify(file);
            assertThat(States.read(store, file, 1, -1)).isEqualTo(lines);
            assertThat(store.readManifest(manifest)).contains(":" + seed);
            assertThat(store.manifests("default")).hasSize(seed + 1).endsWith(manifest);
        }
    }

    /** Lets {@code left} operations pass, then all fail. */
    private static SimulatedDisk.Fault failing(int left, String message, boolean deletesToo) {
        int[] passing = {left};
        return new SimulatedDisk.Fault() {
            private void count() throws IOException {
                if (passing[0]-- <= 0) {
                    throw new IOException(message);
                }
            }

            @Override
            public void write(Path path) throws IOException {
                count();
            }

            @Override
            public long partOf(long bytes) {
                return bytes / 2;
            }

            @Override
            public void sync(Path path) throws IOException {
                count();
            }

            @Override
            public void delete(Path path) throws IOException {
                if (deletesToo) {
                    throw new IOException(message);
                }
            }
        };
    }

    private int failuresUntilItSucceeds(SimulatedDisk fresh, String message, ErrorCode code, boolean deletesToo) {
        for (int left = 0; ; left++) {
            FileSnapshotStore writer = store(fresh, 100L * left);
            fresh.fault(failing(left, message, deletesToo));
            try {
                SnapshotFile file = write(writer, left, state(1, 60));
                writer.writeManifest("default", 3, left, "{}");
                fresh.fault(new SimulatedDisk.Fault() {});
                fresh.crash(new Random(left));
                writer.verify(file);
                return left;
            } catch (StreamException e) {
                assertThat(e.code()).isEqualTo(code);
                assertThat(e).hasMessageContaining(message).hasMessageContaining("snapshots");
            }
            fresh.fault(new SimulatedDisk.Fault() {});
            if (!deletesToo) {
                // A state file whose manifest failed, at most.
                assertThat(fresh.list(APPLICATION)).as("failure " + left).allMatch(n -> n.endsWith(".state"));
            }
            fresh.crash(new Random(left));
            // A whole one may be left, where removing it failed or was lost with the power; never part of one.
            assertThat(writer.manifests("default"))
                    .allMatch(n -> writer.readManifest(n).equals("{}"));
        }
    }

    @Test
    void aFullDiskOrAFailedSyncLeavesNothingThatCountsWhereverItHits() {
        for (boolean deletesToo : new boolean[] {false, true}) {
            // File, its sync, its name, and as much of the manifest; directories are made only once.
            assertThat(failuresUntilItSucceeds(
                            new SimulatedDisk(), "No space left on device", ErrorCode.DISK_FULL, deletesToo))
                    .isGreaterThanOrEqualTo(6);
            assertThat(failuresUntilItSucceeds(
                            new SimulatedDisk(), "Input/output error", ErrorCode.IO_ERROR, deletesToo))
                    .isGreaterThanOrEqualTo(6);
        }
    }

    @Test
    void aFileOfManyPiecesMayFailInAnyOfThem() {
        try (StateRows state = new StateRows(1, 0, List.of("view"), large(15))) {
            FileSnapshotStore writer = new FileSnapshotStore(disk, ROOT, Clock.SYSTEM, 0);
            SnapshotFile file = writer.write("default", 1, 1, FULL, List.of(state));
            assertThat(file.bytes()).isGreaterThan(3 * (4 << 20));
            writer.verify(file);
            assertThat(States.read(writer, file, 1, 0)).isEqualTo(States.lines(List.of(state)));
            disk.fault(failing(2, "No space left on device", false));
            assertFails(
                    () -> writer.write("default", 1, 2, FULL, List.of(state)),
                    ErrorCode.DISK_FULL,
                    "cannot write " + APPLICATION);
            assertThat(disk.list(APPLICATION)).hasSize(1);
        }
        assertThat(memory.usedBytes()).isZero();
    }

    /** Batches of a megabyte. */
    private List<ColumnBatch> large(int batches) {
        List<ColumnBatch> out = new ArrayList<>();
        for (int i = 0; i < batches; i++) {
            try (BatchBuilder builder = new BatchBuilder(StateRows.SCHEMA, 2, false, memory)) {
                for (int row = 0; row < 2; row++) {
                    List<Object> values = List.of(0L, 0L, row + 2L * i, 1L, new byte[] {1}, new byte[1 << 19]);
                    for (int c = 0; c < values.size(); c++) {
                        Values.set(builder, c, row, values.get(c));
                    }
                }
                out.add(builder.finish(2));
            }
        }
        return out;
    }

    @Test
    void snapshotsLeaveTheReserveToTheLogs() {
        small();
        disk.space(new FileIo.Space(100, 1 << 30));
        FileSnapshotStore fresh = store(disk, 50);
        assertFails(() -> write(fresh, 6, state(1, 4)), ErrorCode.DISK_FULL, "in reserve");
        assertFails(() -> fresh.writeManifest("default", 3, 6, "{}"), ErrorCode.DISK_FULL, "in reserve");
        assertThat(disk.list(APPLICATION)).hasSize(1);
    }

    @Test
    void aDiskThatCannotReadIsNoDamage() {
        SnapshotFile file = small();
        String manifest = store.writeManifest("default", 3, 5, "{}");
        for (int left = 0; left < 4; left++) {
            int[] passing = {left};
            disk.fault(new SimulatedDisk.Fault() {
                @Override
                public void read(Path path) throws IOException {
                    if (passing[0]-- <= 0) {
                        throw new IOException("Input/output error");
                    }
                }
            });
            assertFails(() -> store.read(file, 1, -1, part -> {}), ErrorCode.IO_ERROR, "cannot read");
            assertFails(() -> store.verify(file), ErrorCode.IO_ERROR, "cannot read");
            assertFails(() -> store.readManifest(manifest), ErrorCode.IO_ERROR, "cannot read");
            assertThat(store.manifests("default")).isEmpty();
        }
        disk.fault(new SimulatedDisk.Fault() {});
        assertThat(store.manifests("default")).containsExactly(manifest);
    }

    @Test
    void writersOfOneTickDoNotMeet() throws Exception {
        // All draw the same names, so that each has to give way to all before it.
        List<Callable<SnapshotFile>> writers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            long seed = i;
            writers.add(() -> {
                long[] next = {0};
                FileSnapshotStore mine = new FileSnapshotStore(
                        FileIo.DISK, temporary.resolve("snapshots"), Clock.SYSTEM, 0, () -> next[0]++, 500);
                return write(mine, 5, state(seed, 30));
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(3);
        FileSnapshotStore reader = new FileSnapshotStore(FileIo.DISK, temporary.resolve("snapshots"), Clock.SYSTEM, 0);
        List<String> names = new ArrayList<>();
        for (Future<SnapshotFile> each : threads.invokeAll(writers)) {
            SnapshotFile file = each.get();
            reader.verify(file);
            List<StateRows> expected = state(names.size(), 30);
            assertThat(States.read(reader, file, 7, 0)).isEqualTo(States.lines(expected.subList(2, 3)));
            expected.forEach(StateRows::close);
            names.add(file.name());
        }
        threads.shutdown();
        assertThat(names).doesNotHaveDuplicates().allMatch(n -> n.startsWith("default/3-5-"));
    }

    @Test
    void aWriterThatFindsNoFreeNameGivesUp() {
        FileSnapshotStore stubborn = store(disk, () -> 42);
        write(stubborn, 5, state(1, 4));
        assertFails(() -> write(stubborn, 5, state(1, 4)), ErrorCode.IO_ERROR, "was in use");
        write(stubborn, 6, state(1, 4));
    }

    @Test
    void nothingIsRenamedReusedOrWrittenTwice() {
        StrictIo strict = new StrictIo(disk);
        FileSnapshotStore careful = store(strict, 0);
        for (int tick = 0; tick < 5; tick++) {
            SnapshotFile file = write(careful, tick, state(tick, 30));
            assertThat(strict.durable()).contains(ROOT.resolve(file.name()));
            String manifest = careful.writeManifest("default", 3, tick, "{}");
            assertThat(strict.durable()).contains(ROOT.resolve(manifest));
            careful.collect("default", Set.of(), Long.MAX_VALUE);
        }
        // Nor when something fails on the way.
        for (int left = 0; left < 5; left++) {
            long tick = 100L + left;
            disk.fault(failing(left, "Input/output error", false));
            assertFails(
                    () -> {
                        write(careful, tick, state(1, 30));
                        careful.writeManifest("default", 3, tick, "{}");
                    },
                    ErrorCode.IO_ERROR,
                    "Input/output error");
        }
    }

    @Test
    void whatIsNamedAndWhatIsYoungIsKept() throws IOException {
        disk.time(1_000);
        SnapshotFile named = write(store, 1, state(1, 4));
        SnapshotFile forgotten = write(store, 2, state(1, 4));
        String namedManifest = store.writeManifest("default", 3, 1, "{}");
        String forgottenManifest = store.writeManifest("default", 3, 2, "{}");
        disk.time(2_000);
        SnapshotFile young = write(store, 3, state(1, 4));
        String youngManifest = store.writeManifest("default", 3, 3, "{}");
        disk.open(APPLICATION.resolve("notes.txt")).close();
        store.write("other", 3, 2, FULL, List.of());
        Set<String> kept = Set.of(named.name(), namedManifest, "other/3-2-0000000000000002.state");

        disk.fault(failing(1000, "Input/output error", true));
        assertThat(store.collect("default", kept, 1_000)).isZero();
        disk.fault(new SimulatedDisk.Fault() {});
        assertThat(store.collect("default", kept, 1_000)).isEqualTo(2);
        assertThat(store.collect("default", kept, 1_000)).isZero();

        store.verify(named);
        store.verify(young);
        assertThat(store.manifests("default")).containsExactly(namedManifest, youngManifest);
        assertThat(disk.list(APPLICATION))
                .contains("notes.txt")
                .doesNotContain(
                        Path.of(forgotten.name()).getFileName().toString(),
                        Path.of(forgottenManifest).getFileName().toString());
        assertThat(store.collect("default", kept, 2_000)).isEqualTo(2);
        assertThat(disk.list(ROOT.resolve("other"))).hasSize(1);
        assertThat(store.collect("never heard of", Set.of(), 2_000)).isZero();
    }

    @Test
    void manifestsAreListedFromOldToNew() throws IOException {
        String replaced = store.writeManifest("default", 3, 900, "{\"of\":\"a master that was replaced\"}");
        String first = store.writeManifest("default", 4, 80, "{\"İ\":\"\\n\"}\n");
        String damaged = store.writeManifest("default", 4, 90, "{}");
        String last = store.writeManifest("default", 4, 101, "");
        store.write("default", 4, 101, FULL, List.of());
        byte[] bytes = bytes(damaged);
        bytes[bytes.length - 2] ^= 1;
        replace(damaged, bytes);
        assertThat(store.manifests("default")).containsExactly(replaced, first, last);
        assertThat(store.readManifest(first)).isEqualTo("{\"İ\":\"\\n\"}\n");
        assertThat(store.readManifest(last)).isEmpty();
        assertThat(new String(bytes(first), java.nio.charset.StandardCharsets.UTF_8))
                .startsWith("tailwater-manifest 1 ");
    }

    @Test
    void everyFlippedBitOfAManifestIsFound() throws IOException {
        String name = store.writeManifest("default", 4, 80, "{\"tick\":80,\"İ\":[1,2]}");
        byte[] whole = bytes(name);
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] damaged = whole.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            replace(name, damaged);
            assertFails(() -> store.readManifest(name), ErrorCode.DATA_CORRUPTED, "is corrupt");
        }
        for (int length = 0; length < whole.length; length++) {
            replace(name, Arrays.copyOf(whole, length));
            assertFails(() -> store.readManifest(name), ErrorCode.DATA_CORRUPTED, "is corrupt");
        }
        replace(name, Arrays.copyOf(whole, whole.length + 1));
        assertFails(() -> store.readManifest(name), ErrorCode.DATA_CORRUPTED, "is corrupt");
    }

    @Test
    void anApplicationMayHaveAnyName() {
        List<String> names = List.of("..", ".hidden", "İstanbul 100%", "a/b\\c", "default");
        assertThat(store.applications()).isEmpty();
        for (String name : names) {
            SnapshotFile file = store.write(name, 1, 1, FULL, List.of());
            store.verify(file);
            String manifest = store.writeManifest(name, 1, 1, "{}");
            assertThat(store.manifests(name)).containsExactly(manifest);
            assertThat(store.readManifest(manifest)).isEqualTo("{}");
            assertThat(store.collect(name, Set.of(file.name()), Long.MAX_VALUE)).isEqualTo(1);
            store.verify(file);
        }
        assertThat(store.applications())
                .containsExactlyElementsOf(names.stream().sorted().toList());
        assertFails(() -> store.writeManifest("", 1, 1, "{}"), ErrorCode.INVALID_PARAMETER_VALUE, "cannot be stored");
    }

    @Test
    void whatIsNoApplicationIsNotListed() throws IOException {
        small();
        for (String stray : List.of("%zz", "lost found", ".nfs0001")) {
            disk.createDirectories(ROOT.resolve(stray));
        }
        assertThat(store.applications()).containsExactly("default");
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamedAndOneThatIsGoneIsMadeAgain() throws IOException {
        Path file = java.nio.file.Files.writeString(temporary.resolve("file"), "x");
        FileSnapshotStore nowhere = new FileSnapshotStore(FileIo.DISK, file.resolve("snapshots"), Clock.SYSTEM, 0);
        assertFails(
                () -> nowhere.writeManifest("default", 1, 1, "{}"),
                ErrorCode.IO_ERROR,
                "cannot make " + file.resolve("snapshots/default"));
        FileSnapshotStore somewhere = new FileSnapshotStore(FileIo.DISK, temporary, Clock.SYSTEM, 0);
        somewhere.writeManifest("default", 1, 1, "{}");
        FileIo.DISK.delete(temporary.resolve("default"));
        assertFails(() -> somewhere.writeManifest("default", 1, 2, "{}"), ErrorCode.IO_ERROR, "cannot write");
        assertThat(somewhere.readManifest(somewhere.writeManifest("default", 1, 2, "{}")))
                .isEqualTo("{}");
    }

    @Test
    void noNameLeadsOutOfTheStore() {
        for (String name : List.of(
                "../default/3-5-0000000000000000.manifest",
                "default/../3-5-0000000000000000.manifest",
                ".default/3-5-0000000000000000.manifest",
                "/etc/passwd",
                "default/notes.txt")) {
            assertFails(() -> store.readManifest(name), ErrorCode.DATA_CORRUPTED, "not the name of a file");
        }
    }

    @Test
    void aFileOfANewerReleaseIsRefused() throws IOException {
        disk.createDirectories(APPLICATION);
        Path path = APPLICATION.resolve("3-5-0000000000000000.state");
        try (MessageBuffer buffer = new MessageBuffer(64);
                FileIo.OpenFile file = disk.create(path)) {
            SpaceGuard space = new SpaceGuard(disk, ROOT, 0, SpaceGuard.Share.OUTPUT, Clock.SYSTEM);
            new StateFileWriter(file, buffer, space, memory, 100, Map.of(StateFile.FORMAT, "2")).finish();
        }
        assertFails(() -> StateFile.open(disk, path), ErrorCode.DATA_CORRUPTED, "version \"2\"");
        String name = store.writeManifest("default", 1, 1, "{}");
        replace(name, "tailwater-manifest 2 00000000 2\n{}\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertFails(() -> store.readManifest(name), ErrorCode.DATA_CORRUPTED, "not known to this release");
    }
}
