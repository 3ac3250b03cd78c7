package io.tailwater.connector.files;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.BatchGather;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.schema.PrimitiveType;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A Parquet file. Positions are row numbers; a row group before the position asked for is never read. Only the columns asked for are. Owned by one thread.
 */
final class ParquetSource implements ChunkSource {
    private static final int NO_GROUP = -1;

    private final ParquetFile file;
    private final Schema columns;
    private final DataType[] types;
    private final boolean skipBad;
    private final MemoryAccount memory;
    private final List<PrimitiveType> fields;
    private final List<ParquetColumn> converters = new ArrayList<>();
    /** First row of each group, and the number of rows in all. */
    private final long[] starts;

    private int group = NO_GROUP;
    private long at;
    private List<ColumnReader> readers = List.of();

    /**
     * Checks that the file has the columns.
     *
     * @param columns to read, in this order
     */
    ParquetSource(ParquetFile file, Schema columns, boolean skipBad, MemoryAccount memory) {
        this.file = file;
        this.columns = columns;
        this.types = BatchBuilder.types(columns);
        this.skipBad = skipBad;
        this.memory = memory;
        fields = ParquetTypes.match(file.path(), file.schema(), columns);
        for (int column = 0; column < types.length; column++) {
            converters.add(new ParquetColumn(fields.get(column), types[column], memory));
        }
        starts = new long[file.groups().size() + 1];
        for (int i = 0; i < file.groups().size(); i++) {
            starts[i + 1] = starts[i] + file.groups().get(i).getRowCount();
        }
    }

    @Override
    public Chunk next(long from, long limit) {
        long end = starts[starts.length - 1];
        long stop = Math.min(limit, end);
        long first = from;
        List<SplitReader.Malformed> skipped = List.of();
        while (first < stop) {
            Chunk chunk = chunk(from, first, stop, skipped);
            if (chunk.rows() > 0 || chunk.last()) {
                return chunk;
            }
            skipped = chunk.skipped();
            first = chunk.to();
        }
        return new Chunk(from, Math.max(from, stop), null, null, skipped, stop == end);
    }

    private Chunk chunk(long from, long first, long stop, List<SplitReader.Malformed> skippedBefore) {
        try {
            seek(first);
            int count = (int) Math.min(MAX_ROWS, Math.min(stop, starts[group + 1]) - first);
            return chunk(from, first, count, skippedBefore, first + count == starts[starts.length - 1]);
        } catch (StreamException e) {
            throw e;
        } catch (RuntimeException e) {
            // Nothing but the file decides what the decoders do.
            throw file.bad("rows from number " + (first + 1) + " on cannot be decoded: " + e.getMessage(), e);
        }
    }

    private Chunk chunk(long from, long first, int count, List<SplitReader.Malformed> skippedBefore, boolean last) {
        BadRows bad = new BadRows();
        try (BatchBuilder out = new BatchBuilder(types, count, false, memory)) {
            for (int column = 0; column < types.length; column++) {
                int c = column;
                converters
                        .get(c)
                        .read(
                                readers.get(c),
                                out,
                                c,
                                count,
                                (row, reason) ->
                                        bad.add(row, c, columns.column(c).name(), reason));
            }
            at = first + count;
            if (bad.rows.isEmpty()) {
                long[] ends = first == from ? null : ends(first, count, bad.rows);
                return new Chunk(from, at, out.finish(count), ends, skippedBefore, last);
            }
            try (ColumnBatch all = out.finish(count)) {
                return skipBad ? withoutBad(from, first, all, bad, skippedBefore, last) : untilBad(from, all, bad);
            }
        }
    }

    private Chunk withoutBad(
            long from,
            long first,
            ColumnBatch all,
            BadRows bad,
            List<SplitReader.Malformed> skippedBefore,
            boolean last) {
        List<SplitReader.Malformed> skipped = new ArrayList<>(skippedBefore);
        bad.reasons.forEach((row, reason) ->
                skipped.add(new SplitReader.Malformed(file.path().toString(), first + row, reason, new byte[0])));
        int[] good = new int[all.rows()];
        int count = 0;
        for (int row = bad.rows.nextClearBit(0); row < all.rows(); row = bad.rows.nextClearBit(row + 1)) {
            good[count++] = row;
        }
        if (count == 0) {
            return new Chunk(from, at, null, null, skipped, last);
        }
        return new Chunk(
                from,
                at,
                BatchGather.gather(all, good, count, memory),
                ends(first, all.rows(), bad.rows),
                skipped,
                last);
    }

    /** The rows before the first bad one; if there are none, the failure. */
    private Chunk untilBad(long from, ColumnBatch all, BadRows bad) {
        int good = bad.rows.nextSetBit(0);
        if (good == 0) {
            throw new StreamException(
                    ErrorCode.BAD_RECORD,
                    "file \"%s\", row %d, column \"%s\": %s"
                            .formatted(
                                    file.path(),
                                    from + 1,
                                    columns.column(bad.column).name(),
                                    bad.reason),
                    -1,
                    "Correct the file, or add on_error = 'skip' to the stream's WITH clause to skip and count such rows.",
                    null);
        }
        int[] selection = new int[good];
        for (int row = 0; row < good; row++) {
            selection[row] = row;
        }
        return new Chunk(from, from + good, BatchGather.gather(all, selection, good, memory), null, List.of(), false);
    }

    private static long[] ends(long first, int count, BitSet without) {
        long[] ends = new long[count - without.cardinality()];
        int next = 0;
        for (int row = without.nextClearBit(0); row < count; row = without.nextClearBit(row + 1)) {
            ends[next++] = first + row + 1;
        }
        return ends;
    }

    /** Moves to a row, which must exist. */
    private void seek(long row) {
        int wanted = 0;
        while (starts[wanted + 1] <= row) {
            wanted++;
        }
        if (wanted != group || row < at) {
            open(wanted);
        }
        for (int column = 0; at < row && column < types.length; column++) {
            converters.get(column).skip(readers.get(column), row - at);
        }
        at = row;
    }

    private void open(int wanted) {
        converters.forEach(ParquetColumn::close);
        group = NO_GROUP;
        BlockMetaData block = file.groups().get(wanted);
        ColumnReadStoreImpl store = new ColumnReadStoreImpl(
                new ParquetPages(file, block), new Converters(), file.schema(), file.createdBy());
        List<ColumnReader> opened = new ArrayList<>();
        for (PrimitiveType field : fields) {
            opened.add(store.getColumnReader(file.schema().getColumnDescription(new String[] {field.getName()})));
        }
        readers = opened;
        group = wanted;
        at = starts[wanted];
    }

    @Override
    public void close() {
        converters.forEach(ParquetColumn::close);
    }

    /** Rows of a chunk that could not be converted, and why the first could not. */
    private static final class BadRows {
        private final BitSet rows = new BitSet();
        private final SortedMap<Integer, String> reasons = new TreeMap<>();
        private int first = Integer.MAX_VALUE;
        private int column;
        private String reason = "";

        void add(int row, int inColumn, String name, String why) {
            rows.set(row);
            reasons.putIfAbsent(row, "column \"" + name + "\": " + why);
            if (row < first) {
                first = row;
                column = inColumn;
                reason = why;
            }
        }
    }

    /** Finds the converter of a field by its index in the file's schema. */
    private final class Converters extends GroupConverter {
        @Override
        public @Nullable Converter getConverter(int index) {
            String name = file.schema().getFieldName(index);
            for (int column = 0; column < fields.size(); column++) {
                if (fields.get(column).getName().equals(name)) {
                    return converters.get(column);
                }
            }
            return null;
        }

        @Override
        public void start() {
            // Rows are not assembled.
        }

        @Override
        public void end() {
            // Rows are not assembled.
        }
    }
}
