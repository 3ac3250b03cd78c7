package io.tailwater.executor.time;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.RowOutput;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.EntryLog;
import io.tailwater.executor.state.OrderedState;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;
import io.tailwater.executor.state.Scratch;

import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

import static java.util.Comparator.comparingLong;

/**
 * EMIT ON WINDOW CLOSE. Net rows wait in an ordered multiset, by time, until the bound has passed them; then they are emitted for good and forgotten. Below
 * the bound that was closed last nothing is taken any more, so what has been emitted cannot be contradicted.
 *
 * <p>For snapshots there is a multiset per vnode. They hold rows as they come in and the bound; that a row has been released follows from the bound.
 */
public final class WindowCloseOperator implements Operator {
    /** Rows released before those of the multiset are removed. */
    private static final int CHUNK = ColumnBatch.TARGET_ROWS;
    /** Parts of a snapshot: {row}, with the weight to add, and {} to {the bound that was closed last}. */
    private static final int ROWS = 0;

    private static final int BOUND = 1;

    private final int timeColumn;
    private final int[] columns;
    private final EventBound bounds;
    private final RowLayout layout;
    private final int timeOffset;
    private final Arena arena;
    private final OrderedState waiting;
    private final EntryLog log;
    private final Scratch roots;
    /** One for each root: one, or one per vnode if there will be snapshots. */
    private Head[] heads = {};

    private final PriorityQueue<Head> passing = new PriorityQueue<>(comparingLong(head -> head.time));
    private final Scratch encoded;
    private final RowOutput output;
    private long closed = Tick.NO_WATERMARK;
    /** Kept apart from the tree, which others must not walk while it changes. */
    private long heldFrom = Long.MAX_VALUE;

    private WindowCloseOperator(PlanNode.WindowClose node, OperatorContext context) {
        timeColumn = node.timeColumn();
        DataType[] types = BatchBuilder.types(node.schema());
        EventBound.checkTime(types[timeColumn]);
        columns = IntStream.range(0, types.length).toArray();
        bounds = new EventBound(node.bounds());
        layout = new RowLayout(types);
        timeOffset = layout.offset(timeColumn);
        arena = new Arena(context.memory());
        waiting = new OrderedState(layout, new RowOrder(layout, List.of(new SortKey(timeColumn, false, false))), arena);
        log = new EntryLog(layout, context.memory());
        roots = new Scratch(context.memory());
        encoded = new Scratch(context.memory());
        output = new RowOutput(
                types,
                List.of(new RowOutput.Part(layout, 0, columns)),
                types.length,
                false,
                context.memory(),
                context.output());
    }

    public static WindowCloseOperator create(PlanNode.WindowClose node, OperatorContext context) {
        WindowCloseOperator operator = new WindowCloseOperator(node, context);
        operator.emptyRoots(1);
        return operator;
    }

    private void emptyRoots(int count) {
        int bytes = count * OrderedState.ROOT_BYTES;
        long first = roots.atLeast(bytes);
        Mem.fill(first, bytes, (byte) 0);
        heads = new Head[count];
        Arrays.setAll(heads, i -> new Head(first + (long) i * OrderedState.ROOT_BYTES));
    }

    private Head head(long hash) {
        return heads[heads.length == 1 ? 0 : Hashing.vnode(hash)];
    }

    private void add(long row, long weight) {
        if (heads.length == 1) {
            waiting.add(heads[0].root, row, weight);
        } else {
            long hash = layout.hash(row, Hashing.NULL_HASH);
            waiting.addFor(hash, head(hash).root, row, weight);
        }
    }

    @Override
    public void onBatch(int input, ColumnBatch batch) {
        try (batch) {
            int n = batch.rows();
            long rows = encoded.atLeast((long) n * layout.width() + 8);
            layout.encode(batch, columns, n, rows, layout.width());
            long data = batch.data(timeColumn);
            long validity = batch.validity(timeColumn);
            for (int i = 0; i < n; i++) {
                // A row without a time would wait for ever.
                if (Mem.getLong(data + 8L * i) >= closed && (validity == 0 || Mem.getBit(validity, i))) {
                    add(rows + (long) i * layout.width(), batch.weight(i));
                }
            }
        }
    }

    @Override
    public void onTickEnd(Tick tick) {
        for (Head head : heads) {
            waiting.check(head.root);
        }
        long bound = bounds.at(tick);
        if (bound > closed) {
            closed = bound;
            while (release(true) == CHUNK) {
                // There is more.
            }
        }
        noteFirst();
    }

    private void noteFirst() {
        heldFrom = Long.MAX_VALUE;
        for (Head head : heads) {
            long first = waiting.first(head.root);
            heldFrom = first == 0 ? heldFrom : Math.min(heldFrom, Mem.getLong(first + timeOffset));
        }
    }

    /**
     * Removes up to a chunk of rows below the bound, which ascend by time; how many it were.
     *
     * @param emits whether that makes them results
     */
    private int release(boolean emits) {
        for (Head head : heads) {
            head.begin();
            if (head.time < closed) {
                passing.add(head);
            }
        }
        int n = 0;
        for (Head head = passing.poll(); head != null; head = passing.poll()) {
            long until = passing.isEmpty() ? closed : passing.peek().time;
            for (; n < CHUNK && head.time < closed && head.time <= until; n++) {
                if (emits) {
                    output.add(head.cursor.entry(), head.cursor.weight());
                }
                head.pass();
            }
            if (n < CHUNK && head.time < closed) {
                passing.add(head);
            }
        }
        output.flush();
        for (Head head : heads) {
            head.removePassed();
        }
        return n;
    }

    /** One root and how far its rows have been released in this chunk. */
    private final class Head {
        private final long root;
        private final OrderedState.Cursor cursor = waiting.anotherCursor();
        /** Of the first row that has not passed; {@link Long#MAX_VALUE} if there is none. */
        private long time;

        private int passed;

        Head(long root) {
            this.root = root;
        }

        void begin() {
            passed = 0;
            cursor.first(root);
            readTime();
        }

        void pass() {
            passed++;
            cursor.next();
            readTime();
        }

        private void readTime() {
            time = cursor.valid() ? Mem.getLong(cursor.entry() + timeOffset) : Long.MAX_VALUE;
        }

        void removePassed() {
            for (; passed > 0; passed--) {
                long first = waiting.first(root);
                waiting.add(root, first, -waiting.weight(first));
            }
        }
    }

    @Override
    public void trackChanges() {
        waiting.noteIn(log);
        emptyRoots(Hashing.VNODES);
    }

    @Override
    public void snapshot(StateWriter out) {
        for (int vnode = out.full().from(); vnode < out.full().to(); vnode++) {
            for (OrderedState.Cursor cursor = waiting.cursor(heads[vnode].root); cursor.valid(); cursor.next()) {
                out.begin(ROWS, layout.hash(cursor.entry(), Hashing.NULL_HASH), cursor.weight());
                out.put(layout, cursor.entry());
                out.value();
                out.end();
            }
        }
        log.forEach((hash, flatRow, flatBytes, weight) -> {
            if (!out.isFull(hash) && Mem.getLong(flatRow + timeOffset) >= closed) {
                out.begin(ROWS, hash, weight);
                out.put(flatRow, flatBytes);
                out.value();
                out.end();
            }
        });
        log.clear();
        out.begin(BOUND, 0, 0);
        out.value();
        out.putLong(closed);
        out.end();
    }

    @Override
    public void restore(StateReader row) {
        if (row.part() == BOUND) {
            closed = Mem.getLong(row.value());
        } else {
            long encoded = this.encoded.atLeast(layout.width() + 8L);
            layout.unflatten(row.key(), encoded);
            waiting.add(head(row.hash()).root, encoded, row.weight());
        }
    }

    /** What has been released since it was written goes. */
    @Override
    public void restored() {
        while (release(false) == CHUNK) {
            // There is more.
        }
        noteFirst();
    }

    @Override
    public StateSize stateSize() {
        long rows = 0;
        for (Head head : heads) {
            rows += waiting.entries(head.root);
        }
        return new StateSize(rows, arena.reservedBytes() + log.reservedBytes());
    }

    @Override
    public long heldFrom() {
        return heldFrom;
    }

    @Override
    public void close() {
        arena.close();
        log.close();
        roots.close();
        encoded.close();
    }
}
