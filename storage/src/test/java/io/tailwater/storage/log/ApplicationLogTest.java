package io.tailwater.storage.log;

import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlCodec;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.DataDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

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
