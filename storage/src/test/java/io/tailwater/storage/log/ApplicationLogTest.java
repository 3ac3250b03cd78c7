package io.tailwater.storage.log;

import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlCodec;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.DataDirectory;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.FileSegmentStore;
import io.tailwater.storage.file.SimulatedDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ApplicationLogTest {
    static final List<ControlRecord> RECORDS = List.of(
            new ControlRecord.Owner(3, 1_700_000_000_000_000L),
            new ControlRecord.Plan(3, 1, 0, "{\"jobs\":[\"İstanbul\"]}"),
            new ControlRecord.Bind(
                    3,
                    0,
                    1,
                    1_700_000_000_000_001L,
                    List.of(
                            new ControlRecord.ReaderBind(
                                    "delays",
                                    0,
                                    List.of(
                                            new ControlRecord.Range("w0/p0", 0, 17, 34_816, 0),
                                            new ControlRecord.Range("flights.csv#0", 0, 1 << 20, 9, -77)),
                                    FrameHeader.NO_TIME,
                                    false),
                            new ControlRecord.ReaderBind("delays", 1, List.of(), 5, true))),
            new ControlRecord.Commit(
                    3,
                    0,
                    List.of(new ControlRecord.OutputCommit(
                            "delays",
                            "public.out",
                            1,
                            List.of(
                                    new ControlRecord.PartitionRange(0, 0, 4),
                                    new ControlRecord.PartitionRange(3, 9, 10)))),
                    List.of(new ControlRecord.SinkCommit("export", "public.csv", List.of(0L, 4096L)))),
            new ControlRecord.Fail(3, 1, "delays", "22012", "division by zero"));

    @TempDir
    Path directory;

    @Test
    void recordsComeBackInOrderAfterReopening() {
        try (DataDirectory data = DataDirectory.open(directory, Clock.SYSTEM)) {
            ApplicationLog log = data.applicationLog("default");
            for (int i = 0; i < RECORDS.size(); i++) {
                assertThat(log.append(RECORDS.get(i))).isEqualTo(i);
            }
            assertThat(log.readAll()).isEqualTo(RECORDS);
        }
        try (DataDirectory data = DataDirectory.open(directory, Clock.SYSTEM)) {
            ApplicationLog log = data.applicationLog("default");
            assertThat(log.readAll()).isEqualTo(RECORDS);
            assertThat(log.epoch()).isEqualTo(3);
            assertThat(data.applicationLog("other").end()).isZero();
        }
    }

    @Test
    void aDeposedMasterCannotAppend() {
        try (DataDirectory data = DataDirectory.open(directory, Clock.SYSTEM)) {
            ApplicationLog log = data.applicationLog("default");
            log.append(new ControlRecord.Owner(4, 0));
            assertThatThrownBy(() -> log.append(RECORDS.get(3)))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("epoch 4 has taken over");
            assertThat(log.readAll()).containsExactly(new ControlRecord.Owner(4, 0));
        }
    }

    @Test
    void recordsPastATruncationAreGone() {
        try (DataDirectory data = DataDirectory.open(directory, Clock.SYSTEM)) {
            ApplicationLog log = data.applicationLog("default");
            RECORDS.forEach(log::append);
            log.truncate(2);
            log.append(RECORDS.get(4));
            assertThat(log.readAll()).containsExactly(RECORDS.get(0), RECORDS.get(1), RECORDS.get(4));
        }
    }

    private static ControlRecord.Owner record(long number) {
        return new ControlRecord.Owner(3, number);
    }

    private static List<ControlRecord> records(long from, long to) {
        return LongStream.range(from, to)
                .<ControlRecord>mapToObj(ApplicationLogTest::record)
                .toList();
    }

    private static FileSegmentStore store(FileIo io) {
        return new FileSegmentStore(io, Path.of("/data"), new FileSegmentStore.Options(1 << 20, 1000, 0).forLogs());
    }

    @Test
    void oldRecordsGoAndTheRestIsReadFromItsStart() {
        SimulatedDisk disk = new SimulatedDisk();
        try (FileSegmentStore store = store(disk)) {
            ApplicationLog log = SegmentApplicationLog.open(store, "default", 1);
            assertThat(log.start()).isZero();
            assertThat(log.removeBefore(0)).isZero();
            for (int i = 0; i < 10; i++) {
                assertThat(log.append(record(i))).isEqualTo(i);
                if (i == 3 || i == 6) {
                    // Nothing goes that is not before the position, but what is there becomes a piece of its own.
                    assertThat(log.removeBefore(0)).isZero();
                }
            }
            assertThat(log.removeBefore(3)).isZero();
            assertThat(log.removeBefore(5)).isEqualTo(4);
            assertThat(log.readAll()).isEqualTo(records(4, 10));
            assertThatThrownBy(() -> log.read(3, (position, record) -> {}))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("frame 3")
                    .hasMessageContaining("it holds 4 to 10");
            List<Long> positions = new ArrayList<>();
            log.read(7, (position, record) -> positions.add(position));
            assertThat(positions).containsExactly(7L, 8L, 9L);
        }
        try (FileSegmentStore store = store(disk)) {
            ApplicationLog log = SegmentApplicationLog.open(store, "default", 1);
            assertThat(log.start()).isEqualTo(4);
            assertThat(log.readAll()).isEqualTo(records(4, 10));
            assertThat(log.removeBefore(10)).as("the last piece stays").isEqualTo(7);
            assertThat(log.append(record(10))).isEqualTo(10);
            assertThat(log.removeBefore(10)).isEqualTo(10);
            assertThat(log.readAll()).isEqualTo(records(10, 11));
            assertThat(log.epoch()).isEqualTo(3);
        }
    }

    @Test
    void aSmallLogIsNotCutIntoPieces() {
        SimulatedDisk disk = new SimulatedDisk();
        try (FileSegmentStore store = store(disk)) {
            ApplicationLog log = SegmentApplicationLog.open(store, "default");
            for (int i = 0; i < 10; i++) {
                log.append(record(i));
                assertThat(log.removeBefore(i)).isZero();
            }
            assertThat(disk.list(Path.of("/data/default/w0/p0"))).hasSize(1);
        }
    }

    @Test
    void aLogWhoseBeginningIsGoneCanBeTruncatedAndAppendedTo() throws IOException {
        for (int at = 4; at <= 8; at++) {
            for (long epoch = 3; epoch < 5; epoch++) {
                SimulatedDisk disk = new SimulatedDisk();
                logFromFour(disk);
                for (int again = 0; again < 3; again++) {
                    try (FileSegmentStore store = store(disk)) {
                        ApplicationLog log = SegmentApplicationLog.open(store, "default", 1);
                        assertThat(log.start()).isEqualTo(4);
                        log.truncate(at);
                        assertThat(log.end()).isEqualTo(at);
                        assertThat(log.readAll()).isEqualTo(records(4, at));
                    }
                }
                ControlRecord next = new ControlRecord.Owner(epoch, 77);
                try (FileSegmentStore store = store(disk)) {
                    ApplicationLog log = SegmentApplicationLog.open(store, "default", 1);
                    assertThat(log.end()).isEqualTo(at);
                    assertThat(log.append(next)).isEqualTo(at);
                }
                try (FileSegmentStore store = store(disk)) {
                    ApplicationLog log = SegmentApplicationLog.open(store, "default", 1);
                    assertThat(log.start()).isEqualTo(4);
                    List<ControlRecord> expected = new ArrayList<>(records(4, at));
                    expected.add(next);
                    assertThat(log.readAll()).isEqualTo(expected);
                    assertThat(log.epoch()).isEqualTo(epoch);
                    assertThatThrownBy(() -> log.truncate(3)).isInstanceOf(IllegalArgumentException.class);
                }
            }
        }
    }

    private static void logFromFour(SimulatedDisk disk) throws IOException {
        try (FileSegmentStore store = store(disk)) {
            ApplicationLog log = SegmentApplicationLog.open(store, "default", 1);
            for (int i = 0; i < 8; i++) {
                log.append(record(i));
                if (i == 3) {
                    log.removeBefore(0);
                }
            }
            assertThat(log.removeBefore(4)).isEqualTo(4);
            // Else a loss of power might bring the old records back, which is no harm.
            disk.syncDirectory(Path.of("/data/default/w0/p0"));
        }
    }

    /** Nothing but an empty segment knows then where the log goes on. */
    @Test
    void aLogCutToNothingGoesOnWhereItWasWhateverFails() throws IOException {
        for (long epoch = 3; epoch < 5; epoch++) {
            boolean done = false;
            for (int failing = 0; !done; failing++) {
                for (int seed = 0; seed < 20; seed++) {
                    SimulatedDisk disk = new SimulatedDisk();
                    logFromFour(disk);
                    try (FileSegmentStore store = store(disk)) {
                        SegmentApplicationLog.open(store, "default", 1).truncate(4);
                    }
                    FileSegmentStore store = store(disk);
                    ApplicationLog log = SegmentApplicationLog.open(store, "default", 1);
                    disk.fault(failing(failing));
                    try {
                        log.append(new ControlRecord.Owner(epoch, 77));
                        done = true;
                    } catch (StreamException e) {
                        assertThat(e.code()).isEqualTo(ErrorCode.IO_ERROR);
                    }
                    disk.fault(new SimulatedDisk.Fault() {});
                    disk.crash(new Random(seed));
                    try (FileSegmentStore after = store(disk)) {
                        ApplicationLog again = SegmentApplicationLog.open(after, "default", 1);
                        assertThat(again.start())
                                .as("failure %d, seed %d", failing, seed)
                                .isEqualTo(4);
                        assertThat(again.epoch()).isBetween(3L, epoch);
                        long end = again.end();
                        assertThat(end).isBetween(4L, 5L);
                        assertThat(again.append(new ControlRecord.Owner(epoch, 78)))
                                .isEqualTo(end);
                        assertThat(again.readAll()).endsWith(new ControlRecord.Owner(epoch, 78));
                    }
                }
            }
        }
    }

    private static SimulatedDisk.Fault failing(int operation) {
        int[] left = {operation};
        return new SimulatedDisk.Fault() {
            private void count() throws IOException {
                if (left[0]-- <= 0) {
                    throw new IOException("Input/output error");
                }
            }

            @Override
            public void write(Path path) throws IOException {
                count();
            }

            @Override
            public void sync(Path path) throws IOException {
                count();
            }

            @Override
            public void rename(Path path) throws IOException {
                count();
            }

            @Override
            public void delete(Path path) throws IOException {
                count();
            }
        };
    }

    @Test
    void aRecordOfANewerReleaseIsRefused() {
        byte[] bytes = ControlCodec.write(RECORDS.get(0));
        assertThatThrownBy(() -> ControlCodec.read(bytes, ControlCodec.VERSION + 1))
                .isInstanceOf(StreamException.class)
                .extracting(e -> ((StreamException) e).code())
                .isEqualTo(ErrorCode.DATA_CORRUPTED);
        assertThatThrownBy(() -> ControlCodec.read(new byte[] {0, 1, 2}, 1)).isInstanceOf(StreamException.class);
        assertThatThrownBy(() -> ControlCodec.read(new byte[0], 1)).isInstanceOf(StreamException.class);
    }
}
