package io.tailwater.planner.logical;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.hep.HepMatchOrder;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.plan.hep.HepProgramBuilder;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.RelFactories;
import org.apache.calcite.rel.rules.AggregateExtractProjectRule;
import org.apache.calcite.rel.rules.CoreRules;
import org.apache.calcite.rel.rules.ProjectJoinTransposeRule;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql2rel.RelDecorrelator;
import org.apache.calcite.tools.RelBuilder;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.ToIntFunction;

/** The fixed sequence of rewrites. Heuristic only: there are no statistics to choose by, and a plan must not depend on them. */
public final class Rewriter {
    private static final List<RelOptRule> SUB_QUERIES = List.of(
            CoreRules.FILTER_SUB_QUERY_TO_CORRELATE,
            CoreRules.PROJECT_SUB_QUERY_TO_CORRELATE,
            CoreRules.JOIN_SUB_QUERY_TO_CORRELATE);

    private static final List<RelOptRule> DISTINCT =
            List.of(CoreRules.UNION_MERGE, CoreRules.UNION_TO_DISTINCT, CoreRules.AGGREGATE_EXPAND_DISTINCT_AGGREGATES);

    private static final List<RelOptRule> PUSH_DOWN = List.of(
            CoreRules.FILTER_PROJECT_TRANSPOSE,
            CoreRules.FILTER_INTO_JOIN,
            CoreRules.JOIN_CONDITION_PUSH,
            CoreRules.FILTER_AGGREGATE_TRANSPOSE,
            CoreRules.FILTER_SET_OP_TRANSPOSE,
            CoreRules.FILTER_MERGE,
            CoreRules.PROJECT_MERGE,
            CoreRules.PROJECT_REMOVE);

    private static final List<RelOptRule> MULTI_JOIN = List.of(
            CoreRules.JOIN_TO_MULTI_JOIN, CoreRules.FILTER_MULTI_JOIN_MERGE, CoreRules.PROJECT_MULTI_JOIN_MERGE);

    /** Joins in another order: tables listed with commas may have no condition in common with their neighbours. */
    private static final List<RelOptRule> JOIN_ORDER = List.of(CoreRules.MULTI_JOIN_OPTIMIZE);

    private static final List<RelOptRule> JOIN_KEYS =
            List.of(CoreRules.JOIN_PUSH_EXPRESSIONS, CoreRules.PROJECT_MERGE, CoreRules.PROJECT_REMOVE);

    /** Lets go of columns that only a filter below a join needed. Expressions stay above the join, where there may be fewer rows. */
    private static final List<RelOptRule> NARROW = List.of(
            ProjectJoinTransposeRule.Config.DEFAULT
                    .withPreserveExprCondition(expr -> false)
                    .toRule(),
            CoreRules.PROJECT_MERGE,
            CoreRules.PROJECT_REMOVE);

    private Rewriter() {}

    /**
     * @param positions where a piece of text begins in the statement, or -1
     * @throws StreamException 0A000 if a correlated sub-query cannot be made into a join, or for a window function that is no bounded row number
     */
    public static RelNode rewrite(RelNode root, ToIntFunction<SqlParserPos> positions) {
        RelBuilder builder = RelFactories.LOGICAL_BUILDER.create(root.getCluster(), null);
        RelNode node = run(root, SUB_QUERIES);
        node = node.accept(new WindowFunctions());
        node = RelDecorrelator.decorrelateQuery(node, builder);
        requireDecorrelated(node);
        node = run(node, DISTINCT);
        node = run(node, PUSH_DOWN);
        if (RowNumbers.usesOver(node)) {
            node = run(new RowNumbers(positions).rewrite(node), PUSH_DOWN);
        }
        if (hasCrossJoin(node)) {
            node = run(run(node, MULTI_JOIN), JOIN_ORDER);
            node = run(node, PUSH_DOWN);
        }
        node = run(node, JOIN_KEYS);
        node = Trimmer.trim(node, builder);
        node = run(node, List.of(AggregateExtractProjectRule.Config.DEFAULT.toRule()));
        return run(node, NARROW);
    }

    private static RelNode run(RelNode root, List<RelOptRule> rules) {
        HepProgramBuilder program = HepProgram.builder();
        program.addMatchOrder(HepMatchOrder.BOTTOM_UP);
        program.addRuleCollection(rules);
        HepPlanner planner = new HepPlanner(program.build());
        planner.setRoot(root);
        return planner.findBestExp();
    }

    /** Whether an inner join of three or more relations has a join without any condition in it. */
    private static boolean hasCrossJoin(RelNode root) {
        boolean[] found = new boolean[1];
        new RelVisitor() {
            @Override
            public void visit(RelNode node, int ordinal, @Nullable RelNode parent) {
                if (node instanceof Join join
                        && join.getCondition().isAlwaysTrue()
                        && (parent instanceof Join || join.getLeft() instanceof Join)) {
                    found[0] = true;
                }
                super.visit(node, ordinal, parent);
            }
        }.go(root);
        return found[0];
    }

    private static void requireDecorrelated(RelNode root) {
        new RelVisitor() {
            @Override
            public void visit(RelNode node, int ordinal, @Nullable RelNode parent) {
                if (node instanceof Correlate) {
                    throw new StreamException(
                            ErrorCode.FEATURE_NOT_SUPPORTED,
                            "this correlated sub-query is not supported yet",
                            -1,
                            "rewrite it as a join",
                            null);
                }
                super.visit(node, ordinal, parent);
            }
        }.go(root);
    }
}
