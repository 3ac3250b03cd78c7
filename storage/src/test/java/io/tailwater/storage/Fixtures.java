package io.tailwater.storage;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.MetadataStore;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.snapshot.States;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/**
 * Data directories as releases left them, one per version of a format, under {@code fixtures/<version>}, each with a file {@code <version>.txt} beside it that
 * says what can be read from it.
 *
 * <p>When a format changes, run {@link #main} with a new directory beside the old ones and commit it: {@code FixturesTest} reads all there are. A directory that is
 * there is never written again: it stands for what users have. Its text may follow what the records of today are called.
 */
final class Fixtures {
    private Fixtures() {}

    /** Writes a data directory of today's format to {@code args[0]}, which must not be there. */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        if (Files.exists(directory)) {
            throw new IOException(directory + " is there already, and stays as it is");
        }
        List<String> expected;
        try (DataDirectory data = DataDirectory.open(directory, Clock.SYSTEM)) {
            metadata(data.metadata());
            log(data.applicationLog("default"));
            stream(data.streams().open(new PartitionName("public.orders", 0, 0)));
            snapshot(data);
            expected = describe(data);
        }
        Files.write(Path.of(args[0] + ".txt"), expected);
        Files.writeString(directory.resolve("boot"), "00000000-0000-0000-0000-000000000000 clean\n");
        Files.delete(directory.resolve("lock"));
    }

    private static void metadata(MetadataStore metadata) {
        metadata.put("/catalog/orders", "{\"name\":\"orders\",\"İ\":1}");
        metadata.put("/catalog/orders", "{\"name\":\"orders\",\"İ\":2}");
        metadata.put("/gone", "x");
        long lease = metadata.grantLease(Duration.ofDays(1));
        metadata.commit(
                List.of(),
                List.of(
                        new MetadataStore.Operation.Put("/master", "1", lease),
                        new MetadataStore.Operation.Delete("/gone")));
    }

    private static void log(ApplicationLog log) {
        log.append(new ControlRecord.Owner(3, 1_700_000_000_000_000L));
        log.append(new ControlRecord.Plan(3, 1, 0, "{\"jobs\":[\"İstanbul\"]}"));
        log.append(new ControlRecord.Bind(
                3,
                0,
                1,
                1_700_000_000_000_001L,
                List.of(new ControlRecord.ReaderBind(
                        "delays",
                        0,
                        List.of(new ControlRecord.Range("w0/p0", 0, 17, 34_816, 0)),
                        FrameHeader.NO_TIME,
                        false))));
        log.append(new ControlRecord.Commit(
                3,
                0,
                List.of(new ControlRecord.OutputCommit(
                        "delays", "public.out", 1, List.of(new ControlRecord.PartitionRange(0, 0, 4)))),
                List.of(new ControlRecord.SinkCommit("export", "public.csv", List.of(0L, 4096L)))));
        log.append(new ControlRecord.Fail(4, 1, "delays", "22012", "division by zero"));
    }

    private static void stream(PartitionLog stream) {
        for (int i = 0; i < 4; i++) {
            byte[] body = ("body of frame " + i + " " + "x".repeat(i)).getBytes(StandardCharsets.UTF_8);
            stream.append(FrameHeader.data(1, 7, i, 10L * i, 10L * i + 5).producedBy(8, 9, i), ByteBuffer.wrap(body));
            if (i == 1) {
                stream.roll();
            }
        }
    }

    private static void snapshot(DataDirectory data) {
        MemoryAccount memory = MemoryAccount.unlimited("fixtures");
        List<StateRows> state = List.of(
                States.random(1, 0, 2, 3, new Random(1), memory), States.random(7, 1, 1, 3, new Random(2), memory));
        SnapshotFile file = data.snapshots().write("default", 3, 5, new VnodeRange(16, 32), state);
        state.forEach(StateRows::close);
        data.snapshots()
                .writeManifest(
                        "default",
                        3,
                        5,
                        "{\"file\":\"%s\",\"bytes\":%d,\"crc\":%d,\"rows\":%d}"
                                .formatted(file.name(), file.bytes(), file.crc(), file.rows()));
    }

    /** Everything that can be read from a directory, a line each. */
    static List<String> describe(DataDirectory data) {
        List<String> out = new ArrayList<>();
        for (MetadataStore.Entry entry : data.metadata().range("")) {
            out.add("metadata " + entry);
        }
        data.applicationLog("default").read(0, (position, record) -> out.add("log " + position + " " + record));
        PartitionLog stream = data.streams().open(new PartitionName("public.orders", 0, 0));
        stream.read(stream.start(), stream.end(), (header, body, length) -> {
            byte[] bytes = new byte[length];
            io.tailwater.api.batch.Mem.copyToArray(body, bytes, 0, length);
            out.add("frame " + header + " " + HexFormat.of().formatHex(bytes));
        });
        for (String manifest : data.snapshots().manifests("default")) {
            String json = data.snapshots().readManifest(manifest);
            out.add("manifest " + manifest + " " + json);
            SnapshotFile file = file(json);
            data.snapshots().verify(file);
            for (long job : new long[] {1, 7}) {
                States.read(data.snapshots(), file, job, -1).forEach(line -> out.add("state " + line));
            }
        }
        return out;
    }

    private static SnapshotFile file(String manifest) {
        try {
            com.fasterxml.jackson.databind.JsonNode json =
                    new com.fasterxml.jackson.databind.ObjectMapper().readTree(manifest);
            return new SnapshotFile(
                    json.get("file").textValue(),
                    json.get("bytes").longValue(),
                    json.get("crc").longValue(),
                    json.get("rows").longValue(),
                    5,
                    new VnodeRange(16, 32));
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError(manifest, e);
        }
    }
}
