package io.tailwater.executor.runtime;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.DataType;

/** Picks a scan's columns out of a batch that has all of its object's columns, sharing the buffers. */
public final class ViewProjection {
    private static final MemoryAccount NOTHING_ALLOCATED = MemoryAccount.unlimited("view projection");

    private ViewProjection() {}

    /** Owns {@code batch}; the caller owns the result. */
    public static ColumnBatch project(ColumnBatch batch, PlanNode.Scan scan) {
        int width = scan.columns().size();
        boolean identity = width == batch.columns();
        for (int c = 0; identity && c < width; c++) {
            identity = scan.columns().get(c) == c;
        }
        if (identity) {
            return batch;
        }
        try (batch) {
            DataType[] types = BatchBuilder.types(scan.schema());
            boolean[] shared = new boolean[width];
            java.util.Arrays.fill(shared, true);
            try (BatchBuilder out = new BatchBuilder(types, batch.rows(), false, NOTHING_ALLOCATED, shared)) {
                for (int c = 0; c < width; c++) {
                    out.share(c, batch, scan.columns().get(c));
                }
                if (width == 0) {
                    out.keepAlive(batch);
                }
                out.shareWeights(batch);
                return out.finish(batch.rows());
            }
        }
    }
}
