package io.tailwater.connector.files;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.type.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A file of records one after the other. Positions are byte offsets at which a record begins, and 0 for the start, header or not. Owned by one thread.
 */
final class TextSource implements ChunkSource {
    private static final Logger LOG = LoggerFactory.getLogger(TextSource.class);

    /** Instead of a position: a record's last bytes are yet to be written. */
    static final long INCOMPLETE = Long.MIN_VALUE;

    /** A chunk holds no more malformed records: their bytes are on the heap. */
    private static final int MOST_SKIPPED = 256;

    /** A chunk takes no more bytes than this, but for its last record. */
    private static final int CHUNK_BYTES = 1 << 20;

    /** How records look. */
    interface Records {
        /** Where the first one begins. */
        long start();

        /**
         * Parses the record at {@code position} into a row.
         *
         * @return position after it, or the same negated minus 1 if it is blank: no row, and nothing wrong; {@link #INCOMPLETE} if its end is yet to be written
         * @throws BadRecord if it is malformed
         */
        long parse(long position, RowWriter row) throws BadRecord;

        /** Where to go on after the malformed record at {@code position}, or {@link #INCOMPLETE}. */
        long afterBad(long position);
    }

    private final Path path;
    private final FileBytes bytes;
    private final long end;
    private final Records records;
    private final Schema columns;
    private final boolean skipBad;
    private final MemoryAccount memory;
    private boolean warned;

    TextSource(
            Path path,
            FileBytes bytes,
            long end,
            Records records,
            Schema columns,
            boolean skipBad,
            MemoryAccount memory) {
        this.path = path;
        this.bytes = bytes;
        this.end = end;
        this.records = records;
        this.columns = columns;
        this.skipBad = skipBad;
        this.memory = memory;
    }

    @Override
    public Chunk next(long from, long limit) {
        long stop = Math.min(limit, end);
        long at = Math.min(Math.max(from, records.start()), stop);
        long full = at + CHUNK_BYTES;
        boolean complete = true;
        List<SplitReader.Malformed> skipped = new ArrayList<>();
        long[] ends = new long[MAX_ROWS];
        try (RowWriter rows = new RowWriter(columns, MAX_ROWS, memory)) {
            while (at < stop
                    && rows.rows() < MAX_ROWS
                    && skipped.size() < MOST_SKIPPED
                    && (at < full || rows.rows() == 0)) {
                try {
                    long after = records.parse(at, rows);
                    if (after == INCOMPLETE) {
                        complete = false;
                        break;
                    }
                    if (after < 0) {
                        at = -after - 1;
                        continue;
                    }
                    rows.endRow();
                    at = after;
                    ends[rows.rows() - 1] = at;
                } catch (BadRecord e) {
                    rows.dropRow();
                    if (!skipBad) {
                        if (rows.rows() > 0) {
                            break;
                        }
                        throw bytes.malformed(at, e);
                    }
                    long after = records.afterBad(at);
                    if (after == INCOMPLETE) {
                        complete = false;
                        break;
                    }
                    warn(at, e);
                    skipped.add(bytes.skipped(at, after, e));
                    at = after;
                }
            }
            boolean last = at >= end || !complete;
            if (rows.rows() == 0) {
                return new Chunk(from, Math.max(from, at), null, null, skipped, last);
            }
            int count = rows.rows();
            return new Chunk(
                    from, at, rows.finish(), count == MAX_ROWS ? ends : Arrays.copyOf(ends, count), skipped, last);
        }
    }

    /** Once for each source: what users need to see is that and how, not each. */
    private void warn(long position, BadRecord e) {
        if (!warned) {
            warned = true;
            LOG.warn(
                    "skipping malformed records of {}, the first: {}",
                    path,
                    bytes.malformed(position, e).getMessage());
        }
    }

    @Override
    public void close() {
        // The channel belongs to the reader.
    }
}
