package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.plan.Expr;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.OperatorContext;

import java.util.List;

/** A condition over the rows of a batch, such as a join's residual over left ++ right columns. Owned by one worker; not thread-safe. */
public interface BatchPredicate extends AutoCloseable {
    /**
     * Writes the rows for which the condition is TRUE to {@code selection}, in order. Borrows the batch.
     *
     * @param selection at least {@code batch.rows()} long
     * @return how many rows were written
     * @throws StreamException if a row cannot be evaluated; the message shows the row
     */
    int select(ColumnBatch batch, int[] selection);

    @Override
    void close();

    /** A predicate by a generated loop; {@code schema} is that of the batches, for messages. */
    static BatchPredicate create(Expr condition, Schema schema, OperatorContext context) {
        return new Generated(condition, schema, context);
    }

    /** By a generated loop. */
    final class Generated implements BatchPredicate {
        private final Schema schema;
        private final Variants variants;
        private final Registers registers;

        private Generated(Expr condition, Schema schema, OperatorContext context) {
            this.schema = schema;
            variants = new Variants(Shape.normal(condition), List.of(), context.memory());
            registers = new Registers(context.memory(), context.zone(), context.clock());
        }

        @Override
        public int select(ColumnBatch batch, int[] selection) {
            CompiledKernel kernel = variants.load(batch);
            int rows = batch.rows();
            try {
                return kernel.kernel.select(kernel.data, kernel.validity, 0, rows, selection, registers);
            } catch (StreamException e) {
                throw RowError.locate(
                        e,
                        schema,
                        batch,
                        rows,
                        row -> row,
                        row -> kernel.kernel.select(kernel.data, kernel.validity, row, row + 1, selection, registers));
            }
        }

        @Override
        public void close() {
            variants.close();
            registers.close();
        }
    }
}
