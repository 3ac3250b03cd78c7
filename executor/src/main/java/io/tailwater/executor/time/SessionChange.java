package io.tailwater.executor.time;

import io.tailwater.api.batch.Mem;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.executor.operator.RowOutput;
import io.tailwater.executor.state.OrderedState;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;

import java.util.Arrays;

/**
 * What a tick's changes to the rows of one partition key mean for their sessions. Changes fall into regions that have nothing to do with each other: each is
 * a stretch of time with some old sessions, whole, and the changes in it. A region's rows are chained anew, and each row is compared with the session it
 * was in. Owned by one operator; not thread-safe.
 */
final class SessionChange {
    private final RowLayout layout;
    private final RowOrder order;
    private final int timeColumn;
    private final long gap;
    private final OrderedState rows;
    private final OrderedState sessions;
    private final RowOutput output;
    /** The changes, sorted, one per row. */
    private long[] changed = new long[64];

    private long[] weights = new long[64];
    private int changes;
    /** The region's rows, old and new, in order: address, weight before and after. */
    private long[] row = new long[256];

    private long[] before = new long[256];
    private long[] after = new long[256];
    private int size;
    private final Sessions old = new Sessions();
    private final Sessions now = new Sessions();
    private long low;
    private long high;
    private long group;

    /**
     * @param rows per partition key, by time
     * @param sessions per partition key, (end, start)
     * @param output takes (group, row, start, end)
     */
    SessionChange(
            RowLayout layout,
            RowOrder order,
            int timeColumn,
            long gap,
            OrderedState rows,
            OrderedState sessions,
            RowOutput output) {
        this.layout = layout;
        this.order = order;
        this.timeColumn = timeColumn;
        this.gap = gap;
        this.rows = rows;
        this.sessions = sessions;
        this.output = output;
    }

    /** Forgets the changes. */
    void clear() {
        changes = 0;
    }

    /** The next change, in the order of rows. */
    void add(long changedRow, long weight) {
        if (changes > 0 && order.compare(changed[changes - 1], changedRow) == 0) {
            weights[changes - 1] += weight;
            return;
        }
        if (changes > 0 && weights[changes - 1] == 0) {
            changes--;
        }
        if (changes == changed.length) {
            changed = Arrays.copyOf(changed, 2 * changes);
            weights = Arrays.copyOf(weights, 2 * changes);
        }
        changed[changes] = changedRow;
        weights[changes++] = weight;
    }

    /**
     * Adds to the output what the changes do, and brings the sessions up to date. The rows are left as they were.
     *
     * @param scratch room for one encoded session
     */
    void emit(long groupRow, long rowsRoot, long sessionsRoot, long scratch) {
        group = groupRow;
        if (changes > 0 && weights[changes - 1] == 0) {
            changes--;
        }
        int to;
        for (int from = 0; from < changes; from = to) {
            to = region(from, sessionsRoot);
            if (withinOneSession(from, to)) {
                for (int i = from; i < to; i++) {
                    output.add(group, changed[i], old.start(0), old.end(0), weights[i]);
                }
            } else {
                collect(from, to, rowsRoot);
                chain();
                replaceSessions(sessionsRoot, scratch);
            }
        }
    }

    private long time(long at) {
        return Mem.getLong(at + layout.offset(timeColumn));
    }

    /** Finds the region that begins with a change: its bounds, its old sessions, and the end of its changes. */
    private int region(int from, long sessionsRoot) {
        old.clear();
        low = time(changed[from]);
        high = low + gap;
        long seen = Long.MIN_VALUE;
        int i = from;
        for (; i < changes && time(changed[i]) < high; i++) {
            long t = time(changed[i]);
            high = Math.max(high, t + gap);
            long first = Math.max(seen, t) + 1;
            for (OrderedState.Cursor c = sessions.cursor(sessionsRoot, SessionAssignOperator.END, first);
                    c.valid() && start(c.entry()) < t + gap;
                    c.next()) {
                seen = end(c.entry());
                old.add(start(c.entry()), seen);
                low = Math.min(low, start(c.entry()));
                high = Math.max(high, seen);
            }
        }
        return i;
    }

    private static long end(long session) {
        return Mem.getLong(session);
    }

    private static long start(long session) {
        return Mem.getLong(session + 8);
    }

    /** Whether nothing but the changed rows is concerned: rows that come in between the first and the last of a session. */
    private boolean withinOneSession(int from, int to) {
        if (old.size() != 1 || time(changed[from]) < old.start(0) || time(changed[to - 1]) > old.end(0) - gap) {
            return false;
        }
        for (int i = from; i < to; i++) {
            if (weights[i] < 0) {
                return false;
            }
        }
        return true;
    }

    /** The region's rows, merged with its changes. */
    private void collect(int from, int to, long rowsRoot) {
        size = 0;
        int change = from;
        OrderedState.Cursor c = rows.cursor(rowsRoot, timeColumn, low);
        while (true) {
            boolean held = c.valid() && time(c.entry()) < high;
            if (!held && change == to) {
                return;
            }
            int compared = !held ? 1 : change == to ? -1 : order.compare(c.entry(), changed[change]);
            if (compared < 0) {
                put(c.entry(), c.weight(), c.weight());
                c.next();
            } else if (compared > 0) {
                put(changed[change], 0, weights[change]);
                change++;
            } else {
                put(c.entry(), c.weight(), c.weight() + weights[change]);
                c.next();
                change++;
            }
        }
    }

    private void put(long address, long weightBefore, long weightAfter) {
        if (weightAfter < 0) {
            throw new StreamException(
                    ErrorCode.DATA_EXCEPTION,
                    "more rows were removed than had been added: %s has weight %d"
                            .formatted(layout.describe(address), weightAfter),
                    -1,
                    "The input retracts a row that it never inserted.",
                    null);
        }
        if (size == row.length) {
            row = Arrays.copyOf(row, 2 * size);
            before = Arrays.copyOf(before, 2 * size);
            after = Arrays.copyOf(after, 2 * size);
        }
        row[size] = address;
        before[size] = weightBefore;
        after[size++] = weightAfter;
    }

    /** Finds the region's new sessions and emits what that changes. */
    private void chain() {
        now.clear();
        int from = 0;
        int oldSession = 0;
        boolean open = false;
        long start = 0;
        long end = 0;
        for (int i = 0; i < size; i++) {
            if (after[i] == 0) {
                continue;
            }
            long t = time(row[i]);
            if (open && t >= end) {
                now.add(start, end);
                oldSession = emit(from, i, start, end, oldSession);
                from = i;
                open = false;
            }
            start = open ? start : t;
            end = t + gap;
            open = true;
        }
        if (open) {
            now.add(start, end);
        }
        emit(from, size, start, end, oldSession);
    }

    /** Emits the rows of a new session, and those between it and the next that are gone. Returns the old session to go on with. */
    private int emit(int from, int to, long start, long end, int firstOld) {
        int oldSession = firstOld;
        for (int i = from; i < to; i++) {
            boolean moved = true;
            if (before[i] > 0) {
                while (old.end(oldSession) <= time(row[i])) {
                    oldSession++;
                }
                moved = old.start(oldSession) != start || old.end(oldSession) != end;
                if (moved || after[i] == 0) {
                    output.add(group, row[i], old.start(oldSession), old.end(oldSession), -before[i]);
                }
            }
            if (after[i] > 0) {
                long weight = moved ? after[i] : after[i] - before[i];
                if (weight != 0) {
                    output.add(group, row[i], start, end, weight);
                }
            }
        }
        return oldSession;
    }

    private void replaceSessions(long sessionsRoot, long scratch) {
        for (int i = 0; i < old.size(); i++) {
            if (!now.contains(old.start(i), old.end(i))) {
                sessions.add(sessionsRoot, session(scratch, old.start(i), old.end(i)), -1);
            }
        }
        for (int i = 0; i < now.size(); i++) {
            if (!old.contains(now.start(i), now.end(i))) {
                sessions.add(sessionsRoot, session(scratch, now.start(i), now.end(i)), 1);
            }
        }
    }

    /** Encodes a session. */
    static long session(long scratch, long start, long end) {
        Mem.putLong(scratch, end);
        Mem.putLong(scratch + 8, start);
        return scratch;
    }
}
