package io.tailwater.executor.view;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;

import java.util.List;

/** Nets batches by whole row: rows that come and go within a tick vanish, equal rows become one with the sum of the weights. Owned by one thread. */
public final class DeltaConsolidator implements AutoCloseable {
    private final RowLayout layout;
    private final RowOrder order;
    private final MemoryAccount account;
    private final DeltaBuffer buffer;

    public DeltaConsolidator(Schema schema, MemoryAccount account) {
        layout = new RowLayout(BatchBuilder.types(schema));
        order = RowOrder.ascending(layout);
        this.account = account;
        buffer = new DeltaBuffer(layout, order, account);
    }

    /** Owns the batch. */
    public void add(ColumnBatch batch) {
        try (batch) {
            buffer.add(batch);
        }
    }

    /** The sum of what was added since the last call; the caller owns the batches. A batch has weights only if one of them is not 1. */
    public List<ColumnBatch> take() {
        if (buffer.count() == 0) {
            return List.of();
        }
        SortedRun run = buffer.build();
        try {
            return new RunReader(layout, order, false, List.of(run)).readAll(account);
        } finally {
            run.release();
        }
    }

    @Override
    public void close() {
        buffer.close();
    }
}
