package io.tailwater.storage.inspect;

import io.tailwater.api.storage.MetadataStore;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.IoErrors;
import io.tailwater.storage.metadata.JournalInspection;
import io.tailwater.storage.snapshot.SnapshotName;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Shows what is in a data directory, in a directory of snapshots kept elsewhere, or in a file of one, while a server is stopped or running. Only reads, and takes no
 * lock. Owned by one thread.
 */
public final class Inspector {
    /**
     * What is shown beside the overview.
     *
     * @param frames whether each frame is listed
     * @param log whether each record of application logs is
     * @param rows of each job and worker that are shown of each state file
     */
    public record Options(boolean frames, boolean log, int rows) {}

    private final Report report;
    private final Options options;

    private Inspector(Report report, Options options) {
        this.report = report;
        this.options = options;
    }

    /**
     * Shows all of {@code paths}.
     *
     * @return how much of it is damaged
     * @throws StreamException 58P01 for a path that is not there, 22023 for one that holds nothing of ours
     */
    public static int inspect(List<Path> paths, Options options, PrintWriter out) {
        Report report = new Report(out);
        for (Path path : paths) {
            new Inspector(report, options).path(path);
        }
        if (report.damages() > 0) {
            report.line(0, report.damages() + " damaged");
        }
        out.flush();
        return report.damages();
    }

    private void path(Path path) {
        if (!Files.exists(path)) {
            throw new StreamException(ErrorCode.UNDEFINED_FILE, path + " does not exist");
        }
        SnapshotName file = SnapshotName.parse(path.toAbsolutePath().getFileName() + "");
        SnapshotsReport snapshots = new SnapshotsReport(report, options);
        if (Files.exists(path.resolve("format"))) {
            directory(path);
        } else if (file != null && !Files.isDirectory(path)) {
            report.line(0, path.toString());
            report.look(
                    1,
                    path,
                    file.kind().equals(SnapshotName.STATE)
                            ? () -> snapshots.state(path)
                            : () -> snapshots.manifest(path));
        } else if (Files.isDirectory(path) && holdsSnapshots(path)) {
            report.line(0, "snapshots in " + path);
            snapshots.store(path);
        } else {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    path + " is no data directory, no directory of snapshots, and no file of one",
                    -1,
                    "Name the directory that the setting data.dir names.",
                    null);
        }
    }

    private static boolean holdsSnapshots(Path path) {
        return Report.list(path).stream()
                .map(path::resolve)
                .filter(Files::isDirectory)
                .flatMap(child -> Report.list(child).stream())
                .anyMatch(name -> SnapshotName.parse(name) != null);
    }

    private void directory(Path path) {
        report.line(0, "data directory " + path);
        for (String name : List.of("format", "boot", "lock")) {
            Path file = path.resolve(name);
            if (Files.exists(file)) {
                report.look(1, file, () -> report.line(1, name + " " + text(file)));
            }
        }
        Path metadata = path.resolve("metadata");
        report.line(0, "metadata");
        report.look(1, path, () -> metadata(metadata));
        section("streams", path, part -> new PartitionsReport(report, options, false).store(part));
        section("applications", path, part -> new PartitionsReport(report, options, true).store(part));
        section("snapshots", path, part -> new SnapshotsReport(report, options).store(part));
    }

    private void section(String name, Path path, java.util.function.Consumer<Path> look) {
        Path part = path.resolve(name);
        if (Files.exists(part)) {
            report.line(0, name);
            report.look(1, part, () -> look.accept(part));
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            throw IoErrors.of("cannot read " + file, e);
        }
    }

    private void metadata(Path directory) {
        JournalInspection journal = JournalInspection.read(FileIo.DISK, directory);
        report.line(
                1,
                "revision %d, %d keys, %d bytes"
                        .formatted(journal.revision(), journal.entries().size(), journal.bytes()));
        for (MetadataStore.Entry entry : journal.entries()) {
            report.line(
                    2,
                    "%s: %d characters, version %d, put by revision %d%s"
                            .formatted(
                                    entry.key(),
                                    entry.value().length(),
                                    entry.version(),
                                    entry.modified(),
                                    entry.lease() == MetadataStore.NO_LEASE ? "" : ", lease " + entry.lease()));
        }
        journal.damage().ifPresent(damage -> report.damaged(1, damage));
        if (journal.damage().isEmpty() && journal.unfinished() > 0) {
            report.line(1, "unfinished: " + journal.unfinished() + " bytes behind the last record");
        }
    }
}
