package io.tailwater.connector.files;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.Delivery;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * {@code connector = 'file'}: a file, the files of a directory or of a pattern, read once to the ends that they have when the query begins, or followed as they
 * grow and as new ones come; or written by a job.
 *
 * <p>A new job starts its file anew; from then on it only appends. With several workers each writes a file of its own: {@code out.csv}, {@code out-1.csv},
 * {@code out-2.csv} and so on.
 *
 * <p>A file is one split, read in order: event time then advances as it does in the file. Several files are dealt to a split for each worker in the order of
 * their names; files that are followed are a split each. A path that does not exist is accepted if its directory does, for
 * the stream may be a job's target; reading it fails. Thread-safe.
 */
public final class FileConnector implements Connector {
    @Override
    public String name() {
        return "file";
    }

    @Override
    public List<ConnectorOption> options() {
        return FileOptions.DECLARED;
    }

    @Override
    public boolean readable() {
        return true;
    }

    @Override
    public boolean writable() {
        return true;
    }

    @Override
    public Delivery delivery(CatalogObject.Stream stream) {
        return new Delivery(Delivery.Way.TWO_PHASE, "shows a tick's rows after its COMMIT");
    }

    @Override
    public CatalogObject.Stream resolve(CatalogObject.Stream declared, Path workingDirectory) {
        FileOptions options = FileOptions.parse(declared.options());
        Path path = workingDirectory.toAbsolutePath().resolve(options.path()).normalize();
        checkPath(path);
        declared.schema().columns().forEach(FileConnector::checkType);
        SortedMap<String, String> resolved = new TreeMap<>(declared.options());
        resolved.put("path", path.toString());
        if (options.tail() && declared.watermark() != null) {
            // A file that is complete, or was rotated away, must not hold the watermark back for ever.
            resolved.putIfAbsent("idle_timeout", "10 s");
        }
        CatalogObject.Stream stream = new CatalogObject.Stream(
                declared.name(),
                columns(declared.schema(), options.format(), path),
                declared.watermark(),
                declared.partitionBy(),
                declared.partitions(),
                resolved);
        checkFits(stream);
        return stream;
    }

    private static Schema columns(Schema declared, FileFormat format, Path path) {
        if (declared.size() > 0) {
            return declared;
        }
        if (!format.isText()) {
            Path first = new FileSet(path).someFiles().get(0);
            FileIdentity identity = FileIdentity.of(first);
            try (FileChannel channel = identity.open(first)) {
                return format == FileFormat.PARQUET
                        ? ParquetTypes.implied(new ParquetFile(first, channel, identity.size()))
                        : new ArrowFile(first, channel, identity.size()).implied();
            } catch (IOException e) {
                throw FileIdentity.failure(first, e);
            }
        }
        throw new StreamException(
                ErrorCode.INVALID_TABLE_DEFINITION,
                "a stream over a " + format + " file needs a column list",
                -1,
                "Write CREATE STREAM name (column type, ...) WITH (...): only Parquet and Arrow files say their columns' types.",
                null);
    }

    private static void checkPath(Path path) {
        Path root = new FileSet(path).root();
        boolean below = root.equals(path) || root.equals(path.getParent()) || new FileSet(path).isSet();
        if (!Files.exists(path) && !(below && Files.isDirectory(root))) {
            throw new StreamException(
                    ErrorCode.UNDEFINED_FILE,
                    "neither file \"" + path + "\" nor its directory exists",
                    -1,
                    "The path is one of the server's machine, relative to the directory that it was started in.",
                    null);
        }
    }

    private static void checkType(Column column) {
        TypeKind kind = column.type().kind();
        if (kind == TypeKind.INTERVAL_DAY_TIME || kind == TypeKind.INTERVAL_YEAR_MONTH || kind == TypeKind.NULL) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "column \"" + column.name() + "\": files cannot hold "
                            + column.type().sql() + " values",
                    -1,
                    "Declare it as VARCHAR or BIGINT.",
                    null);
        }
    }

    /** Reads what the first file says about its columns, so that a mistake shows when the stream is created. */
    private static void checkFits(CatalogObject.Stream stream) {
        FileOptions options = FileOptions.parse(stream.options());
        List<Path> files = new FileSet(options.path()).files();
        if (files.isEmpty()) {
            return;
        }
        List<Integer> all = new ArrayList<>();
        for (int column = 0; column < stream.schema().size(); column++) {
            all.add(column);
        }
        FileIdentity identity = FileIdentity.of(files.get(0));
        if (identity.size() == 0 || (options.tail() && !isComplete(files.get(0), options.format()))) {
            return;
        }
        try (FileChannel channel = identity.open(files.get(0))) {
            // Opening a source is the check.
            MemoryAccount memory = MemoryAccount.unlimited("check of " + options.path());
            new Sources(stream, options, all, memory)
                    .open(files.get(0), channel, identity.size(), false)
                    .close();
        } catch (IOException e) {
            throw FileIdentity.failure(files.get(0), e);
        }
    }

    @Override
    public boolean bounded(CatalogObject.Stream stream) {
        return !growing(stream);
    }

    @Override
    public boolean growing(CatalogObject.Stream stream) {
        return FileOptions.parse(stream.options()).tail();
    }

    @Override
    public List<String> splits(CatalogObject.Stream stream, int parallelism) {
        FileOptions options = FileOptions.parse(stream.options());
        if (options.tail()) {
            return newSplits(stream, List.of());
        }
        FileSet set = new FileSet(options.path());
        if (!set.isSet()) {
            return List.of(FileIdentity.of(options.path()).toString());
        }
        List<List<FileSequence.Member>> groups = new ArrayList<>();
        List<Path> files = set.someFiles();
        for (int i = 0; i < files.size(); i++) {
            if (i < parallelism) {
                groups.add(new ArrayList<>());
            }
            // Dealt in the order of names, so that all advance together where names follow time.
            groups.get(i % parallelism).add(new FileSequence.Member(FileIdentity.of(files.get(i)), files.get(i)));
        }
        return groups.stream().map(FileSequence::split).toList();
    }

    @Override
    public List<String> newSplits(CatalogObject.Stream stream, List<String> known) {
        FileOptions options = FileOptions.parse(stream.options());
        List<String> out = new ArrayList<>();
        if (options.format().isText()) {
            List<TailedFile> have = known.stream().map(TailedFile::parse).toList();
            for (Path file : new FileSet(options.path()).files()) {
                TailedFile found = have.stream().anyMatch(h -> h.isAt(file)) ? null : TailedFile.of(file);
                if (found != null) {
                    out.add(found.toString());
                }
            }
            return out;
        }
        List<Path> have = known.stream()
                .map(split -> FileSequence.parse(split).get(0).path())
                .toList();
        for (Path file : new FileSet(options.path()).files()) {
            if (!have.contains(file) && isComplete(file, options.format())) {
                out.add(FileSequence.split(List.of(new FileSequence.Member(FileIdentity.of(file), file))));
            }
        }
        return out;
    }

    /** Whether a Parquet or Arrow file has its end: one that is still being written is left for later. */
    private static boolean isComplete(Path file, FileFormat format) {
        if (format.isText()) {
            return TailedFile.of(file) != null;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            return format == FileFormat.PARQUET ? ParquetFile.isComplete(channel, size) : isArrow(file, channel, size);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw FileIdentity.failure(file, e);
        }
    }

    private static boolean isArrow(Path file, FileChannel channel, long size) {
        try {
            return new ArrowFile(file, channel, size).complete();
        } catch (StreamException e) {
            // Not yet, or never: a directory may hold anything.
            return false;
        }
    }

    @Override
    public SplitReader open(CatalogObject.Stream stream, String split, ReadContext context) {
        FileOptions options = FileOptions.parse(stream.options());
        List<Integer> wanted = new ArrayList<>(context.columns());
        wanted.removeIf(column -> column == PlanNode.Scan.ARRIVAL);
        int time = wanted.indexOf(context.timeColumn());
        if (context.timeColumn() >= 0 && time < 0) {
            time = wanted.size();
            wanted.add(context.timeColumn());
        }
        Sources sources = new Sources(stream, options, wanted, context.memory());
        FileSplitReader.Input input = TailedFile.isSplit(split)
                ? new Inputs.Growing(TailedFile.parse(split), sources, context.clock())
                : FileSequence.isSplit(split)
                        ? new Inputs.Several(FileSequence.parse(split), sources)
                        : new Inputs.One(options.path(), FileIdentity.parse(split), sources);
        return new FileSplitReader(
                options.path(), input, context.types(stream.schema()), time, options.rowsPerSecond(), context);
    }

    @Override
    public SinkWriter write(CatalogObject.Stream stream, WriteContext context) {
        FileOptions options = FileOptions.parse(stream.options());
        if (options.format() == FileFormat.PARQUET) {
            return new ParquetSinkWriter(
                    options.path(), context.worker(), options, stream.schema(), context.resumeAt(), context.memory());
        }
        if (options.format() == FileFormat.ARROW || new FileSet(options.path()).isSet()) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    options.format() == FileFormat.ARROW
                            ? "writing Arrow files is not supported"
                            : "\"" + options.path() + "\" names several files; text is written to one",
                    -1,
                    "Name one file with format = 'csv' or 'json', or a directory with format = 'parquet'.",
                    null);
        }
        return new FileSinkWriter(
                FileSinkWriter.pathOf(options.path(), context.worker()),
                RowFormat.of(options, stream.schema()),
                context.resumeAt());
    }
}
