package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;

/** {@link PlanNode.Calc}: filter and projections, streaming batches through. Keeps no rows. */
public final class CalcOperator implements Operator {
    private final Projector projector;
    private final OperatorContext context;

    private CalcOperator(Projector projector, OperatorContext context) {
        this.projector = projector;
        this.context = context;
    }

    public static CalcOperator create(PlanNode.Calc calc, OperatorContext context) {
        Projector projector = new Projector(
                calc.input().schema(),
                calc.condition(),
                calc.projections(),
                calc.schema(),
                context.memory(),
                context.zone(),
                context.clock());
        return new CalcOperator(projector, context);
    }

    @Override
    public void onBatch(int input, ColumnBatch batch) {
        ColumnBatch result = projector.apply(batch);
        if (result != null) {
            context.output().emit(result);
        }
    }

    @Override
    public void onTickEnd(Tick tick) {
        // Nothing is held back from one batch to the next.
    }

    @Override
    public void close() {
        projector.close();
    }
}
