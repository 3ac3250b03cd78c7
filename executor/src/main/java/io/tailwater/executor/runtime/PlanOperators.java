package io.tailwater.executor.runtime;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.executor.aggregate.AggregateOperator;
import io.tailwater.executor.expr.CalcOperator;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;

/** The operators of all plan nodes. Stateless. */
public final class PlanOperators implements OperatorFactory {
    @Override
    public Operator create(PlanNode node, OperatorContext context) {
        if (node instanceof PlanNode.Calc calc) {
            return CalcOperator.create(calc, context);
        }
        if (node instanceof PlanNode.Aggregate aggregate) {
            return AggregateOperator.create(aggregate, context);
        }
        throw new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED, node.getClass().getSimpleName() + " is not an operator of this version");
    }
}
