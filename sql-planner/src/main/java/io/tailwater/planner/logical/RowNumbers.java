package io.tailwater.planner.logical;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * Makes bounded row numbers into nodes that keep no more rows than the bound lets through.
 *
 * <pre>
 * Filter(rn &lt;= 3, Project(a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS rn, x))
 *     becomes  Project(a, row_number, TopNRel(partition a, order b, limit 3, x))
 * </pre>
 *
 * <p>Conditions that are no bounds stay above, but those on partition keys alone go below.
 */
final class RowNumbers extends RelHomogeneousShuttle {
    private static final String HINT =
            "ROW_NUMBER() OVER (...) AS n is, in a sub-query whose outer query has WHERE n <= a constant";

    private final ToIntFunction<SqlParserPos> positions;

    RowNumbers(ToIntFunction<SqlParserPos> positions) {
        this.positions = positions;
    }

    /** @throws StreamException 0A000 for window functions that are no bounded row numbers */
    RelNode rewrite(RelNode root) {
        RelNode node = root.accept(this);
        node.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode other) {
                if (other instanceof Project project && project.containsOver()) {
                    throw unsupported(over(project));
                }
                return super.visit(other);
            }
        });
        return node;
    }

    static boolean usesOver(RelNode root) {
        boolean[] found = new boolean[1];
        root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode other) {
                found[0] |= other instanceof Project project && project.containsOver();
                return super.visit(other);
            }
        });
        return found[0];
    }

    @Override
    public RelNode visit(RelNode other) {
        RelNode node = super.visit(other);
        return node instanceof Filter filter && filter.getInput() instanceof Project project && project.containsOver()
                ? topN(filter, project)
                : node;
    }

    private RelNode topN(Filter filter, Project project) {
        RexOver over = over(project);
        if (over.getOperator() != SqlStdOperatorTable.ROW_NUMBER) {
            throw unsupported(over);
        }
        Range range = new Range();
        List<RexNode> others = new ArrayList<>();
        RexBuilder builder = filter.getCluster().getRexBuilder();
        RexNode condition =
                RexUtil.expandSearch(builder, null, RelOptUtil.pushPastProject(filter.getCondition(), project));
        for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
            if (!range.narrow(conjunct)) {
                others.add(conjunct);
            }
        }
        if (range.to == Long.MAX_VALUE) {
            throw unsupported(over);
        }
        if (range.to < range.from) {
            return LogicalValues.createEmpty(filter.getCluster(), filter.getRowType());
        }
        List<RexNode> columns =
                new ArrayList<>(builder.identityProjects(project.getInput().getRowType()));
        int width = columns.size();
        List<Integer> keys = over.getWindow().partitionKeys.stream()
                .map(k -> column(k, columns))
                .distinct()
                .toList();
        List<RelFieldCollation> order = new ArrayList<>();
        for (RexFieldCollation key : over.getWindow().orderKeys) {
            order.add(new RelFieldCollation(column(key.left, columns), key.getDirection(), key.getNullDirection()));
        }
        List<RexNode> below =
                others.stream().filter(c -> readsOnlyKeys(c, keys)).toList();
        others.removeAll(below);
        RelNode input = below.isEmpty()
                ? project.getInput()
                : LogicalFilter.create(project.getInput(), RexUtil.composeConjunction(builder, below));
        input = columns.size() == width ? input : extended(input, columns, project);
        RelNode top = new TopNRel(
                input, keys, RelCollations.of(order), range.from - 1, Math.addExact(range.to - range.from, 1));
        RexNode number = builder.makeInputRef(top, columns.size());
        RexShuttle numbered = new RexShuttle() {
            @Override
            public RexNode visitOver(RexOver call) {
                return number;
            }

            @Override
            public RexNode visitCall(RexCall call) {
                int at = columns.indexOf(call);
                return at < 0
                        ? super.visitCall(call)
                        : builder.makeInputRef(columns.get(at).getType(), at);
            }
        };
        if (!others.isEmpty()) {
            top = LogicalFilter.create(top, RexUtil.composeConjunction(builder, numbered.visitList(others)));
        }
        return LogicalProject.create(
                top,
                List.of(),
                numbered.visitList(project.getProjects()),
                project.getRowType().getFieldNames(),
                Set.of());
    }

    /** A condition that is the same for all rows of a group leaves the numbers as they are. */
    private static boolean readsOnlyKeys(RexNode condition, List<Integer> keys) {
        return RexUtil.isDeterministic(condition)
                && !RexOver.containsOver(condition)
                && keys.containsAll(RelOptUtil.InputFinder.bits(condition).asList());
    }

    /** The column of this expression; one that is none yet is added. */
    private static int column(RexNode expression, List<RexNode> columns) {
        int at = columns.indexOf(expression);
        if (at >= 0) {
            return at;
        }
        columns.add(expression);
        return columns.size() - 1;
    }

    /** What the projection computes too is called as there. */
    private static RelNode extended(RelNode input, List<RexNode> columns, Project project) {
        List<String> names = new ArrayList<>(input.getRowType().getFieldNames());
        IntStream.range(names.size(), columns.size()).forEach(i -> {
            int at = project.getProjects().indexOf(columns.get(i));
            names.add(
                    at < 0
                            ? "$key" + (i + 1)
                            : project.getRowType().getFieldNames().get(at));
        });
        return LogicalProject.create(input, List.of(), columns, names, Set.of());
    }

    /** The one window function of a projection. */
    private RexOver over(Project project) {
        List<RexOver> found = new ArrayList<>();
        for (RexNode expression : project.getProjects()) {
            expression.accept(new RexVisitorImpl<@Nullable Void>(true) {
                @Override
                public @Nullable Void visitOver(RexOver over) {
                    if (!found.contains(over)) {
                        found.add(over);
                    }
                    return null;
                }
            });
        }
        for (RexOver other : found) {
            if (other.getOperator() != SqlStdOperatorTable.ROW_NUMBER) {
                throw unsupported(other);
            }
        }
        if (found.size() != 1) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "two different windows in one query are not supported yet",
                    positions.applyAsInt(found.get(1).getParserPosition()),
                    "number the rows in two nested sub-queries, each with its bound",
                    null);
        }
        return found.get(0);
    }

    private StreamException unsupported(RexOver over) {
        boolean number = over.getOperator() == SqlStdOperatorTable.ROW_NUMBER;
        String name = over.getOperator().getName().replace("$", "").toUpperCase(Locale.ROOT);
        return new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED,
                number
                        ? "ROW_NUMBER() is supported only where a constant bounds it from above"
                        : name + "() OVER (...) is not supported yet",
                positions.applyAsInt(over.getParserPosition()),
                HINT,
                null);
    }

    /** Row numbers that conditions let through. */
    private static final class Range {
        private long from = 1;
        private long to = Long.MAX_VALUE;

        /** Whether the condition bounds the row number and nothing else. */
        boolean narrow(RexNode condition) {
            if (!(condition instanceof RexCall call) || call.getOperands().size() != 2) {
                return false;
            }
            RexNode left = RexUtil.removeCast(call.getOperands().get(0));
            RexNode right = RexUtil.removeCast(call.getOperands().get(1));
            boolean reversed = left instanceof RexLiteral;
            RexNode column = reversed ? right : left;
            RexNode constant = reversed ? left : right;
            boolean bounds = column instanceof RexOver && constant instanceof RexLiteral;
            BigDecimal value = bounds ? number((RexLiteral) constant) : null;
            return value != null && narrow(reversed ? call.getKind().reverse() : call.getKind(), value);
        }

        private static @Nullable BigDecimal number(RexLiteral literal) {
            return literal.getTypeName().getName().equals("DECIMAL") ? literal.getValueAs(BigDecimal.class) : null;
        }

        private boolean narrow(SqlKind kind, BigDecimal value) {
            switch (kind) {
                case LESS_THAN -> to = Math.min(to, ceiling(value) - 1);
                case LESS_THAN_OR_EQUAL -> to = Math.min(to, -ceiling(value.negate()));
                case GREATER_THAN -> from = Math.max(from, -ceiling(value.negate()) + 1);
                case GREATER_THAN_OR_EQUAL -> from = Math.max(from, ceiling(value));
                case EQUALS -> {
                    from = Math.max(from, ceiling(value));
                    to = Math.min(to, -ceiling(value.negate()));
                }
                default -> {
                    return false;
                }
            }
            return true;
        }

        /** Far enough inside of a long for arithmetic. */
        private static long ceiling(BigDecimal value) {
            BigDecimal limit = BigDecimal.valueOf(Long.MAX_VALUE / 4);
            return value.setScale(0, RoundingMode.CEILING)
                    .min(limit)
                    .max(limit.negate())
                    .longValueExact();
        }
    }
}
