package io.tailwater.executor.time;

import java.util.Arrays;

/** A growing list of sessions as (start, end), in ascending order. Owned by one operator; not thread-safe. */
final class Sessions {
    private long[] starts = new long[16];
    private long[] ends = new long[16];
    private int size;

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    long start(int i) {
        return starts[i];
    }

    long end(int i) {
        return ends[i];
    }

    void add(long start, long end) {
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, 2 * size);
            ends = Arrays.copyOf(ends, 2 * size);
        }
        starts[size] = start;
        ends[size++] = end;
    }

    boolean contains(long start, long end) {
        int at = Arrays.binarySearch(ends, 0, size, end);
        return at >= 0 && starts[at] == start;
    }
}
