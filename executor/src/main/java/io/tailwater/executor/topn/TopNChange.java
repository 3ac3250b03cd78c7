package io.tailwater.executor.topn;

import io.tailwater.api.batch.Mem;
import io.tailwater.executor.operator.RowOutput;
import io.tailwater.executor.state.OrderedState;

/** What a group's first rows were against what they are: two sorted lists walked side by side. Owned by one operator; not thread-safe. */
final class TopNChange {
    private static final int ENTRIES = 8;

    private final long offset;
    private final long end;
    private final boolean numbered;
    private final TopNColumns columns;
    private final OrderedState ordered;
    private final RowOutput output;
    private final int width;

    /** The old side: an entry of the block, and copies of it that are left. */
    private long old;

    private long oldCopies;
    private long oldEntries;
    /** The new side: an entry of the multiset, its copies left, and where in the group they begin. */
    private long now;

    private long nowCopies;
    private long position;

    TopNChange(long offset, long end, boolean numbered, TopNColumns columns, OrderedState ordered, RowOutput output) {
        this.offset = offset;
        this.end = end;
        this.numbered = numbered;
        this.columns = columns;
        this.ordered = ordered;
        this.output = output;
        width = columns.rest().width();
    }

    /**
     * Adds a group's change to the output.
     *
     * @param before number of entries, then {row, copies} of each; or 0 for none
     */
    void emit(long group, long before, long root) {
        oldEntries = before == 0 ? 0 : Mem.getLong(before);
        old = before + ENTRIES;
        oldCopies = oldEntries == 0 ? 0 : Mem.getLong(old + width);
        position = 0;
        nowCopies = 0;
        OrderedState.Cursor cursor = ordered.cursor(root);
        nextNow(cursor);
        if (numbered) {
            byNumber(group, cursor);
        } else {
            byRow(group, cursor);
        }
    }

    private void nextOld() {
        old += width + 8;
        oldCopies = --oldEntries == 0 ? 0 : Mem.getLong(old + width);
    }

    /** Goes to the next entry that has copies between offset and end; afterwards none are left if there is none. */
    private void nextNow(OrderedState.Cursor cursor) {
        nowCopies = 0;
        while (cursor.valid() && position < end && nowCopies == 0) {
            long from = Math.max(position, offset);
            position += cursor.weight();
            nowCopies = Math.max(0, Math.min(position, end) - from);
            now = cursor.entry();
            cursor.next();
        }
    }

    private void byRow(long group, OrderedState.Cursor cursor) {
        while (oldCopies > 0 || nowCopies > 0) {
            int compared =
                    oldCopies == 0 ? 1 : nowCopies == 0 ? -1 : columns.order().compare(old, now);
            if (compared < 0) {
                output.add(group, old, -oldCopies);
                nextOld();
            } else if (compared > 0) {
                output.add(group, now, nowCopies);
                nextNow(cursor);
            } else {
                if (oldCopies != nowCopies) {
                    output.add(group, now, nowCopies - oldCopies);
                }
                nextOld();
                nextNow(cursor);
            }
        }
    }

    private void byNumber(long group, OrderedState.Cursor cursor) {
        long number = offset + 1;
        while (oldCopies > 0 || nowCopies > 0) {
            long step = oldCopies == 0 ? nowCopies : nowCopies == 0 ? oldCopies : Math.min(oldCopies, nowCopies);
            boolean same = oldCopies > 0 && nowCopies > 0 && columns.order().compare(old, now) == 0;
            for (long i = 0; i < step && !same; i++) {
                if (oldCopies > 0) {
                    output.add(group, old, number + i, 0, -1);
                }
                if (nowCopies > 0) {
                    output.add(group, now, number + i, 0, 1);
                }
            }
            number += step;
            oldCopies -= oldCopies == 0 ? 0 : step;
            nowCopies -= nowCopies == 0 ? 0 : step;
            if (oldCopies == 0 && oldEntries > 0) {
                nextOld();
            }
            if (nowCopies == 0) {
                nextNow(cursor);
            }
        }
    }
}
