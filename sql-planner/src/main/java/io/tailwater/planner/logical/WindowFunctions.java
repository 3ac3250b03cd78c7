package io.tailwater.planner.logical;

import io.tailwater.api.plan.PlanNode.WindowKind;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.planner.validate.Operators;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.TableFunctionScan;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Turns TUMBLE, HOP, CUMULATE and SESSION into nodes that the rules can look through.
 *
 * <pre>
 * TUMBLE(t, DESCRIPTOR(ts), size)   becomes  Project(t.*, TUMBLE_START(ts, size, 0), TUMBLE_START(ts, size, 0) + size)
 * HOP(t, DESCRIPTOR(ts), slide, size)   becomes  WindowRel(t)
 * SESSION(t, DESCRIPTOR(ts), DESCRIPTOR(k), gap)   becomes  SessionRel(t)
 * </pre>
 *
 * <p>Rows without a time fall in no window: a filter removes them where the column allows NULL.
 */
final class WindowFunctions extends RelHomogeneousShuttle {
    private static final long MICROS_PER_MILLI = 1_000;

    @Override
    public RelNode visit(RelNode other) {
        RelNode node = super.visit(other);
        return node instanceof TableFunctionScan scan ? rewrite(scan) : node;
    }

    private static RelNode rewrite(TableFunctionScan scan) {
        RexCall call = (RexCall) scan.getCall();
        String name = call.getOperator().getName();
        if (name.equals("SESSION")) {
            return session(scan, call);
        }
        if (!Set.of("TUMBLE", "HOP", "CUMULATE").contains(name)) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED, "table function " + name + " is not supported yet");
        }
        List<RexNode> operands = new ArrayList<>(call.getOperands());
        int time = timeColumn(operands.remove(0));
        long[] micros = operands.stream().mapToLong(o -> micros(o, name)).toArray();
        RelNode input = notNull(scan.getInput(0), time);
        RelDataType bound = scan.getRowType()
                .getFieldList()
                .get(scan.getRowType().getFieldCount() - 1)
                .getType();
        if (name.equals("TUMBLE")) {
            requirePositive(micros[0], "size");
            return tumble(input, time, micros[0], micros.length > 1 ? micros[1] : 0, scan.getRowType(), bound);
        }
        requirePositive(micros[0], name.equals("HOP") ? "slide" : "step");
        requirePositive(micros[1], "size");
        if (name.equals("CUMULATE") && micros[1] % micros[0] != 0) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE, "the size of CUMULATE must be a multiple of its step");
        }
        return new WindowRel(
                input,
                name.equals("HOP") ? WindowKind.HOP : WindowKind.CUMULATE,
                time,
                micros[1],
                micros[0],
                micros.length > 2 ? micros[2] : 0,
                bound);
    }

    private static RelNode session(TableFunctionScan scan, RexCall call) {
        List<RexNode> operands = new ArrayList<>(call.getOperands());
        int time = timeColumn(operands.remove(0));
        List<Integer> keys = new ArrayList<>();
        if (operands.size() > 1) {
            for (RexNode key : ((RexCall) operands.remove(0)).getOperands()) {
                keys.add(((RexInputRef) key).getIndex());
            }
        }
        long gap = micros(operands.get(0), "SESSION");
        requirePositive(gap, "gap");
        RelDataType row = scan.getRowType();
        return new SessionRel(
                notNull(scan.getInput(0), time),
                keys.stream().distinct().toList(),
                time,
                gap,
                row.getFieldList().get(row.getFieldCount() - 1).getType());
    }

    private static RelNode tumble(RelNode input, int time, long size, long offset, RelDataType row, RelDataType bound) {
        RelOptCluster cluster = input.getCluster();
        RexBuilder builder = cluster.getRexBuilder();
        List<RexNode> projects = new ArrayList<>();
        for (int i = 0; i < input.getRowType().getFieldCount(); i++) {
            projects.add(builder.makeInputRef(input, i));
        }
        RexNode start = builder.makeCall(
                bound,
                Operators.TUMBLE_START,
                List.of(builder.makeInputRef(input, time), interval(builder, size), interval(builder, offset)));
        projects.add(start);
        projects.add(
                builder.makeCall(bound, SqlStdOperatorTable.DATETIME_PLUS, List.of(start, interval(builder, size))));
        return LogicalProject.create(input, List.of(), projects, row.getFieldNames(), Set.of());
    }

    /** Calcite keeps intervals in milliseconds. */
    private static RexNode interval(RexBuilder builder, long micros) {
        return builder.makeIntervalLiteral(
                BigDecimal.valueOf(micros, 3),
                new org.apache.calcite.sql.SqlIntervalQualifier(
                        org.apache.calcite.avatica.util.TimeUnit.DAY,
                        org.apache.calcite.avatica.util.TimeUnit.SECOND,
                        org.apache.calcite.sql.parser.SqlParserPos.ZERO));
    }

    private static RelNode notNull(RelNode input, int column) {
        RexBuilder builder = input.getCluster().getRexBuilder();
        RexInputRef ref = builder.makeInputRef(input, column);
        return ref.getType().isNullable()
                ? LogicalFilter.create(input, builder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, ref))
                : input;
    }

    private static int timeColumn(RexNode descriptor) {
        if (descriptor instanceof RexCall call
                && call.getKind() == SqlKind.DESCRIPTOR
                && call.getOperands().size() == 1
                && call.getOperands().get(0) instanceof RexInputRef ref) {
            return ref.getIndex();
        }
        throw new StreamException(ErrorCode.SYNTAX_ERROR, "a window needs one time column: DESCRIPTOR(column)");
    }

    private static long micros(RexNode node, String function) {
        if (node instanceof RexLiteral literal
                && SqlTypeName.DAY_INTERVAL_TYPES.contains(literal.getType().getSqlTypeName())) {
            BigDecimal millis = literal.getValueAs(BigDecimal.class);
            if (millis != null) {
                return millis.multiply(BigDecimal.valueOf(MICROS_PER_MILLI)).longValueExact();
            }
        }
        throw new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED,
                function + " takes constant intervals of days or less, as INTERVAL '10' SECOND");
    }

    private static void requirePositive(long micros, String what) {
        if (micros <= 0) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE, "the " + what + " of a window must be positive");
        }
    }
}
