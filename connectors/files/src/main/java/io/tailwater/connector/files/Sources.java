package io.tailwater.connector.files;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.common.type.Schema;

import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/**
 * Makes sources of a stream's files, all for the same columns. Immutable.
 *
 * @param wanted columns of the stream's schema
 */
record Sources(CatalogObject.Stream stream, FileOptions options, List<Integer> wanted, MemoryAccount memory) {
    /**
     * A source of one file.
     *
     * @param channel borrowed
     * @param size the file is taken to end here
     * @param growing whether a last record that is not complete is to be waited for
     */
    ChunkSource open(Path path, FileChannel channel, long size, boolean growing) {
        Schema columns = stream.schema().project(wanted);
        return switch (options.format()) {
            case PARQUET -> new ParquetSource(new ParquetFile(path, channel, size), columns, options.skipBad(), memory);
            case ARROW -> new ArrowSource(new ArrowFile(path, channel, size), columns, memory);
            case CSV, JSON -> {
                FileBytes bytes = new FileBytes(path, channel, size, growing);
                TextSource.Records records = options.format() == FileFormat.CSV
                        ? new CsvRecords(path, bytes, options, stream.schema(), wanted)
                        : new JsonRecords(bytes, stream.schema(), wanted);
                yield new TextSource(path, bytes, size, records, columns, options.skipBad(), memory);
            }
        };
    }
}
