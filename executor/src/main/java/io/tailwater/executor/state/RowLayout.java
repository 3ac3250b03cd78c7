package io.tailwater.executor.state;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

/**
 * How a row of some columns is one block of bytes: string views first, then fixed-width fields from wide to narrow, then a bit per nullable column
 * (1 = NULL), padded with zeros to whole 8-byte words. A NULL field is all zeros. Floats are canonical: no -0.0, one NaN. So two rows are equal, as
 * SQL groups them, exactly if their words are equal, strings aside.
 *
 * <p>Immutable; all methods are loops over addresses.
 */
public final class RowLayout {
    private final DataType[] types;
    private final int[] offsets;
    /** Bit number of a column's NULL flag from the start of the row, -1 for NOT NULL columns. */
    private final int[] nullBits;

    private final boolean nullsDropped;
    private final int views;
    private final int gap;
    private final int width;

    public RowLayout(DataType... types) {
        this(types, false);
    }

    /** A layout for rows with no NULL in a NOT NULL column; whoever encodes other rows drops them. */
    public static RowLayout droppingNulls(DataType... types) {
        return new RowLayout(types, true);
    }

    private RowLayout(DataType[] types, boolean nullsDropped) {
        this.types = types.clone();
        this.nullsDropped = nullsDropped;
        offsets = new int[types.length];
        nullBits = new int[types.length];
        int at = 0;
        int viewCount = 0;
        for (int c = 0; c < types.length; c++) {
            if (types[c].kind().isView()) {
                offsets[c] = at;
                at += StringView.SIZE;
                viewCount++;
            }
        }
        views = viewCount;
        for (int size : new int[] {16, 8, 4, 2, 1}) {
            for (int c = 0; c < types.length; c++) {
                if (!types[c].kind().isView() && fieldBytes(types[c].kind()) == size) {
                    offsets[c] = at;
                    at += size;
                }
            }
        }
        int nulls = 0;
        int narrow = at;
        for (int c = 0; c < types.length; c++) {
            nullBits[c] = types[c].nullable() ? at * 8 + nulls++ : -1;
            if (fieldBytes(types[c].kind()) < 8) {
                narrow = Math.min(narrow, offsets[c]);
            }
        }
        gap = narrow & -8;
        width = (at + ((nulls + 7) >>> 3) + 7) & -8;
    }

    static int fieldBytes(TypeKind kind) {
        return kind == TypeKind.BOOLEAN ? 1 : kind.width();
    }

    /** Bytes of an encoded row, a multiple of 8. */
    public int width() {
        return width;
    }

    public int columns() {
        return types.length;
    }

    public DataType type(int column) {
        return types[column];
    }

    /** The columns' types; a copy. */
    public DataType[] types() {
        return types.clone();
    }

    public int offset(int column) {
        return offsets[column];
    }

    /** How many columns are string views; they are the row's first 16-byte fields. */
    public int views() {
        return views;
    }

    public boolean isNull(int column, long row) {
        int bit = nullBits[column];
        return bit >= 0 && (Mem.getByte(row + (bit >>> 3)) & 1 << (bit & 7)) != 0;
    }

    /** Sets the NULL flag; the field itself must be zero. */
    public void markNull(int column, long row) {
        int bit = nullBits[column];
        if (bit < 0) {
            throw new AssertionError("NULL in column " + column + " of type " + types[column]);
        }
        long at = row + (bit >>> 3);
        Mem.putByte(at, (byte) (Mem.getByte(at) | 1 << (bit & 7)));
    }

    /** Zeroes what field writes do not cover: narrow fields, NULL flags and padding. */
    public void clearGap(long row) {
        for (int at = gap; at < width; at += 8) {
            Mem.putLong(row + at, 0);
        }
    }

    /** Stores the value of an integer-like field (BOOLEAN as 0 or 1). */
    public void putLong(int column, long row, long value) {
        long at = row + offsets[column];
        switch (fieldBytes(types[column].kind())) {
            case 1 -> Mem.putByte(at, (byte) value);
            case 2 -> Mem.putShort(at, (short) value);
            case 4 -> Mem.putInt(at, (int) value);
            default -> Mem.putLong(at, value);
        }
    }

    /**
     * Encodes rows {@code 0..rows} of some columns of a batch at {@code to}, {@code stride} bytes apart. Views refer to the batch's bytes until
     * {@link #own}. Integers may be narrower than the layout's. A field whose column is negative is left to the caller.
     */
    public void encode(ColumnBatch batch, int[] columns, int rows, long to, int stride) {
        if (gap < width) {
            for (int i = 0; i < rows; i++) {
                clearGap(to + (long) i * stride);
            }
        }
        for (int c = 0; c < types.length; c++) {
            if (columns[c] < 0) {
                continue;
            }
            RowFields.encode(batch, columns[c], types[c].kind(), rows, to + offsets[c], stride);
            if (batch.validity(columns[c]) != 0) {
                encodeNulls(c, batch.validity(columns[c]), rows, to, stride);
            }
        }
    }

    private void encodeNulls(int column, long validity, int rows, long to, int stride) {
        int bytes = fieldBytes(types[column].kind());
        for (int i = 0; i < rows; i++) {
            if (!Mem.getBit(validity, i)) {
                long row = to + (long) i * stride;
                Mem.fill(row + offsets[column], bytes, (byte) 0);
                if (!nullsDropped || nullBits[column] >= 0) {
                    markNull(column, row);
                }
            }
        }
    }

    /**
     * Writes rows {@code addresses[i] + shift} into the builder's columns {@code outColumns}, rows {@code 0..rows}. Bytes of strings are copied.
     * A field whose out column is negative is left out.
     */
    public void decode(long[] addresses, int shift, int rows, BatchBuilder out, int[] outColumns) {
        for (int c = 0; c < types.length; c++) {
            if (outColumns[c] >= 0) {
                decodeColumn(c, addresses, shift, rows, out, outColumns[c]);
            }
        }
    }

    /** {@link #decode} of one column. */
    public void decodeColumn(int column, long[] addresses, int shift, int rows, BatchBuilder out, int outColumn) {
        RowFields.decode(addresses, shift + offsets[column], types[column].kind(), rows, out, outColumn);
        int bit = nullBits[column];
        if (bit >= 0) {
            int at = shift + (bit >>> 3);
            int mask = 1 << (bit & 7);
            for (int i = 0; i < rows; i++) {
                if ((Mem.getByte(addresses[i] + at) & mask) != 0) {
                    out.setNull(outColumn, i);
                }
            }
        }
    }

    /** Copies the bytes of the row's long strings into the arena. */
    public void own(long row, Arena arena) {
        for (int i = 0; i < views; i++) {
            long slot = row + (long) StringView.SIZE * i;
            int length = StringView.length(slot);
            if (length > StringView.INLINE) {
                long copy = arena.allocate(length);
                Mem.copy(Mem.getLong(slot + 8), copy, length);
                Mem.putLong(slot + 8, copy);
            }
        }
    }

    /** Gives back what {@link #own} took. The row must not be read afterwards. */
    public void disown(long row, Arena arena) {
        for (int i = 0; i < views; i++) {
            long slot = row + (long) StringView.SIZE * i;
            int length = StringView.length(slot);
            if (length > StringView.INLINE) {
                arena.free(Mem.getLong(slot + 8), length);
            }
        }
    }

    /** Notes as (address, length) what {@link #disown} would give back. */
    void disownLater(long row, AddressList to) {
        for (int i = 0; i < views; i++) {
            long slot = row + (long) StringView.SIZE * i;
            int length = StringView.length(slot);
            if (length > StringView.INLINE) {
                to.add(Mem.getLong(slot + 8));
                to.add(length);
            }
        }
    }

    /** Bytes of {@link #flatten}, a multiple of 8. */
    public int flatBytes(long row) {
        long bytes = width;
        for (int i = 0; i < views; i++) {
            int length = StringView.length(row + (long) StringView.SIZE * i);
            if (length > StringView.INLINE) {
                bytes += length + 7 & -8;
            }
        }
        if (bytes > Integer.MAX_VALUE - 64) {
            throw new StreamException(ErrorCode.STRING_TOO_LONG, "a row of state has " + bytes + " bytes");
        }
        return (int) bytes;
    }

    /** Writes the row so that it can be read in another process: the bytes of long strings follow it, and their views say where, counted from the row's start. */
    public void flatten(long row, long to) {
        copy(row, to);
        long at = width;
        for (int i = 0; i < views; i++) {
            long slot = to + (long) StringView.SIZE * i;
            int length = StringView.length(slot);
            if (length > StringView.INLINE) {
                int padded = length + 7 & -8;
                Mem.putLong(to + at + padded - 8, 0);
                Mem.copy(Mem.getLong(slot + 8), to + at, length);
                Mem.putLong(slot + 8, at);
                at += padded;
            }
        }
    }

    /** Makes {@code to} the row that was flattened to {@code from}; its long strings refer to the bytes there until {@link #own}. Returns the bytes read. */
    public int unflatten(long from, long to) {
        copy(from, to);
        int at = width;
        for (int i = 0; i < views; i++) {
            long slot = to + (long) StringView.SIZE * i;
            int length = StringView.length(slot);
            if (length > StringView.INLINE) {
                Mem.putLong(slot + 8, from + Mem.getLong(slot + 8));
                at += length + 7 & -8;
            }
        }
        return at;
    }

    public void copy(long from, long to) {
        for (int at = 0; at < width; at += 8) {
            Mem.putLong(to + at, Mem.getLong(from + at));
        }
    }

    public boolean equal(long a, long b) {
        int at = views * StringView.SIZE;
        for (int w = at; w < width; w += 8) {
            if (Mem.getLong(a + w) != Mem.getLong(b + w)) {
                return false;
            }
        }
        for (int v = 0; v < at; v += StringView.SIZE) {
            if (!StringView.equal(a + v, b + v)) {
                return false;
            }
        }
        return true;
    }

    /** A hash of the whole encoded row; it is not {@link Hashing#hashKey}. The same in all processes and releases: snapshots of views have it. */
    public long hash(long row, long seed) {
        long hash = seed;
        int at = views * StringView.SIZE;
        for (int v = 0; v < at; v += StringView.SIZE) {
            hash = Hashing.combine(hash, Hashing.hashBytes(StringView.bytes(row + v), StringView.length(row + v)));
        }
        for (int w = at; w < width; w += 8) {
            hash = Hashing.combine(hash, Mem.getLong(row + w));
        }
        return hash;
    }

    /** {@link Hashing#hashKey} of some columns of the row, in this order. */
    public long hashKey(long row, int[] columns) {
        if (columns.length == 0) {
            return Hashing.NULL_HASH;
        }
        long hash = hashField(columns[0], row);
        for (int i = 1; i < columns.length; i++) {
            hash = Hashing.combine(hash, hashField(columns[i], row));
        }
        return hash;
    }

    private long hashField(int column, long row) {
        if (isNull(column, row)) {
            return Hashing.NULL_HASH;
        }
        long at = row + offsets[column];
        return switch (types[column].kind()) {
            case BOOLEAN, TINYINT -> Hashing.hashLong(Mem.getByte(at));
            case SMALLINT -> Hashing.hashLong(Mem.getShort(at));
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL -> Hashing.hashLong(Mem.getInt(at));
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME -> Hashing.hashLong(Mem.getLong(at));
            case REAL -> Hashing.hashLong(Double.doubleToLongBits(Mem.getFloat(at) + 0.0f));
            case DOUBLE -> Hashing.hashLong(Double.doubleToLongBits(Mem.getDouble(at) + 0.0d));
            case DECIMAL -> Hashing.combine(Hashing.hashLong(Mem.getLong(at)), Hashing.hashLong(Mem.getLong(at + 8)));
            case VARCHAR, VARBINARY -> Hashing.hashBytes(StringView.bytes(at), StringView.length(at));
        };
    }

    /** The row as text, for error messages: {@code (1, 'a', NULL)}. */
    public String describe(long row) {
        return describe(row, 0);
    }

    /** {@link #describe(long)} without the first columns. */
    public String describe(long row, int firstColumn) {
        StringBuilder out = new StringBuilder("(");
        for (int c = firstColumn; c < types.length; c++) {
            out.append(c == firstColumn ? "" : ", ");
            out.append(isNull(c, row) ? "NULL" : RowFields.describe(types[c], row + offsets[c]));
        }
        return out.append(')').toString();
    }
}
