package io.tailwater.executor.runtime;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;

/** Makes the operator of a plan node. Scans, values, exchanges and unions are the runtime's own. */
@FunctionalInterface
public interface OperatorFactory {
    Operator create(PlanNode node, OperatorContext context);
}
