package io.tailwater.executor.expr;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.Expr;
import io.tailwater.common.type.DataType;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A kernel with its text constants and the addresses of the batch it is about to run on. Text constants live in a batch of one row, so that
 * outputs which refer to them can keep them alive past their operator. Owned by one operator; not thread-safe.
 */
final class CompiledKernel implements AutoCloseable {
    final Kernel kernel;
    final long[] data;
    final long[] validity;

    private final int[] inputs;
    private final boolean viewsInput;
    private final @Nullable ColumnBatch constants;

    private CompiledKernel(Kernel kernel, int[] inputs, boolean viewsInput, @Nullable ColumnBatch constants) {
        this.kernel = kernel;
        this.inputs = inputs;
        this.viewsInput = viewsInput;
        this.constants = constants;
        data = new long[inputs.length];
        validity = new long[inputs.length];
    }

    static CompiledKernel create(
            boolean nulls, @Nullable Expr condition, List<KernelWriter.Output> outputs, MemoryAccount memory) {
        KernelWriter writer = new KernelWriter(nulls);
        String source = writer.write(condition, outputs);
        List<byte[]> texts = new ArrayList<>();
        for (KernelWriter.Constant constant : writer.constants()) {
            if (constant.value() instanceof KernelWriter.Text text) {
                texts.add(text.bytes());
            }
        }
        ColumnBatch stored = texts.isEmpty() ? null : store(texts, memory);
        Object[] values = new Object[writer.constants().size()];
        int text = 0;
        for (int k = 0; k < values.length; k++) {
            Object value = writer.constants().get(k).value();
            values[k] = value instanceof KernelWriter.Text && stored != null ? (Object) stored.data(text++) : value;
        }
        return new CompiledKernel(
                KernelCache.instantiate(source, values), writer.inputs(), writer.isViewingInput(), stored);
    }

    private static ColumnBatch store(List<byte[]> texts, MemoryAccount memory) {
        DataType[] types = new DataType[texts.size()];
        Arrays.fill(types, DataType.VARBINARY);
        try (BatchBuilder builder = new BatchBuilder(types, 1, false, memory)) {
            for (int i = 0; i < types.length; i++) {
                builder.putBytes(i, 0, texts.get(i), 0, texts.get(i).length);
            }
            return builder.finish(1);
        }
    }

    /** Points the kernel at a batch. */
    void load(ColumnBatch batch) {
        for (int k = 0; k < inputs.length; k++) {
            data[k] = batch.data(inputs[k]);
            validity[k] = batch.validity(inputs[k]);
        }
    }

    /** Keeps alive what the columns just computed from {@code input} refer to. */
    void keepAlive(BatchBuilder out, ColumnBatch input) {
        if (viewsInput) {
            out.keepAlive(input);
            if (constants != null) {
                out.keepAlive(constants);
            }
        }
    }

    @Override
    public void close() {
        if (constants != null) {
            constants.close();
        }
    }
}
