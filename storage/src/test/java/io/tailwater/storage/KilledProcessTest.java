package io.tailwater.storage;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.file.SegmentFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Real processes, really killed. */
class KilledProcessTest {
    /** How often the process is killed; the long run raises it: {@code -Dtailwater.kills=200}. */
    private static final int KILLS = Integer.getInteger("tailwater.kills", 3);

    @TempDir
    Path directory;

    private Process start(SegmentFormat format, String... more) throws IOException {
        List<Object> arguments = new ArrayList<>(List.of(directory, format));
        arguments.addAll(List.of(more));
        return ChildProcess.start(AppendingProcess.class, arguments.toArray());
    }

    private static BufferedReader output(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @EnumSource(SegmentFormat.class)
    void whatWasAcknowledgedBeforeTheKillIsThereAfterIt(SegmentFormat format) throws IOException, InterruptedException {
        Random random = new Random(42);
        Map<String, Long> acknowledged = new HashMap<>();
        for (int kill = 0; kill < KILLS; kill++) {
            Process process = start(format);
            try (BufferedReader out = output(process)) {
                assertThat(out.readLine()).isEqualTo(kill == 0 ? "open NEW" : "open CRASH");
                int lines = 50 + random.nextInt(2000);
                String line;
                while ((line = out.readLine()) != null) {
                    String[] parts = line.split(" ", -1);
                    acknowledged.merge(parts[0], Long.parseLong(parts[1]), Math::max);
                    if (--lines == 0) {
                        // Not Process.destroyForcibly, which would close the output before it is read.
                        process.toHandle().destroyForcibly();
                    }
                }
                process.waitFor();
            }
        }
        try (DataDirectory data = DataDirectory.open(directory, Clock.SYSTEM)) {
            assertThat(data.lastEnd()).isEqualTo(DataDirectory.LastEnd.CRASH);
            System.out.println(format + ": killed " + KILLS + " times, acknowledged " + new TreeMap<>(acknowledged));
            for (int p = 0; p < 2; p++) {
                PartitionLog log = data.streams().open(new PartitionName("orders", 0, p));
                assertThat(log.end()).isGreaterThan(acknowledged.get(Integer.toString(p)));
                String prefix = p + "/";
                log.read(0, log.end(), (header, body, length) -> {
                    byte[] text = new byte[length];
                    Mem.copyToArray(body, text, 0, length);
                    assertThat(new String(text, StandardCharsets.UTF_8)).matches(prefix + header.frame() + "x*");
                });
            }
            ApplicationLog log = data.applicationLog("default");
            assertThat(log.end()).isGreaterThan(acknowledged.get("log"));
            List<ControlRecord> records = log.readAll();
            for (int i = 0; i < records.size(); i++) {
                assertThat(((ControlRecord.Commit) records.get(i)).tick()).isEqualTo(i);
            }
            assertThat(Long.parseLong(data.metadata().get("/n").orElseThrow().value()))
                    .isGreaterThanOrEqualTo(acknowledged.get("key"));
        }
    }

    @Test
    void aSecondServerIsRefusedWhileTheFirstLivesAndNotAfterItWasKilled() throws IOException, InterruptedException {
        Process process = start(SegmentFormat.FILE, "wait");
        try (BufferedReader out = output(process)) {
            assertThat(out.readLine()).isEqualTo("open NEW");
            assertThatThrownBy(() -> DataDirectory.open(directory, Clock.SYSTEM))
                    .isInstanceOf(StreamException.class)
                    .hasMessage(
                            "data directory " + directory + " is in use by another server (pid " + process.pid() + ")")
                    .extracting(e -> ((StreamException) e).code())
                    .isEqualTo(ErrorCode.OBJECT_IN_USE);
            process.destroyForcibly().waitFor();
        }
        try (DataDirectory data = DataDirectory.open(directory, Clock.SYSTEM)) {
            assertThat(data.lastEnd()).isEqualTo(DataDirectory.LastEnd.CRASH);
            assertThatThrownBy(() -> DataDirectory.open(directory, Clock.SYSTEM))
                    .hasMessageContaining("this process");
        }
        DataDirectory.open(directory, Clock.SYSTEM).close();
    }
}
