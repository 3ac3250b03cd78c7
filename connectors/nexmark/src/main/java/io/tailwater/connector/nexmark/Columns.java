package io.tailwater.connector.nexmark;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;

import java.util.Arrays;
import java.util.List;

/** Fills the columns that a query reads of one kind of event. Owned by one reader. */
interface Columns {
    /** Fills all rows of the window. */
    void fill(BatchBuilder out, Window window);

    /**
     * The columns of one kind of event.
     *
     * @param columns of the kind's schema, in the order of the batch
     */
    static Columns of(NexmarkOptions options, List<Integer> columns) {
        int[] slots = slots(options.kind(), columns);
        TextPools pools = TextPools.of(options.seed());
        return switch (options.kind()) {
            case PERSON -> new PersonColumns(slots, pools);
            case AUCTION -> new AuctionColumns(slots, pools, options.rate());
            case BID -> new BidColumns(slots, pools);
        };
    }

    /** For each column of the schema its index in the batch, or -1 if it is not read. */
    private static int[] slots(EventKind kind, List<Integer> columns) {
        int[] slots = new int[kind.schema().size()];
        Arrays.fill(slots, -1);
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i) == PlanNode.Scan.ARRIVAL) {
                continue;
            }
            if (slots[columns.get(i)] >= 0) {
                throw new IllegalArgumentException("column " + columns.get(i) + " asked for twice");
            }
            slots[columns.get(i)] = i;
        }
        return slots;
    }

    /** Makes a slot a view of {@code length} bytes, more than fit inline. */
    static void putLongView(long slot, long bytes, int length) {
        Mem.putLong(slot, length | ((long) Mem.getInt(bytes) << 32));
        Mem.putLong(slot + 8, bytes);
    }
}
