package io.tailwater.executor.time;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.OrderedState;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;
import io.tailwater.executor.state.RowOutput;
import io.tailwater.executor.state.Scratch;

import java.util.List;
import java.util.stream.IntStream;

/**
 * EMIT ON WINDOW CLOSE. Net rows wait in one ordered multiset, by time, until the bound has passed them; then they are emitted for good and forgotten. Below
 * the bound that was closed last nothing is taken any more, so what has been emitted cannot be contradicted.
 */
public final class WindowCloseOperator implements Operator {
    /** Rows released before those of the multiset are removed. */
    private static final int CHUNK = ColumnBatch.TARGET_ROWS;

    private final int timeColumn;
    private final int[] columns;
    private final EventBound bounds;
    private final RowLayout layout;
    private final int timeOffset;
    private final Arena arena;
    private final OrderedState waiting;
    private final Scratch root;
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
        root = new Scratch(context.memory());
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
        Mem.fill(operator.root.atLeast(OrderedState.ROOT_BYTES), OrderedState.ROOT_BYTES, (byte) 0);
        return operator;
    }

    private long root() {
        return root.atLeast(OrderedState.ROOT_BYTES);
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
                    waiting.add(root(), rows + (long) i * layout.width(), batch.weight(i));
                }
            }
        }
    }

    @Override
    public void onTickEnd(Tick tick) {
        waiting.check(root());
        long bound = bounds.at(tick);
        if (bound > closed) {
            closed = bound;
            while (release() == CHUNK) {
                // There is more.
            }
        }
        long first = waiting.first(root());
        heldFrom = first == 0 ? Long.MAX_VALUE : Mem.getLong(first + timeOffset);
    }

    /** Emits and removes up to a chunk of rows below the bound; how many it were. */
    private int release() {
        int n = 0;
        for (OrderedState.Cursor cursor = waiting.cursor(root()); n < CHUNK && cursor.valid(); cursor.next()) {
            if (Mem.getLong(cursor.entry() + timeOffset) >= closed) {
                break;
            }
            output.add(cursor.entry(), cursor.weight());
            n++;
        }
        output.flush();
        for (int i = 0; i < n; i++) {
            long first = waiting.first(root());
            waiting.add(root(), first, -waiting.weight(first));
        }
        return n;
    }

    @Override
    public StateSize stateSize() {
        return new StateSize(waiting.entries(root()), arena.reservedBytes());
    }

    @Override
    public long heldFrom() {
        return heldFrom;
    }

    @Override
    public void close() {
        arena.close();
        root.close();
        encoded.close();
    }
}
