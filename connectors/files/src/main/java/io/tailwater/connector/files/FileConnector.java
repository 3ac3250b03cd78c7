package io.tailwater.connector.files;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * {@code connector = 'file'}: one file, read once to the end that it has when the query begins, or written by a job.
 *
 * <p>A new job starts its file anew; from then on it only appends. With several workers each writes a file of its own: {@code out.csv}, {@code out-1.csv},
 * {@code out-2.csv} and so on.
 *
 * <p>A file is one split, read in order: event time then advances as it does in the file. A path that does not exist is accepted if its directory does, for
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
    public CatalogObject.Stream resolve(CatalogObject.Stream declared, Path workingDirectory) {
        FileOptions options = FileOptions.parse(declared.options());
        Path path = workingDirectory.toAbsolutePath().resolve(options.path()).normalize();
        checkPath(path);
        declared.schema().columns().forEach(FileConnector::checkType);
        SortedMap<String, String> resolved = new TreeMap<>(declared.options());
        resolved.put("path", path.toString());
        CatalogObject.Stream stream = new CatalogObject.Stream(
                declared.name(),
                columns(declared.schema(), options.format(), path),
                declared.watermark(),
                declared.partitionBy(),
                declared.partitions(),
                resolved);
        if (Files.exists(path)) {
            checkFits(stream);
        }
        return stream;
    }

    private static Schema columns(Schema declared, FileFormat format, Path path) {
        if (declared.size() > 0) {
            return declared;
        }
        if (format == FileFormat.PARQUET) {
            FileIdentity identity = FileIdentity.of(path);
            try (FileChannel channel = identity.open(path)) {
                return ParquetTypes.implied(new ParquetFile(path, channel, identity.size()));
            } catch (IOException e) {
                throw FileIdentity.failure(path, e);
            }
        }
        throw new StreamException(
                ErrorCode.INVALID_TABLE_DEFINITION,
                "a stream over a " + format + " file needs a column list",
                -1,
                "Write CREATE STREAM name (column type, ...) WITH (...): only a Parquet file says its columns' types.",
                null);
    }

    private static void checkPath(Path path) {
        if (Files.isDirectory(path)) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "\"" + path + "\" is a directory; reading all files of one is not supported yet",
                    -1,
                    "Name one file, and combine several streams with UNION ALL.",
                    null);
        }
        Path directory = path.getParent();
        if (!Files.exists(path) && (directory == null || !Files.isDirectory(directory))) {
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

    /** Reads what a file says about its columns, so that a mistake shows when the stream is created. */
    private void checkFits(CatalogObject.Stream stream) {
        List<Integer> all = new ArrayList<>();
        for (int column = 0; column < stream.schema().size(); column++) {
            all.add(column);
        }
        FileOptions options = FileOptions.parse(stream.options());
        FileIdentity identity = FileIdentity.of(options.path());
        if (identity.size() == 0) {
            return;
        }
        try (FileChannel channel = identity.open(options.path())) {
            // Opening a source is the check.
            source(stream, options, identity, channel, all, MemoryAccount.unlimited("check of " + options.path()))
                    .close();
        } catch (IOException e) {
            throw FileIdentity.failure(options.path(), e);
        }
    }

    @Override
    public boolean bounded(CatalogObject.Stream stream) {
        return true;
    }

    @Override
    public List<String> splits(CatalogObject.Stream stream, int parallelism) {
        return List.of(
                FileIdentity.of(FileOptions.parse(stream.options()).path()).toString());
    }

    @Override
    public SplitReader open(CatalogObject.Stream stream, String split, ReadContext context) {
        FileOptions options = FileOptions.parse(stream.options());
        FileIdentity identity = FileIdentity.parse(split);
        FileChannel channel = identity.open(options.path());
        List<Integer> wanted = new ArrayList<>(context.columns());
        int time = wanted.indexOf(context.timeColumn());
        if (context.timeColumn() >= 0 && time < 0) {
            time = wanted.size();
            wanted.add(context.timeColumn());
        }
        Supplier<ChunkSource> sources = () -> source(stream, options, identity, channel, wanted, context.memory());
        return new FileSplitReader(
                options.path(),
                channel,
                sources,
                BatchBuilder.types(stream.schema().project(context.columns())),
                time,
                options.rowsPerSecond(),
                context);
    }

    private static ChunkSource source(
            CatalogObject.Stream stream,
            FileOptions options,
            FileIdentity identity,
            FileChannel channel,
            List<Integer> wanted,
            MemoryAccount memory) {
        Schema columns = stream.schema().project(wanted);
        if (options.format() == FileFormat.PARQUET) {
            ParquetFile file = new ParquetFile(options.path(), channel, identity.size());
            return new ParquetSource(file, columns, options.skipBad(), memory);
        }
        FileBytes bytes = new FileBytes(options.path(), channel, identity.size());
        TextSource.Records records = options.format() == FileFormat.CSV
                ? new CsvRecords(options.path(), bytes, options, stream.schema(), wanted)
                : new JsonRecords(bytes, stream.schema(), wanted);
        return new TextSource(options.path(), bytes, identity.size(), records, columns, options.skipBad(), memory);
    }

    @Override
    public SinkWriter write(CatalogObject.Stream stream, int worker, int workers, long resumeAt, MemoryAccount memory) {
        FileOptions options = FileOptions.parse(stream.options());
        if (options.format() == FileFormat.PARQUET) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "writing Parquet files is not supported yet",
                    -1,
                    "Use format = 'csv' or 'json'.",
                    null);
        }
        return new FileSinkWriter(
                FileSinkWriter.pathOf(options.path(), worker), RowFormat.of(options, stream.schema()), resumeAt);
    }
}
