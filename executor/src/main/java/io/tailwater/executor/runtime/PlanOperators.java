package io.tailwater.executor.runtime;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.aggregate.AggregateOperator;
import io.tailwater.executor.aggregate.ConsolidateOperator;
import io.tailwater.executor.expr.BatchPredicate;
import io.tailwater.executor.expr.CalcOperator;
import io.tailwater.executor.expr.WindowAssignOperator;
import io.tailwater.executor.join.JoinOperator;
import io.tailwater.executor.keyed.KeyedOperator;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.set.SetOperationOperator;
import io.tailwater.executor.time.LateFilterOperator;
import io.tailwater.executor.time.SessionAssignOperator;
import io.tailwater.executor.time.WindowCloseOperator;
import io.tailwater.executor.topn.TopNOperator;
import io.tailwater.executor.view.SortOperator;

import java.util.ArrayList;
import java.util.List;

/** The operators of all plan nodes. Stateless. */
public final class PlanOperators implements OperatorFactory {
    @Override
    public Operator create(PlanNode node, OperatorContext context) {
        if (node instanceof PlanNode.Calc calc) {
            return CalcOperator.create(calc, context);
        }
        if (node instanceof PlanNode.WindowAssign assign) {
            return WindowAssignOperator.create(assign, context);
        }
        if (node instanceof PlanNode.Consolidate consolidate) {
            return ConsolidateOperator.create(consolidate, context);
        }
        if (node instanceof PlanNode.Aggregate aggregate) {
            return AggregateOperator.create(aggregate, context);
        }
        if (node instanceof PlanNode.Join join) {
            List<Column> columns = new ArrayList<>(join.left().schema().columns());
            columns.addAll(join.right().schema().columns());
            return JoinOperator.create(
                    join,
                    context,
                    join.residual() == null
                            ? null
                            : BatchPredicate.create(join.residual(), new Schema(columns), context));
        }
        if (node instanceof PlanNode.Keyed keyed) {
            return KeyedOperator.create(keyed, context);
        }
        if (node instanceof PlanNode.Sort sort) {
            return SortOperator.create(sort, context);
        }
        if (node instanceof PlanNode.SetOperation operation) {
            return SetOperationOperator.create(operation, context);
        }
        if (node instanceof PlanNode.TopN top) {
            return TopNOperator.create(top, context);
        }
        if (node instanceof PlanNode.SessionAssign session) {
            return SessionAssignOperator.create(session, context);
        }
        if (node instanceof PlanNode.WindowClose close) {
            return WindowCloseOperator.create(close, context);
        }
        if (node instanceof PlanNode.LateFilter late) {
            return LateFilterOperator.create(late, context);
        }
        throw new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED,
                node.getClass().getSimpleName() + " is not an operator of this version");
    }
}
