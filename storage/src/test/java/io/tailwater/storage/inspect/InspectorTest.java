package io.tailwater.storage.inspect;

import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.DataDirectory;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.FileSegmentStore;
import io.tailwater.storage.file.SegmentFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class InspectorTest {
    private static final Path FIXTURE = Path.of("src/test/resources/fixtures/2");
    private static final Inspector.Options ALL = new Inspector.Options(true, true, 2);
    private static final Inspector.Options OVERVIEW = new Inspector.Options(false, false, 0);

    @TempDir
    Path temporary;

    private Path data = Path.of("");
    private String out = "";

    @BeforeEach
    void copy() throws IOException {
        data = temporary.resolve("data");
        try (Stream<Path> all = Files.walk(FIXTURE)) {
            for (Path from : all.toList()) {
                Files.copy(from, data.resolve(FIXTURE.relativize(from).toString()));
            }
        }
    }

    private int inspect(Inspector.Options options, Path... paths) {
        StringWriter text = new StringWriter();
        int damages = Inspector.inspect(List.of(paths), options, new PrintWriter(text));
        out = text.toString();
        return damages;
    }

    /** Each file with its content and when it was written. */
    private static Map<String, String> everything(Path directory) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.toList()) {
                files.put(
                        path.toString(),
                        Files.getLastModifiedTime(path)
                                + (Files.isDirectory(path) ? "" : HexFormat.of().formatHex(Files.readAllBytes(path))));
            }
        }
        return files;
    }

    @Test
    void everythingIsShownAndNothingChanged() throws IOException {
        Map<String, String> before = everything(data);
        assertThat(inspect(ALL, data)).as(out).isZero();
        assertThat(everything(data)).isEqualTo(before);
        assertThat(out)
                .contains(
                        "data directory " + data,
                        "format tailwater-data 2",
                        "boot 00000000-0000-0000-0000-000000000000 clean",
                        "revision 4, 2 keys",
                        "/catalog/orders: 23 characters, version 2, put by revision 2\n",
                        "/master: 1 characters, version 1, put by revision 4, lease 1\n",
                        "public.orders w0 p0\n",
                        "seg-0-1: frames 0 to 2, epoch 1, 200 bytes, 1 rows, begun 20",
                        "seg-2-1: frames 2 to 4, epoch 1, 208 bytes, 5 rows, begun 20",
                        ", open\n",
                        ", sealed 20",
                        "frame 3 at 168: 19 bytes, 3 rows, event times 1970-01-01T00:00:00.000030Z to",
                        "default w0 p0\n",
                        "seg-0-3: frames 0 to 4, epoch 3, 488 bytes, 4 records",
                        "0 OWNER epoch 3, clock 2023-11-14T22:13:20Z\n",
                        "1 PLAN epoch 3, version 1 from tick 0 on: {\"jobs\":[\"İstanbul\"]}\n",
                        "2 BIND epoch 3, tick 0, plan 1, clock 2023-11-14T22:13:20.000001Z; delays#0 w0/p0 0 to 17 (34816 rows), watermark none\n",
                        "3 COMMIT epoch 3, tick 0; delays to public.out w1 p0 0 to 4; export to public.csv at [0, 4096]\n",
                        "4 FAIL epoch 4, tick 1, job delays: 22012 division by zero\n",
                        "3-5-aec80aa8469356da.manifest: ",
                        "\"rows\" : 7",
                        "3-5-3dfebad50620d308.state: 7 rows, 5386 bytes, crc 6be60614\n",
                        "tailwater.full 16-32\n",
                        "job 1, worker 0: 4 rows, ",
                        "op-1-0-İ part 2: 3 rows (1 gone), 157 bytes\n",
                        "row of op-7-0-İ part 0: vnode 218, hash dacc",
                        "key 9c9cc7fcbd60ee73f48e683aec841b8524b0, value 85e317f35eeec28d2c\n");
        assertThat(out.lines().filter(l -> l.contains("row of"))).hasSize(4);
    }

    @Test
    void theOverviewLeavesOutWhatIsLong() {
        assertThat(inspect(OVERVIEW, data)).isZero();
        assertThat(out)
                .contains("seg-0-3: frames 0 to 4", "op-1-0-İ part 2")
                .doesNotContain("OWNER", "frame 3 at", "row of");
    }

    /** One flipped bit each, or a file that is not there: told, and the rest is still shown. */
    @ParameterizedTest
    @CsvSource({
        "metadata/journal, 40, journal is corrupt at offset 24: a record does not match its checksum",
        "metadata/journal, 3, not a metadata journal",
        "metadata/journal, -1, journal is corrupt at offset 0: the file is missing",
        "streams/public.orders/w0/p0/seg-0-1/meta, 20, meta is corrupt at offset 0: not a segment description",
        "streams/public.orders/w0/p0/seg-0-1/meta, -1, meta is corrupt at offset 0: missing",
        "streams/public.orders/w0/p0/seg-0-1/frames, 0, frames is corrupt at offset 0: not a frames file",
        "streams/public.orders/w0/p0/seg-0-1/frames, 250, 'frames is corrupt at offset 160: a frame whose checksum does not match, in a sealed segment'",
        "streams/public.orders/w0/p0/seg-0-1/frames, -1, seg-0-1",
        "streams/public.orders/w0/p0/seg-2-1/frames, 250, below the acknowledged end 272",
        "applications/default/w0/p0/seg-0-3/frames, 150, frames is corrupt at offset 64",
        "snapshots/default/3-5-aec80aa8469356da.manifest, 50, the manifest is not as it was written",
        "snapshots/default/3-5-3dfebad50620d308.state, 20, the head is not as it was written",
        "snapshots/default/3-5-3dfebad50620d308.state, 5000, the index is not as it was written",
        "snapshots/default/3-5-3dfebad50620d308.state, 2100, a batch is not as it was written"
    })
    void damageIsToldAndTheRestGoesOn(String file, int at, String reason) throws IOException {
        Path path = data.resolve(file);
        if (at < 0) {
            Files.delete(path);
        } else {
            byte[] bytes = Files.readAllBytes(path);
            bytes[at] ^= 8;
            Files.write(path, bytes);
        }
        assertThat(inspect(ALL, data)).as(out).isEqualTo(1);
        assertThat(out.lines().filter(l -> l.contains("DAMAGED")))
                .hasSize(1)
                .allMatch(l -> l.contains(reason) && l.contains(String.valueOf(path.getParent())));
        assertThat(out).endsWith("1 damaged\n");
        List<String> sections = List.of(
                "revision 4", "seg-0-1: frames", "seg-2-1: frames", "3 COMMIT", "\"rows\" : 7", "job 7, worker 1");
        assertThat(sections.stream().filter(out::contains)).hasSizeGreaterThanOrEqualTo(5);
    }

    @Test
    void aGapIsTold() throws IOException {
        try (DataDirectory opened = DataDirectory.open(data, Clock.SYSTEM)) {
            PartitionLog stream = opened.streams().open(new PartitionName("public.orders", 0, 0));
            stream.roll();
            stream.append(FrameHeader.data(1, 1, 5, 0, 0), ByteBuffer.allocate(100));
        }
        assertThat(inspect(OVERVIEW, data)).as(out).isZero();
        Path partition = data.resolve("streams/public.orders/w0/p0");
        FileIo.DISK.delete(partition.resolve("seg-2-1"));
        Files.createDirectories(partition.resolve("seg-x"));
        assertThat(inspect(OVERVIEW, data)).as(out).isEqualTo(2);
        assertThat(out)
                .contains(partition.resolve("seg-4-1") + ": begins at frame 4, the one before ends at 2")
                .contains("seg-x: not the name of a segment");
    }

    @Test
    void whatTheNewestManifestNamesMustBeThere() throws IOException {
        SnapshotFile file;
        try (DataDirectory opened = DataDirectory.open(data, Clock.SYSTEM)) {
            file = opened.snapshots().write("default", 4, 6, VnodeRange.ALL, List.of());
            opened.snapshots()
                    .writeManifest("default", 4, 5, "{\"files\":[{\"name\":\"default/x\",\"bytes\":1,\"crc\":2}]}");
            opened.snapshots()
                    .writeManifest(
                            "default",
                            4,
                            6,
                            "{\"files\":[{\"name\":\"%s\",\"bytes\":%d,\"crc\":%d}]}"
                                    .formatted(file.name(), file.bytes(), file.crc()));
        }
        assertThat(inspect(OVERVIEW, data)).as(out).isZero();
        Path path = data.resolve("snapshots").resolve(file.name());
        byte[] whole = Files.readAllBytes(path);
        Files.copy(
                data.resolve("snapshots/default/3-5-3dfebad50620d308.state"),
                path,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertThat(inspect(OVERVIEW, data)).isEqualTo(1);
        assertThat(out).contains(path + " of " + whole.length + " bytes", "it has 5386 bytes, crc 6be60614");
        Files.delete(path);
        assertThat(inspect(OVERVIEW, data)).isEqualTo(1);
        assertThat(out).contains("there is no such whole file");
        try (DataDirectory opened = DataDirectory.open(data, Clock.SYSTEM)) {
            opened.snapshots().writeManifest("default", 4, 7, "not json");
        }
        assertThat(inspect(OVERVIEW, data)).isEqualTo(1);
        assertThat(out).contains("not JSON");
    }

    @ParameterizedTest
    @EnumSource(SegmentFormat.class)
    void aRunningServersDirectoryIsWhole(SegmentFormat format) throws IOException {
        Path running = temporary.resolve("running");
        try (DataDirectory open =
                DataDirectory.open(running, Clock.SYSTEM, FileSegmentStore.Options.DEFAULT.with(format))) {
            open.metadata().put("/k", "v");
            ApplicationLog log = open.applicationLog("İ/x");
            log.append(new ControlRecord.Owner(1, 0));
            PartitionLog stream = open.streams().open(new PartitionName("s", 2, 7));
            stream.append(FrameHeader.data(1, 1, 5, 0, 0), ByteBuffer.allocate(100));
            stream.sync();
            stream.append(
                    FrameHeader.data(1, 1, 6, FrameHeader.NO_TIME, FrameHeader.NO_TIME), ByteBuffer.allocate(100));
            Files.createDirectories(running.resolve("streams/s/w2/p7/seg-2-1"));
            Map<String, String> before = everything(running);
            assertThat(inspect(ALL, running)).as(out).isZero();
            assertThat(everything(running)).isEqualTo(before);
            assertThat(out)
                    .contains(
                            "lock pid " + ProcessHandle.current().pid(),
                            "running\n",
                            "s w2 p7\n",
                            "seg-0-1: frames 0 to 2, epoch 1",
                            " 11 rows",
                            "event times none to none",
                            "seg-2-1: nothing yet",
                            "İ/x w0 p0\n",
                            "0 OWNER epoch 1, clock 1970-01-01T00:00:00Z");
            stream.append(FrameHeader.data(1, 1, 7, 0, 0), ByteBuffer.allocate(100));
        }
        assertThat(inspect(OVERVIEW, running)).as(out).isZero();
    }

    @Test
    void whatACrashLeftBehindTheLastFrameIsNoDamage() throws IOException {
        Path frames = data.resolve("streams/public.orders/w0/p0/seg-2-1/frames");
        byte[] bytes = Files.readAllBytes(frames);
        Files.write(frames, java.util.Arrays.copyOf(bytes, bytes.length + 30));
        Path journal = data.resolve("metadata/journal");
        byte[] records = Files.readAllBytes(journal);
        Files.write(journal, java.util.Arrays.copyOf(records, records.length + 9));
        assertThat(inspect(ALL, data)).as(out).isZero();
        assertThat(out)
                .contains("unfinished from " + bytes.length + " on: ", "unfinished: 9 bytes behind the last record");
    }

    @Test
    void snapshotsKeptElsewhereAndSingleFilesAreShown() throws IOException {
        Path snapshots = data.resolve("snapshots");
        Path state = snapshots.resolve("default/3-5-3dfebad50620d308.state");
        Path manifest = snapshots.resolve("default/3-5-aec80aa8469356da.manifest");
        assertThat(inspect(OVERVIEW, snapshots)).isZero();
        assertThat(out).contains("snapshots in " + snapshots, "5386 bytes", "\"rows\" : 7");
        assertThat(inspect(OVERVIEW, manifest, state)).isZero();
        assertThat(out).contains("job 7, worker 1", "\"rows\" : 7");
        Files.write(state, new byte[100]);
        assertThat(inspect(OVERVIEW, state)).isEqualTo(1);
        assertThat(out).contains("DAMAGED " + state + " is corrupt at offset 100: not the end of a state file");
    }

    @Test
    void strayFilesDoNotStopIt() throws IOException {
        Files.writeString(data.resolve("streams/a-file"), "x");
        Files.createDirectories(data.resolve("streams/%zz/w0/p0"));
        Files.createDirectories(data.resolve("snapshots/%zz"));
        assertThat(inspect(OVERVIEW, data)).isEqualTo(1);
        assertThat(out).contains("DAMAGED cannot list", "%zz (no name of ours)", "public.orders w0 p0");
    }

    @Test
    void pathsThatHoldNothingOfOursAreRefused() throws IOException {
        Path empty = Files.createDirectory(temporary.resolve("empty"));
        Path letter = Files.writeString(temporary.resolve("letter.txt"), "mine");
        for (Path path : List.of(empty, letter)) {
            assertThatThrownBy(() -> inspect(OVERVIEW, path))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("is no data directory")
                    .extracting(e -> ((StreamException) e).code())
                    .isEqualTo(ErrorCode.INVALID_PARAMETER_VALUE);
        }
        assertThatThrownBy(() -> inspect(OVERVIEW, temporary.resolve("nowhere")))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("does not exist");
    }
}
