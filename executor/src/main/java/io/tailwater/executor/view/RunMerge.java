package io.tailwater.executor.view;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;

/** Merges two runs a little at a time, while both stay in use. Owned by one thread; not thread-safe. */
final class RunMerge implements AutoCloseable {
    private final RowLayout layout;
    private final RowOrder order;
    private final SortedRun a;
    private final SortedRun b;
    private final SortedRun.Writer out;
    private int i;
    private int j;

    RunMerge(RowLayout layout, RowOrder order, SortedRun a, SortedRun b, MemoryAccount account) {
        this.layout = layout;
        this.order = order;
        this.a = a;
        this.b = b;
        out = new SortedRun.Writer(layout, Math.addExact(a.count(), b.count()), account);
    }

    boolean merges(SortedRun run) {
        return run == a || run == b;
    }

    /** Goes on for about {@code entries} entries; whether it is done. */
    boolean step(long entries) {
        long left = entries;
        while (left-- > 0 && i < a.count() && j < b.count()) {
            long x = a.entry(i);
            long y = b.entry(j);
            long hashX = Mem.getLong(x + SortedRun.HASH);
            long hashY = Mem.getLong(y + SortedRun.HASH);
            if (hashX < hashY) {
                out.add(x, Mem.getLong(x + SortedRun.WEIGHT));
                i++;
            } else if (hashX > hashY) {
                out.add(y, Mem.getLong(y + SortedRun.WEIGHT));
                j++;
            } else {
                mergeSameHash(x, y);
            }
        }
        if (i < a.count() && j < b.count()) {
            return false;
        }
        for (; left > 0 && i < a.count(); left--, i++) {
            out.add(a.entry(i), Mem.getLong(a.entry(i) + SortedRun.WEIGHT));
        }
        for (; left > 0 && j < b.count(); left--, j++) {
            out.add(b.entry(j), Mem.getLong(b.entry(j) + SortedRun.WEIGHT));
        }
        return i == a.count() && j == b.count();
    }

    private void mergeSameHash(long x, long y) {
        if (layout.equal(x + SortedRun.ROW, y + SortedRun.ROW)) {
            long weight = Mem.getLong(x + SortedRun.WEIGHT) + Mem.getLong(y + SortedRun.WEIGHT);
            if (weight != 0) {
                out.add(x, weight);
            }
            i++;
            j++;
        } else if (order.compare(x + SortedRun.ROW, y + SortedRun.ROW) < 0) {
            out.add(x, Mem.getLong(x + SortedRun.WEIGHT));
            i++;
        } else {
            out.add(y, Mem.getLong(y + SortedRun.WEIGHT));
            j++;
        }
    }

    /** The merged run, the caller's; {@link #step} has said that it is done. */
    SortedRun finish() {
        return out.finish();
    }

    /** Gives up half way. */
    @Override
    public void close() {
        out.close();
    }
}
