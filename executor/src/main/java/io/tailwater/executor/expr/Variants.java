package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.Expr;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The two kernels of one filter and its projections: for batches whose used columns hold no NULL, and for all others. Each is generated when first
 * needed. Owned by one operator; not thread-safe.
 */
final class Variants implements AutoCloseable {
    private final @Nullable Expr condition;
    private final List<KernelWriter.Output> outputs;
    private final MemoryAccount memory;
    private final int[] used;
    private @Nullable CompiledKernel plain;
    private @Nullable CompiledKernel nullable;

    Variants(@Nullable Expr condition, List<KernelWriter.Output> outputs, MemoryAccount memory) {
        this.condition = condition;
        this.outputs = outputs;
        this.memory = memory;
        SortedSet<Integer> columns = new TreeSet<>();
        List<Expr> all = new ArrayList<>();
        outputs.forEach(output -> all.add(output.value()));
        if (condition != null) {
            all.add(condition);
        }
        all.forEach(expr -> addInputs(expr, columns));
        used = columns.stream().mapToInt(Integer::intValue).toArray();
    }

    private static void addInputs(Expr expr, SortedSet<Integer> columns) {
        if (expr instanceof Expr.Input input) {
            columns.add(input.index());
        } else if (expr instanceof Expr.Call call) {
            call.operands().forEach(operand -> addInputs(operand, columns));
        }
    }

    /** The kernel for this batch, loaded with its addresses. */
    CompiledKernel load(ColumnBatch batch) {
        boolean nulls = false;
        for (int column : used) {
            nulls |= batch.validity(column) != 0;
        }
        CompiledKernel kernel = nulls ? nullable : plain;
        if (kernel == null) {
            kernel = CompiledKernel.create(nulls, condition, outputs, memory);
            if (nulls) {
                nullable = kernel;
            } else {
                plain = kernel;
            }
        }
        kernel.load(batch);
        return kernel;
    }

    @Override
    public void close() {
        if (plain != null) {
            plain.close();
            plain = null;
        }
        if (nullable != null) {
            nullable.close();
            nullable = null;
        }
    }
}
