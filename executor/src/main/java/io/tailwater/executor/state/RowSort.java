package io.tailwater.executor.state;

import java.util.Arrays;

/** Sorts addresses of encoded rows: a merge sort over two arrays, without an object per row. */
public final class RowSort {
    private static final int INSERTION = 8;

    private RowSort() {}

    /**
     * Sorts {@code addresses[0..n)}.
     *
     * @param shift from an address to its encoded row
     */
    public static void sort(long[] addresses, int n, int shift, RowOrder order) {
        long[] from = Arrays.copyOf(addresses, n);
        split(from, addresses, 0, n, shift, order);
    }

    /** Sorts a range into {@code to}; both arrays hold it. */
    private static void split(long[] from, long[] to, int low, int high, int shift, RowOrder order) {
        if (high - low <= INSERTION) {
            insertion(to, low, high, shift, order);
            return;
        }
        int middle = (low + high) >>> 1;
        split(to, from, low, middle, shift, order);
        split(to, from, middle, high, shift, order);
        int a = low;
        int b = middle;
        for (int i = low; i < high; i++) {
            boolean takeA = b == high || (a < middle && order.compare(from[a] + shift, from[b] + shift) <= 0);
            to[i] = takeA ? from[a++] : from[b++];
        }
    }

    private static void insertion(long[] rows, int low, int high, int shift, RowOrder order) {
        for (int i = low + 1; i < high; i++) {
            long row = rows[i];
            int j = i - 1;
            while (j >= low && order.compare(rows[j] + shift, row + shift) > 0) {
                rows[j + 1] = rows[j];
                j--;
            }
            rows[j + 1] = row;
        }
    }
}
