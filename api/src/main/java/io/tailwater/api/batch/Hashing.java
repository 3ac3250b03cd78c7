package io.tailwater.api.batch;

/**
 * The one hash that decides where a key lives: its top 8 bits are the vnode. Stable across processes and releases (state files depend on it).
 * The mixer is SplitMix64's finaliser (Steele et al. 2014).
 */
public final class Hashing {
    public static final int VNODES = 256;
    /** What a NULL hashes to, and the seed of a key's hash. */
    public static final long NULL_HASH = 0x9E3779B97F4A7C15L;

    private Hashing() {}

    public static long mix(long z) {
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    public static long hashLong(long value) {
        return mix(value + NULL_HASH);
    }

    /** Extends the hash of a key's first columns by the hash of its next. Order matters. */
    public static long combine(long hash, long next) {
        return mix(hash * 31 + next);
    }

    public static long hashBytes(long address, int length) {
        long hash = mix(length + NULL_HASH);
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            hash = mix(hash ^ Mem.getLong(address + i)) + NULL_HASH;
        }
        if (i < length) {
            long tail = 0;
            for (int shift = 0; i < length; i++, shift += 8) {
                tail |= (Mem.getByte(address + i) & 0xFFL) << shift;
            }
            hash = mix(hash ^ tail);
        }
        return mix(hash);
    }

    /** Hash of row {@code row} of column {@code column}. -0.0 hashes as 0.0 and every NaN alike, as SQL groups them. */
    public static long hashValue(ColumnBatch batch, int column, int row) {
        if (batch.isNull(column, row)) {
            return NULL_HASH;
        }
        long data = batch.data(column);
        return switch (batch.type(column).kind()) {
            case BOOLEAN -> hashLong(Mem.getBit(data, row) ? 1 : 0);
            case TINYINT -> hashLong(Mem.getByte(data + row));
            case SMALLINT -> hashLong(Mem.getShort(data + 2L * row));
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL -> hashLong(Mem.getInt(data + 4L * row));
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME -> hashLong(Mem.getLong(data + 8L * row));
            case REAL -> hashLong(Double.doubleToLongBits(Mem.getFloat(data + 4L * row) + 0.0f));
            case DOUBLE -> hashLong(Double.doubleToLongBits(Mem.getDouble(data + 8L * row) + 0.0d));
            case DECIMAL ->
                combine(hashLong(Mem.getLong(data + 16L * row)), hashLong(Mem.getLong(data + 16L * row + 8)));
            case VARCHAR, VARBINARY ->
                hashBytes(StringView.bytes(data + 16L * row), StringView.length(data + 16L * row));
        };
    }

    /** Hash of a key: one column's hash as it is, several combined from left to right; no column at all hashes to {@link #NULL_HASH}. */
    public static long hashKey(ColumnBatch batch, int[] columns, int row) {
        if (columns.length == 0) {
            return NULL_HASH;
        }
        long hash = hashValue(batch, columns[0], row);
        for (int i = 1; i < columns.length; i++) {
            hash = combine(hash, hashValue(batch, columns[i], row));
        }
        return hash;
    }

    public static int vnode(long hash) {
        return (int) (hash >>> 56);
    }
}
