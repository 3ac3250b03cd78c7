package io.tailwater.api.batch;

import java.nio.charset.StandardCharsets;

/**
 * The 16-byte form of a VARCHAR or VARBINARY value: {int length, 12 inline bytes} up to 12 bytes, else {int length, first 4 bytes, long
 * address of all bytes}. It is Arrow's view layout with an absolute address in place of (buffer, offset). Unused inline bytes are zero, so two
 * equal short values have equal 16 bytes.
 *
 * <p>Every method takes the address of such a slot. The bytes of a long value live as long as the batch that the slot belongs to.
 */
public final class StringView {
    public static final int SIZE = 16;
    public static final int INLINE = 12;

    private StringView() {}

    public static int length(long slot) {
        return Mem.getInt(slot);
    }

    /** Address of the first byte, inline or not. */
    public static long bytes(long slot) {
        return Mem.getInt(slot) <= INLINE ? slot + 4 : Mem.getLong(slot + 8);
    }

    /** Makes {@code slot} a view of these bytes: short values are copied in, long ones referenced. */
    public static void put(long slot, long bytes, int length) {
        if (length <= INLINE) {
            Mem.putLong(slot, length);
            Mem.putLong(slot + 8, 0);
            Mem.copy(bytes, slot + 4, length);
        } else {
            Mem.putInt(slot, length);
            Mem.putInt(slot + 4, Mem.getInt(bytes));
            Mem.putLong(slot + 8, bytes);
        }
    }

    public static void copySlot(long from, long to) {
        Mem.putLong(to, Mem.getLong(from));
        Mem.putLong(to + 8, Mem.getLong(from + 8));
    }

    public static boolean equal(long a, long b) {
        long head = Mem.getLong(a);
        if (head != Mem.getLong(b)) {
            return false;
        }
        int length = (int) head;
        long x = Mem.getLong(a + 8);
        long y = Mem.getLong(b + 8);
        return x == y || (length > INLINE && Mem.equal(x, y, length));
    }

    /** Binary collation: unsigned bytes, the shorter first on a shared prefix. */
    public static int compare(long a, long b) {
        return Mem.compare(bytes(a), length(a), bytes(b), length(b));
    }

    public static String toString(long slot) {
        return new String(toBytes(slot), StandardCharsets.UTF_8);
    }

    public static byte[] toBytes(long slot) {
        byte[] out = new byte[length(slot)];
        Mem.copyToArray(bytes(slot), out, 0, out.length);
        return out;
    }
}
