package io.tailwater.executor.time;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.state.AddressList;
import io.tailwater.executor.state.StateTable;

/**
 * Drops the groups of a {@link StateTable} whose key holds a time below the retention bound. It knows nothing of them that the table does not, so it has no part in
 * snapshots; after one was taken over the first tick looks at all groups.
 *
 * <p>Owned by one operator; not thread-safe.
 */
public final class GroupRetention implements AutoCloseable {
    private final RetentionSweep sweep;
    private final StateTable table;
    private final int column;
    private final int timeOffset;
    private final StateTable.RowVisitor release;
    private final AddressList expired;

    /**
     * @param column of the table's key
     * @param release frees what a group's value refers to; the group itself is removed here
     */
    public GroupRetention(
            PlanNode.Retention retention,
            StateTable table,
            int column,
            StateTable.RowVisitor release,
            MemoryAccount memory) {
        EventBound.checkTime(table.key().type(column));
        sweep = new RetentionSweep(retention);
        this.table = table;
        this.column = column;
        this.timeOffset = StateTable.KEY + table.key().offset(column);
        this.release = release;
        expired = new AddressList(memory);
    }

    /** After the tick's changes have been emitted. A group whose time is NULL stays. */
    public void onTickEnd(Tick tick) {
        long bound = sweep.due(tick, table.rows());
        if (bound == Tick.NO_WATERMARK) {
            return;
        }
        table.forEach(row -> {
            if (Mem.getLong(row + timeOffset) < bound && !table.key().isNull(column, row + StateTable.KEY)) {
                expired.add(row);
            }
        });
        for (long i = 0; i < expired.size(); i++) {
            release.visit(expired.get(i));
            table.remove(expired.get(i));
        }
        expired.clear();
        sweep.done(table.rows());
    }

    @Override
    public void close() {
        expired.close();
    }
}
