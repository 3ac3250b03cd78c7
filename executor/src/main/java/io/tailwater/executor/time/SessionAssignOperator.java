package io.tailwater.executor.time;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.expr.KeyHash;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.snapshot.TableSnapshot;
import io.tailwater.executor.state.AddressList;
import io.tailwater.executor.state.OrderedState;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;
import io.tailwater.executor.state.RowOutput;
import io.tailwater.executor.state.RowSort;
import io.tailwater.executor.state.Scratch;
import io.tailwater.executor.state.StateTable;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * SESSION. A partition key's row of the {@link StateTable} holds {its rows by time, its sessions, the tick's changes}. Changes are logged as they come; at
 * tick end they are sorted and {@link SessionChange} emits what they do to the rows of the sessions they touch, and only then they are applied.
 */
public final class SessionAssignOperator implements Operator {
    /** Columns of a session: (end, start), so that the first that ends after a time is found by a search. */
    static final int END = 0;

    private static final RowLayout SESSION = new RowLayout(DataType.BIGINT.notNull(), DataType.BIGINT.notNull());
    private static final int ROWS = 0;
    private static final int SESSIONS = OrderedState.ROOT_BYTES;
    private static final int CHANGES = 2 * OrderedState.ROOT_BYTES;
    private static final int VALUE_BYTES = CHANGES + 8;
    /** A logged change: {next, weight, row}. */
    private static final int WEIGHT = 8;

    private static final int ROW = 16;

    private final int[] keyColumns;
    private final int[] restColumns;
    private final int timeColumn;
    private final long gap;
    private final RowLayout rest;
    private final int restTime;
    private final RowOrder order;
    private final StateTable table;
    private final int rowsOffset;
    private final int sessionsOffset;
    private final int changesOffset;
    private final OrderedState rows;
    private final OrderedState sessions;
    private final TableSnapshot snapshot;
    private final AddressList dirty;
    private final AddressList expired;
    private final Scratch keys;
    private final Scratch encoded;
    private final Scratch session;
    private final RowOutput output;
    private final SessionChange change;
    private final @Nullable RetentionSweep sweep;
    private final int retainedBy;
    private long[] hashes = new long[ColumnBatch.TARGET_ROWS];
    private long[] found = new long[ColumnBatch.TARGET_ROWS];
    private long[] sorted = new long[64];
    private long held;
    private long stamp;

    private SessionAssignOperator(PlanNode.SessionAssign node, OperatorContext context) {
        Schema schema = node.input().schema();
        timeColumn = node.timeColumn();
        EventBound.checkTime(schema.type(timeColumn));
        gap = node.gapMicros();
        keyColumns = node.partitionKeys().stream().mapToInt(i -> i).toArray();
        List<Integer> others = new ArrayList<>();
        List<DataType> types = new ArrayList<>();
        for (int c = 0; c < schema.size(); c++) {
            if (!node.partitionKeys().contains(c)) {
                others.add(c);
                types.add(c == timeColumn ? schema.type(c).notNull() : schema.type(c));
            }
        }
        restColumns = others.stream().mapToInt(i -> i).toArray();
        restTime = others.indexOf(timeColumn);
        RowLayout key =
                new RowLayout(node.partitionKeys().stream().map(schema::type).toArray(DataType[]::new));
        rest = RowLayout.droppingNulls(types.toArray(new DataType[0]));
        order = new RowOrder(rest, List.of(new SortKey(restTime, false, false)));
        table = new StateTable(key, VALUE_BYTES, context.memory());
        rowsOffset = table.valueOffset() + ROWS;
        sessionsOffset = table.valueOffset() + SESSIONS;
        changesOffset = table.valueOffset() + CHANGES;
        rows = new OrderedState(rest, order, table.arena());
        sessions = new OrderedState(SESSION, RowOrder.ascending(SESSION), table.arena());
        snapshot = new TableSnapshot(table, List.of(new TableSnapshot.Multiset(rows, rowsOffset)), context.memory());
        dirty = new AddressList(context.memory());
        expired = new AddressList(context.memory());
        keys = new Scratch(context.memory());
        encoded = new Scratch(context.memory());
        session = new Scratch(context.memory());
        output = new RowOutput(
                BatchBuilder.types(node.schema()),
                List.of(new RowOutput.Part(key, StateTable.KEY, keyColumns), new RowOutput.Part(rest, 0, restColumns)),
                schema.size(),
                true,
                context.memory(),
                context.output());
        change = new SessionChange(rest, order, restTime, gap, rows, sessions, output);
        PlanNode.Retention retention = node.retention();
        sweep = retention == null ? null : new RetentionSweep(retention);
        retainedBy = retention == null ? -1 : retention.column();
        if (retainedBy >= 0 && retainedBy != timeColumn && retainedBy < schema.size()) {
            throw new AssertionError("sessions end with column " + retainedBy + ", which is not of their time");
        }
    }

    public static SessionAssignOperator create(PlanNode.SessionAssign node, OperatorContext context) {
        return new SessionAssignOperator(node, context);
    }

    @Override
    public void onBatch(int input, ColumnBatch batch) {
        try (batch) {
            int n = batch.rows();
            if (n == 0) {
                return;
            }
            if (found.length < n) {
                found = new long[n];
                hashes = new long[n];
            }
            int keyWidth = table.key().width();
            KeyHash.hash(batch, keyColumns, hashes);
            long encodedKeys = keys.atLeast((long) n * keyWidth + 8);
            table.key().encode(batch, keyColumns, n, encodedKeys, keyWidth);
            table.findOrInsert(encodedKeys, keyWidth, hashes, n, found);
            long from = encoded.atLeast((long) n * rest.width() + 8);
            rest.encode(batch, restColumns, n, from, rest.width());
            long validity = batch.validity(timeColumn);
            for (int i = 0; i < n; i++) {
                if (StateTable.stamp(found[i]) != stamp) {
                    table.touch(found[i], stamp);
                    dirty.add(found[i]);
                }
                if (validity == 0 || Mem.getBit(validity, i)) {
                    log(found[i] + changesOffset, from + (long) i * rest.width(), batch.weight(i));
                }
            }
        }
    }

    private void log(long head, long row, long weight) {
        long block = table.arena().allocate(ROW + rest.width());
        rest.copy(row, block + ROW);
        rest.own(block + ROW, table.arena());
        Mem.putLong(block + WEIGHT, weight);
        Mem.putLong(block, Mem.getLong(head));
        Mem.putLong(head, block);
    }

    @Override
    public void onTickEnd(Tick tick) {
        long n = dirty.size();
        for (long i = 0; i < n; i++) {
            emitChange(dirty.get(i));
        }
        output.flush();
        for (long i = 0; i < n; i++) {
            apply(dirty.get(i));
        }
        dirty.clear();
        stamp = tick.number() + 1;
        if (sweep != null) {
            long bound = sweep.due(tick, held);
            if (bound != Tick.NO_WATERMARK) {
                dropBelow(bound);
                sweep.done(held);
            }
        }
    }

    private void emitChange(long group) {
        int n = 0;
        for (long block = Mem.getLong(group + changesOffset); block != 0; block = Mem.getLong(block)) {
            if (n == sorted.length) {
                sorted = java.util.Arrays.copyOf(sorted, 2 * n);
            }
            sorted[n++] = block;
        }
        if (n > 1) {
            RowSort.sort(sorted, n, ROW, order);
        }
        change.clear();
        for (int i = 0; i < n; i++) {
            change.add(sorted[i] + ROW, Mem.getLong(sorted[i] + WEIGHT));
        }
        change.emit(group, group + rowsOffset, group + sessionsOffset, session.atLeast(SESSION.width()));
    }

    /** The changes become part of the rows. */
    private void apply(long group) {
        long root = group + rowsOffset;
        held -= rows.entries(root);
        long next;
        for (long block = Mem.getLong(group + changesOffset); block != 0; block = next) {
            next = Mem.getLong(block);
            rows.addFor(group, root, block + ROW, Mem.getLong(block + WEIGHT));
            rest.disown(block + ROW, table.arena());
            table.arena().free(block, ROW + rest.width());
        }
        Mem.putLong(group + changesOffset, 0);
        held += rows.entries(root);
        if (rows.entries(root) == 0) {
            table.remove(group);
        }
    }

    /** Forgets sessions that no row can join any more, with their rows. */
    private void dropBelow(long bound) {
        table.forEach(group -> {
            long last = sessions.first(group + sessionsOffset);
            while (last != 0 && retained(last) < bound) {
                dropRows(group, Mem.getLong(last));
                sessions.add(group + sessionsOffset, last, -1);
                last = sessions.first(group + sessionsOffset);
            }
            if (last == 0) {
                expired.add(group);
            }
        });
        for (long i = 0; i < expired.size(); i++) {
            table.remove(expired.get(i));
        }
        expired.clear();
    }

    /** The session's greatest value of the column that retention goes by. */
    private long retained(long endAndStart) {
        long end = Mem.getLong(endAndStart);
        return retainedBy == timeColumn
                ? end - gap
                : retainedBy == restColumns.length + keyColumns.length ? Mem.getLong(endAndStart + 8) : end;
    }

    private void dropRows(long group, long end) {
        long root = group + rowsOffset;
        for (long row = rows.first(root); row != 0; row = rows.first(root)) {
            if (Mem.getLong(row + rest.offset(restTime)) >= end) {
                return;
            }
            rows.addFor(group, root, row, -rows.weight(row));
            held--;
        }
    }

    @Override
    public void trackChanges() {
        snapshot.trackChanges();
    }

    /** The rows: their sessions follow from them. */
    @Override
    public void snapshot(StateWriter out) {
        snapshot.write(out, stamp - 1, group -> {});
    }

    @Override
    public void restore(StateReader in) {
        snapshot.read(in, group -> rows.clear(group + rowsOffset));
    }

    @Override
    public void restored() {
        table.forEach(this::chain);
    }

    /** Finds the sessions of a partition key's rows. */
    private void chain(long group) {
        held += rows.entries(group + rowsOffset);
        boolean open = false;
        long start = 0;
        long end = 0;
        for (OrderedState.Cursor c = rows.cursor(group + rowsOffset); c.valid(); c.next()) {
            long time = Mem.getLong(c.entry() + rest.offset(restTime));
            if (open && time >= end) {
                addSession(group, start, end);
                open = false;
            }
            start = open ? start : time;
            end = time + gap;
            open = true;
        }
        if (open) {
            addSession(group, start, end);
        }
    }

    private void addSession(long group, long start, long end) {
        sessions.add(group + sessionsOffset, SessionChange.session(session.atLeast(SESSION.width()), start, end), 1);
    }

    @Override
    public StateSize stateSize() {
        return new StateSize(
                held,
                table.reservedBytes() + dirty.reservedBytes() + expired.reservedBytes() + snapshot.reservedBytes());
    }

    @Override
    public void close() {
        table.close();
        snapshot.close();
        dirty.close();
        expired.close();
        keys.close();
        encoded.close();
        session.close();
    }
}
