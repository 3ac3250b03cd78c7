package io.tailwater.executor.expr;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.executor.operator.OperatorContext.TickClock;
import org.jspecify.annotations.Nullable;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/**
 * A filter and projections over batches. Columns passed on unchanged are shared with the input where every row passes and gathered where some do;
 * the rest are computed by generated loops. Owned by one worker; not thread-safe.
 */
public final class Projector implements AutoCloseable {
    /** Marks an output column that is computed, among the numbers of the input columns passed on. */
    private static final int COMPUTED = -1;

    private final DataType[] types;
    private final int[] passed;
    private final boolean[] shared;
    private final boolean computes;
    private final @Nullable Expr condition;
    private final boolean identity;
    private final Schema inputSchema;
    private final MemoryAccount memory;
    private final Variants variants;
    private final Registers registers;
    private int[] selection;

    /**
     * @param condition rows for which it is not TRUE are left out; null for none
     * @param schema of the output, a column per projection
     */
    public Projector(
            Schema inputSchema,
            @Nullable Expr condition,
            List<Expr> projections,
            Schema schema,
            MemoryAccount memory,
            ZoneId zone,
            TickClock clock) {
        this.inputSchema = inputSchema;
        this.condition = condition == null || isTrue(condition) ? null : Shape.normal(condition);
        this.memory = memory;
        types = BatchBuilder.types(schema);
        passed = new int[types.length];
        shared = new boolean[types.length];
        List<KernelWriter.Output> outputs = new ArrayList<>();
        boolean same = types.length == inputSchema.size();
        for (int c = 0; c < types.length; c++) {
            Expr value = typed(Shape.normal(projections.get(c)), types[c]);
            passed[c] = value instanceof Expr.Input input ? input.index() : COMPUTED;
            shared[c] = passed[c] != COMPUTED;
            if (!shared[c]) {
                outputs.add(new KernelWriter.Output(c, value));
            }
            same = same && passed[c] == c && types[c].sameAs(inputSchema.type(c));
        }
        identity = same;
        computes = !outputs.isEmpty();
        variants = new Variants(this.condition, outputs, memory);
        registers = new Registers(memory, zone, clock);
        selection = new int[this.condition == null ? 0 : ColumnBatch.TARGET_ROWS];
    }

    /**
     * Generates and runs a small kernel, so that the compiler's classes are loaded: the first kernel of a process takes a second, later ones some
     * milliseconds. For a server's start, beside other work.
     */
    public static void warmUp() {
        DataType type = DataType.decimal(38, 2);
        Expr input = new Expr.Input(0, type);
        Expr sum = Expr.call(Function.PLUS, type, input, new Expr.Literal("1.00", type));
        Expr positive = Expr.call(Function.GT, DataType.BOOLEAN, sum, new Expr.Literal("0.00", type));
        Schema schema = Schema.of(new Column("x", type));
        MemoryAccount memory = MemoryAccount.unlimited("warm-up");
        BatchBuilder one = new BatchBuilder(schema, 1, false, memory);
        one.setNull(0, 0);
        try (Projector projector =
                new Projector(schema, positive, List.of(sum), schema, memory, ZoneOffset.UTC, new TickClock())) {
            ColumnBatch out = projector.apply(one.finish(1));
            if (out != null) {
                throw new AssertionError("NULL is not positive: " + out);
            }
        }
    }

    private static boolean isTrue(Expr condition) {
        return condition instanceof Expr.Literal literal && "true".equals(literal.value());
    }

    /** The value in the column's own physical form: a cast if the plan's types differ by more than name. */
    private static Expr typed(Expr value, DataType type) {
        if (value instanceof Expr.Literal literal && literal.type().kind() == TypeKind.NULL) {
            return new Expr.Literal(null, type);
        }
        return value.type().kind() == type.kind()
                        && (type.kind() != TypeKind.DECIMAL || value.type().scale() == type.scale())
                ? value
                : Expr.call(Function.CAST, type, value);
    }

    /**
     * The output for one batch. Owns the batch and closes it, also when it throws.
     *
     * @return a batch that the caller owns, or null if no row passes
     * @throws StreamException if a row cannot be processed; the message shows the row
     */
    public @Nullable ColumnBatch apply(ColumnBatch input) {
        try {
            int rows = input.rows();
            if (rows == 0) {
                return null;
            }
            CompiledKernel kernel = condition == null && !computes ? null : variants.load(input);
            int count = rows;
            if (condition != null && kernel != null) {
                if (selection.length < rows) {
                    selection = new int[ColumnBatch.MAX_ROWS];
                }
                count = select(kernel, input);
            }
            if (count == 0) {
                return null;
            }
            if (count == rows) {
                return identity ? input.retain() : dense(kernel, input);
            }
            return selected(kernel, input, count);
        } finally {
            input.close();
        }
    }

    private int select(CompiledKernel kernel, ColumnBatch input) {
        try {
            return kernel.kernel.select(kernel.data, kernel.validity, 0, input.rows(), selection, registers);
        } catch (StreamException e) {
            throw RowError.locate(
                    e,
                    inputSchema,
                    input,
                    input.rows(),
                    row -> row,
                    row -> kernel.kernel.select(kernel.data, kernel.validity, row, row + 1, selection, registers));
        }
    }

    private ColumnBatch dense(@Nullable CompiledKernel kernel, ColumnBatch input) {
        int rows = input.rows();
        try (BatchBuilder out = new BatchBuilder(types, rows, false, memory, shared)) {
            for (int c = 0; c < passed.length; c++) {
                if (shared[c]) {
                    out.share(c, input, passed[c]);
                }
            }
            out.shareWeights(input);
            if (computes && kernel != null) {
                try {
                    kernel.kernel.dense(kernel.data, kernel.validity, 0, rows, out, registers);
                } catch (StreamException e) {
                    throw RowError.locate(
                            e,
                            inputSchema,
                            input,
                            rows,
                            row -> row,
                            row -> kernel.kernel.dense(kernel.data, kernel.validity, row, row + 1, out, registers));
                }
                kernel.keepAlive(out, input);
            }
            return out.finish(rows);
        }
    }

    private ColumnBatch selected(@Nullable CompiledKernel kernel, ColumnBatch input, int count) {
        boolean weighted = input.weights() != 0;
        try (BatchBuilder out = new BatchBuilder(types, count, weighted, memory)) {
            for (int c = 0; c < passed.length; c++) {
                if (shared[c]) {
                    Gather.column(out, c, input, passed[c], selection, count);
                }
            }
            if (weighted) {
                Gather.weights(out, input, selection, count);
            }
            if (computes && kernel != null) {
                try {
                    kernel.kernel.selected(kernel.data, kernel.validity, selection, 0, count, out, registers);
                } catch (StreamException e) {
                    throw RowError.locate(
                            e,
                            inputSchema,
                            input,
                            count,
                            row -> selection[row],
                            row -> kernel.kernel.selected(
                                    kernel.data, kernel.validity, selection, row, row + 1, out, registers));
                }
                kernel.keepAlive(out, input);
            }
            return out.finish(count);
        }
    }

    @Override
    public void close() {
        variants.close();
        registers.close();
    }
}
