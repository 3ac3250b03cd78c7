package io.tailwater.storage.inspect;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.batch.ipc.MessageBuffer;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.snapshot.Manifests;
import io.tailwater.storage.snapshot.SnapshotName;
import io.tailwater.storage.snapshot.StateFile;
import io.tailwater.storage.snapshot.StateIndex;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Shows manifests and state files. Owned by one thread. */
final class SnapshotsReport {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final HexFormat HEX = HexFormat.of();

    private final Report report;
    private final Inspector.Options options;
    private final MemoryAccount memory = MemoryAccount.unlimited("inspect");

    SnapshotsReport(Report report, Inspector.Options options) {
        this.report = report;
        this.options = options;
    }

    /** Length and crc of a whole state file. */
    private record Whole(long bytes, long crc) {}

    /** Rows and bytes of one of an operator's states. */
    private static final class Part {
        private long rows;
        private long gone;
        private long bytes;
    }

    void store(Path root) {
        for (String application : Report.list(root)) {
            if (!application.startsWith(".")) {
                report.line(1, Report.decoded(application));
                report.look(2, root.resolve(application), () -> application(root, application));
            }
        }
    }

    private void application(Path root, String encoded) {
        Path directory = root.resolve(encoded);
        List<SnapshotName> names = Report.list(directory).stream()
                .map(SnapshotName::parse)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .sorted(Comparator.comparing(SnapshotName::kind).thenComparing(SnapshotName.OLD_TO_NEW))
                .toList();
        Map<String, Whole> files = new HashMap<>();
        Map<String, JsonNode> manifests = new TreeMap<>();
        @Nullable String newest = null;
        for (SnapshotName name : names) {
            Path path = directory.resolve(name.toString());
            if (name.kind().equals(SnapshotName.MANIFEST)) {
                newest = name.toString();
                report.look(2, path, () -> manifests.put(name.toString(), manifest(path)));
            } else {
                report.look(2, path, () -> files.put(encoded + "/" + name, state(path)));
            }
        }
        JsonNode last = newest == null ? null : manifests.get(newest);
        if (last != null) {
            checkNamed(directory.resolve(newest), last, root, files);
        }
    }

    JsonNode manifest(Path path) {
        String json = Manifests.read(FileIo.DISK, path);
        report.line(2, path.getFileName() + ": " + json.length() + " characters");
        try {
            JsonNode tree = JSON.readTree(json);
            JSON.writerWithDefaultPrettyPrinter()
                    .writeValueAsString(tree)
                    .lines()
                    .forEach(line -> report.line(3, line));
            return tree;
        } catch (JsonProcessingException e) {
            report.damaged(3, path + ": not JSON: " + e.getOriginalMessage());
            return JSON.createObjectNode();
        }
    }

    /** What the newest manifest names must be there as it says; what older ones name may have gone. */
    private void checkNamed(Path manifest, JsonNode node, Path root, Map<String, Whole> files) {
        JsonNode name = node.path("name");
        if (name.isTextual()
                && node.path("bytes").isNumber()
                && node.path("crc").isNumber()) {
            Whole found = files.get(name.textValue());
            Whole said =
                    new Whole(node.get("bytes").longValue(), node.get("crc").longValue());
            if (!said.equals(found)) {
                report.damaged(
                        2,
                        manifest + " names " + root.resolve(name.textValue()) + " of " + said.bytes() + " bytes, crc "
                                + hex(said.crc()) + "; "
                                + (found == null
                                        ? "there is no such whole file"
                                        : "it has " + found.bytes() + " bytes, crc " + hex(found.crc())));
            }
        }
        for (JsonNode child : node) {
            checkNamed(manifest, child, root, files);
        }
    }

    private static String hex(long crc) {
        return String.format(Locale.ROOT, "%08x", crc);
    }

    Whole state(Path path) {
        try (StateFile file = StateFile.open(FileIo.DISK, path);
                MessageBuffer buffer = new MessageBuffer(1 << 16)) {
            StateIndex index = file.index();
            report.line(
                    2,
                    "%s: %d rows, %d bytes, crc %s"
                            .formatted(path.getFileName(), index.rows(), file.bytes(), hex(file.crc())));
            new TreeMap<>(file.metadata()).forEach((key, value) -> report.line(3, key + " " + value));
            for (StateIndex.Part part : index.parts()) {
                report.line(
                        3,
                        "job %d, worker %d: %d rows, %d bytes in %d batches"
                                .formatted(
                                        part.job(),
                                        part.worker(),
                                        part.rows(),
                                        part.bytes(),
                                        part.batches().size()));
                report.look(4, path, () -> part(file, part, buffer));
            }
            return new Whole(file.bytes(), file.crc());
        }
    }

    private void part(StateFile file, StateIndex.Part part, MessageBuffer buffer) {
        Map<Integer, Map<Integer, Part>> sizes = new TreeMap<>();
        int[] shown = {0};
        try {
            for (StateIndex.Batch batch : part.batches()) {
                try (ColumnBatch rows = file.read(batch, buffer, memory)) {
                    count(rows, sizes);
                    for (int row = 0; row < rows.rows() && shown[0] < options.rows(); row++, shown[0]++) {
                        report.line(4, row(rows, row, part.operators()));
                    }
                }
            }
        } finally {
            sizes.forEach((operator, parts) -> parts.forEach((number, size) -> report.line(
                    4,
                    "%s part %d: %d rows (%d gone), %d bytes"
                            .formatted(part.operators().get(operator), number, size.rows, size.gone, size.bytes))));
        }
    }

    private static void count(ColumnBatch rows, Map<Integer, Map<Integer, Part>> sizes) {
        for (int row = 0; row < rows.rows(); row++) {
            Part size = sizes.computeIfAbsent(
                            Mem.getInt(rows.data(StateRows.OPERATOR) + 4L * row), o -> new TreeMap<>())
                    .computeIfAbsent(Mem.getInt(rows.data(StateRows.PART) + 4L * row), p -> new Part());
            size.rows++;
            size.bytes += StringView.length(rows.data(StateRows.KEY) + 16L * row);
            if (rows.isNull(StateRows.VALUE, row)) {
                size.gone++;
            } else {
                size.bytes += StringView.length(rows.data(StateRows.VALUE) + 16L * row);
            }
        }
    }

    private static String row(ColumnBatch rows, int row, List<String> operators) {
        long hash = Mem.getLong(rows.data(StateRows.HASH) + 8L * row);
        byte[] key = StringView.toBytes(rows.data(StateRows.KEY) + 16L * row);
        String value = rows.isNull(StateRows.VALUE, row)
                ? "gone"
                : "value " + HEX.formatHex(StringView.toBytes(rows.data(StateRows.VALUE) + 16L * row));
        return "row of %s part %d: vnode %d, hash %016x, weight %d, key %s, %s"
                .formatted(
                        operators.get(Mem.getInt(rows.data(StateRows.OPERATOR) + 4L * row)),
                        Mem.getInt(rows.data(StateRows.PART) + 4L * row),
                        Hashing.vnode(hash),
                        hash,
                        Mem.getLong(rows.data(StateRows.WEIGHT) + 8L * row),
                        HEX.formatHex(key),
                        value);
    }
}
