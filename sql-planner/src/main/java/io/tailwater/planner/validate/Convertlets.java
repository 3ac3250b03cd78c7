package io.tailwater.planner.validate;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.apache.calcite.sql2rel.SqlRexConvertlet;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.apache.calcite.sql2rel.StandardConvertletTable;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** Calcite's translation of calls into expressions, except where that would lose a function the engine has. Belongs to a {@link Frontend}; not thread-safe. */
public final class Convertlets implements SqlRexConvertletTable {
    private static final String DATABASE = "tailwater";
    private static final String VERSION = version();

    /** Calls of RANDOM so far. */
    private int randoms;

    Convertlets() {}

    private static String version() {
        String version = Convertlets.class.getPackage().getImplementationVersion();
        return "Tailwater " + (version == null ? "(not packaged)" : version);
    }

    @Override
    public @Nullable SqlRexConvertlet get(SqlCall call) {
        SqlOperator operator = call.getOperator();
        if (operator == SqlStdOperatorTable.TIMESTAMP_DIFF) {
            return Convertlets::timestampDiff;
        }
        if (operator == DateDifference.MINUS) {
            return Convertlets::dateDifference;
        }
        if (operator == Operators.VERSION) {
            return (context, version) -> text(context, version, VERSION);
        }
        if (operator == Operators.RANDOM) {
            return this::random;
        }
        if (operator == Operators.CURRENT_DATABASE) {
            return (context, name) -> text(context, name, DATABASE);
        }
        if (operator.getName().equalsIgnoreCase("SQRT")) {
            return Convertlets::sqrt;
        }
        if (operator == Operators.CONCAT) {
            return Convertlets::concat;
        }
        if (operator.getKind() == SqlKind.GREATEST || operator.getKind() == SqlKind.LEAST) {
            return StandardConvertletTable.INSTANCE::convertCall;
        }
        return StandardConvertletTable.INSTANCE.get(call);
    }

    /** TIMESTAMPDIFF(unit, earlier, later) keeps its unit instead of becoming an interval. */
    private static RexNode timestampDiff(SqlRexContext context, SqlCall call) {
        RexBuilder builder = context.getRexBuilder();
        SqlIntervalQualifier qualifier = call.operand(0);
        RelDataType type = context.getValidator().getValidatedNodeType(call);
        return builder.makeCall(
                call.getParserPosition(),
                type,
                Operators.TIMESTAMP_DIFF,
                List.of(
                        context.convertExpression(call.operand(2)),
                        context.convertExpression(call.operand(1)),
                        builder.makeLiteral(qualifier.getUnit().name())));
    }

    private static RexNode dateDifference(SqlRexContext context, SqlCall call) {
        RexBuilder builder = context.getRexBuilder();
        return builder.makeCall(
                call.getParserPosition(),
                context.getValidator().getValidatedNodeType(call),
                Operators.TIMESTAMP_DIFF,
                List.of(
                        context.convertExpression(call.operand(0)),
                        context.convertExpression(call.operand(1)),
                        builder.makeLiteral("DAY")));
    }

    /** Each call bears a number, so that two are not taken for one, and what is copied stays one. */
    private RexNode random(SqlRexContext context, SqlCall call) {
        RexBuilder builder = context.getRexBuilder();
        return builder.makeCall(
                call.getParserPosition(),
                context.getValidator().getValidatedNodeType(call),
                Operators.RANDOM,
                List.of(builder.makeExactLiteral(BigDecimal.valueOf(randoms++))));
    }

    private static RexNode text(SqlRexContext context, SqlCall call, String value) {
        return context.getRexBuilder().makeLiteral(value, context.getValidator().getValidatedNodeType(call), true);
    }

    private static RexNode sqrt(SqlRexContext context, SqlCall call) {
        return context.getRexBuilder()
                .makeCall(
                        call.getParserPosition(),
                        context.getValidator().getValidatedNodeType(call),
                        Operators.SQRT,
                        List.of(context.convertExpression(call.operand(0))));
    }

    /** CONCAT(a, b) is COALESCE(a, '') || COALESCE(b, ''). */
    private static RexNode concat(SqlRexContext context, SqlCall call) {
        RexBuilder builder = context.getRexBuilder();
        RelDataType text = builder.getTypeFactory().createSqlType(SqlTypeName.VARCHAR);
        RelDataType textOrNull = builder.getTypeFactory().createTypeWithNullability(text, true);
        List<RexNode> parts = new ArrayList<>();
        for (int i = 0; i < call.operandCount(); i++) {
            RexNode part = context.convertExpression(call.operand(i));
            boolean nullable = part.getType().isNullable();
            if (part.getType().getSqlTypeName() != SqlTypeName.VARCHAR) {
                part = builder.makeCast(nullable ? textOrNull : text, part);
            }
            parts.add(
                    nullable
                            ? builder.makeCall(
                                    text, Operators.COALESCE, List.of(part, builder.makeLiteral("", text, false)))
                            : part);
        }
        RexNode result = parts.get(0);
        for (RexNode part : parts.subList(1, parts.size())) {
            result = builder.makeCall(text, SqlStdOperatorTable.CONCAT, List.of(result, part));
        }
        return result;
    }
}
