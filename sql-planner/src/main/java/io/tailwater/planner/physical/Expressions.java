package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import io.tailwater.planner.validate.Operators;
import io.tailwater.planner.validate.Types;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Calcite's expressions as ours, with every conversion of types made explicit. Parameters become literals. Types come from the translated operands,
 * not from Calcite, so that MOD of a BIGINT is never cut to the divisor's type. Not thread-safe.
 */
public final class Expressions {
    /** Functions whose operands go over as they are. */
    private static final Map<SqlOperator, Function> PLAIN = plain();

    /** Functions of DOUBLEs. */
    private static final Map<SqlOperator, Function> DOUBLES = doubles();

    private static final List<String> TRUNCATION_UNITS =
            List.of("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND");

    private final RexBuilder builder;
    private final Casts casts;
    private final Parameters parameters;
    private final ToIntFunction<SqlParserPos> positions;

    /** @param positions where a piece of text begins in the statement, or -1 */
    public Expressions(RexBuilder builder, Casts casts, Parameters parameters, ToIntFunction<SqlParserPos> positions) {
        this.positions = positions;
        this.builder = builder;
        this.casts = casts;
        this.parameters = parameters;
    }

    private static Map<SqlOperator, Function> plain() {
        Map<SqlOperator, Function> out = new IdentityHashMap<>();
        out.put(SqlStdOperatorTable.IS_NULL, Function.IS_NULL);
        out.put(SqlStdOperatorTable.IS_NOT_NULL, Function.IS_NOT_NULL);
        out.put(SqlStdOperatorTable.IS_TRUE, Function.IS_TRUE);
        out.put(SqlStdOperatorTable.IS_NOT_TRUE, Function.IS_NOT_TRUE);
        out.put(SqlStdOperatorTable.IS_FALSE, Function.IS_FALSE);
        out.put(SqlStdOperatorTable.IS_NOT_FALSE, Function.IS_NOT_FALSE);
        out.put(SqlStdOperatorTable.IS_UNKNOWN, Function.IS_NULL);
        out.put(SqlStdOperatorTable.IS_NOT_UNKNOWN, Function.IS_NOT_NULL);
        out.put(SqlStdOperatorTable.AND, Function.AND);
        out.put(SqlStdOperatorTable.OR, Function.OR);
        out.put(SqlStdOperatorTable.NOT, Function.NOT);
        out.put(SqlStdOperatorTable.LOWER, Function.LOWER);
        out.put(SqlStdOperatorTable.UPPER, Function.UPPER);
        out.put(SqlStdOperatorTable.INITCAP, Function.INITCAP);
        out.put(SqlStdOperatorTable.SUBSTRING, Function.SUBSTRING);
        out.put(SqlStdOperatorTable.CHAR_LENGTH, Function.CHAR_LENGTH);
        out.put(SqlStdOperatorTable.CHARACTER_LENGTH, Function.CHAR_LENGTH);
        out.put(SqlStdOperatorTable.OCTET_LENGTH, Function.OCTET_LENGTH);
        out.put(SqlStdOperatorTable.ABS, Function.ABS);
        out.put(SqlStdOperatorTable.SIGN, Function.SIGN);
        out.put(SqlStdOperatorTable.ROUND, Function.ROUND);
        out.put(SqlStdOperatorTable.TRUNCATE, Function.TRUNCATE);
        out.put(SqlStdOperatorTable.POSITION, Function.POSITION);
        out.put(Operators.STRPOS, Function.POSITION);
        out.put(Operators.REPLACE, Function.REPLACE);
        out.put(SqlStdOperatorTable.REPLACE, Function.REPLACE);
        out.put(Operators.LEFT, Function.LEFT);
        out.put(Operators.RIGHT, Function.RIGHT);
        out.put(Operators.LPAD, Function.LPAD);
        out.put(Operators.RPAD, Function.RPAD);
        out.put(Operators.REPEAT, Function.REPEAT);
        out.put(Operators.REVERSE, Function.REVERSE);
        out.put(Operators.STARTS_WITH, Function.STARTS_WITH);
        out.put(Operators.SPLIT_INDEX, Function.SPLIT_INDEX);
        out.put(Operators.SPLIT_PART, Function.SPLIT_PART);
        out.put(Operators.TO_CHAR, Function.TO_CHAR);
        out.put(Operators.RANDOM, Function.RANDOM);
        out.put(Operators.REGEXP_EXTRACT, Function.REGEXP_EXTRACT);
        out.put(Operators.REGEXP_REPLACE, Function.REGEXP_REPLACE);
        out.put(Operators.REGEXP_LIKE, Function.REGEXP_LIKE);
        out.put(Operators.DATE_FORMAT, Function.DATE_FORMAT);
        out.put(Operators.COUNT_CHAR, Function.COUNT_CHAR);
        out.put(Operators.MD5, Function.MD5);
        out.put(Operators.TUMBLE_START, Function.TUMBLE_START);
        out.put(Operators.TIMESTAMP_DIFF, Function.TIMESTAMP_DIFF);
        return out;
    }

    private static Map<SqlOperator, Function> doubles() {
        Map<SqlOperator, Function> out = new IdentityHashMap<>();
        out.put(SqlStdOperatorTable.POWER, Function.POWER);
        out.put(Operators.SQRT, Function.SQRT);
        out.put(SqlStdOperatorTable.SQRT, Function.SQRT);
        out.put(SqlStdOperatorTable.EXP, Function.EXP);
        out.put(SqlStdOperatorTable.LN, Function.LN);
        out.put(SqlStdOperatorTable.LOG10, Function.LOG10);
        out.put(Operators.LOG, Function.LOG10);
        return out;
    }

    public Casts casts() {
        return casts;
    }

    /** Whether parameters have no values yet. */
    boolean preparing() {
        return parameters.preparing();
    }

    /** {@code rex} as a value of the type Calcite gave it. */
    public Expr typed(RexNode rex) {
        return casts.cast(translate(rex), Types.fromCalcite(rex.getType()));
    }

    public Expr translate(RexNode rex) {
        if (rex instanceof RexInputRef ref) {
            return new Expr.Input(ref.getIndex(), Types.fromCalcite(ref.getType()));
        }
        if (rex instanceof RexLiteral literal) {
            return Literals.translate(literal, parameters.zone());
        }
        if (rex instanceof RexDynamicParam parameter) {
            return parameters.literal(parameter.getIndex(), Types.fromCalcite(parameter.getType()));
        }
        if (rex instanceof RexCall call) {
            return placed(call);
        }
        throw unsupported("this kind of expression is not supported yet", null);
    }

    /** The call; an error says where it is. */
    private Expr placed(RexCall call) {
        try {
            return call(call);
        } catch (StreamException e) {
            int at = e.position() >= 0 ? -1 : positions.applyAsInt(call.getParserPosition());
            if (at < 0) {
                throw e;
            }
            throw new StreamException(
                    e.code(), String.valueOf(e.getMessage()), at, e.hint().orElse(null), e);
        }
    }

    private Expr call(RexCall call) {
        if (call instanceof RexOver) {
            throw unsupported("window functions with OVER are not supported yet", null);
        }
        SqlOperator operator = call.getOperator();
        if (Operators.isClock(operator)) {
            return clock(call);
        }
        Function plain = PLAIN.get(operator);
        if (plain != null) {
            return plain(plain, call);
        }
        Function doubles = DOUBLES.get(operator);
        if (doubles != null) {
            return new Expr.Call(
                    doubles,
                    all(call).stream().map(e -> casts.cast(e, DataType.DOUBLE)).toList(),
                    type(call));
        }
        return switch (call.getKind()) {
            case CAST -> cast(call, Function.CAST);
            case SAFE_CAST -> cast(call, Function.TRY_CAST);
            case REINTERPRET -> typedAs(translate(call.operands.get(0)), type(call));
            case SEARCH -> translate(RexUtil.expandSearch(builder, null, call));
            case PLUS -> arithmetic(Function.PLUS, call);
            case MINUS -> arithmetic(Function.MINUS, call);
            case TIMES -> arithmetic(Function.TIMES, call);
            case DIVIDE -> arithmetic(Function.DIVIDE, call);
            case MOD -> arithmetic(Function.MOD, call);
            case MINUS_PREFIX -> negate(call);
            case PLUS_PREFIX -> translate(call.operands.get(0));
            case EQUALS -> compare(Function.EQ, call);
            case NOT_EQUALS -> compare(Function.NE, call);
            case LESS_THAN -> compare(Function.LT, call);
            case LESS_THAN_OR_EQUAL -> compare(Function.LE, call);
            case GREATER_THAN -> compare(Function.GT, call);
            case GREATER_THAN_OR_EQUAL -> compare(Function.GE, call);
            case IS_DISTINCT_FROM -> compare(Function.IS_DISTINCT_FROM, call);
            case IS_NOT_DISTINCT_FROM -> compare(Function.IS_NOT_DISTINCT_FROM, call);
            case CASE -> branches(call);
            case LIKE ->
                new Expr.Call(
                        operator.getName().contains("ILIKE") ? Function.ILIKE : Function.LIKE, texts(call), type(call));
            case FLOOR -> floor(Function.FLOOR, Function.FLOOR_TO, call);
            case CEIL -> floor(Function.CEIL, Function.CEIL_TO, call);
            case EXTRACT -> extract(call);
            case TRIM -> trim(call);
            default -> named(call);
        };
    }

    private Expr named(RexCall call) {
        SqlOperator operator = call.getOperator();
        if (operator == Operators.COALESCE) {
            return sameType(Function.COALESCE, call);
        }
        if (operator == Operators.GREATEST) {
            return sameType(Function.GREATEST, call);
        }
        if (operator == Operators.LEAST) {
            return sameType(Function.LEAST, call);
        }
        if (operator == Operators.LTRIM) {
            return strip(Function.TRIM_LEADING, call);
        }
        if (operator == Operators.RTRIM) {
            return strip(Function.TRIM_TRAILING, call);
        }
        if (operator == Operators.BTRIM) {
            return strip(Function.TRIM_BOTH, call);
        }
        if (operator == Operators.DATE_TRUNC) {
            return Expr.call(
                    Function.FLOOR_TO, type(call), translate(call.operands.get(1)), unitName(call.operands.get(0)));
        }
        if (operator == SqlStdOperatorTable.CONCAT) {
            return new Expr.Call(Function.CONCAT, texts(call), type(call));
        }
        throw unsupported("function " + operator.getName().toUpperCase(Locale.ROOT) + " is not supported yet", null);
    }

    private Expr plain(Function function, RexCall call) {
        List<Expr> operands = all(call);
        DataType result = type(call);
        switch (function) {
            case ABS, SIGN, ROUND, TRUNCATE -> {
                if (operands.get(0).type().kind() != result.kind() && result.kind() != TypeKind.NULL) {
                    operands = new ArrayList<>(operands);
                    operands.set(0, casts.cast(operands.get(0), result));
                }
            }
            case POSITION -> {
                if (operands.size() > 2) {
                    throw unsupported("POSITION with FROM is not supported yet", null);
                }
            }
            default -> {}
        }
        return new Expr.Call(function, operands, result);
    }

    private Expr clock(RexCall call) {
        SqlOperator operator = call.getOperator();
        DataType type = type(call);
        DataType tick = type.kind() == TypeKind.TIMESTAMP_LTZ ? DataType.TIMESTAMP_LTZ : DataType.TIMESTAMP;
        Expr now = new Expr.Call(Function.TICK_TIME, List.of(), tick.notNull());
        if (operator == SqlStdOperatorTable.CURRENT_TIME || operator == SqlStdOperatorTable.LOCALTIME) {
            return Expr.call(Function.CAST, type, now);
        }
        return type.kind() == TypeKind.DATE ? Expr.call(Function.CAST, type, now) : now;
    }

    private Expr cast(RexCall call, Function function) {
        Expr operand = translate(call.operands.get(0));
        DataType type = type(call);
        if (function == Function.CAST) {
            return casts.cast(operand, type);
        }
        return Casts.changesNothing(operand.type(), type) ? operand : Expr.call(function, type, operand);
    }

    /** Interval qualifiers differ in Calcite where the engine has one type. */
    private static Expr typedAs(Expr expr, DataType type) {
        if (expr.type().kind() == type.kind()) {
            return expr;
        }
        throw unsupported("conversion of " + expr.type().sql() + " to " + type.sql() + " is not supported yet", null);
    }

    private Expr arithmetic(Function function, RexCall call) {
        if (call.operands.size() != 2) {
            throw unsupported("this arithmetic is not supported yet", null);
        }
        Expr a = translate(call.operands.get(0));
        Expr b = translate(call.operands.get(1));
        DataType result = type(call);
        boolean numbers = isNumberOrNull(a) && isNumberOrNull(b);
        if (!numbers) {
            return datetimeArithmetic(function, a, b, result);
        }
        if (result.kind() == TypeKind.DECIMAL
                && !a.type().kind().isFloating()
                && !b.type().kind().isFloating()) {
            return Expr.call(function, result, casts.toDecimal(a), casts.toDecimal(b));
        }
        DataType common = Casts.common(a.type(), b.type(), false);
        if (common == null) {
            throw new AssertionError("numbers without a common type: " + a.type() + ", " + b.type());
        }
        if (common.kind() == TypeKind.DECIMAL) {
            // MOD of DECIMALs whose result Calcite took for an integer: computed as DECIMAL.
            return casts.cast(
                    Expr.call(function, common.withNullable(result.nullable()), casts.toDecimal(a), casts.toDecimal(b)),
                    result);
        }
        DataType wide = common.kind().isInteger()
                        && result.kind().isInteger()
                        && result.kind().width() > common.kind().width()
                ? result
                : common;
        return Expr.call(function, wide.withNullable(result.nullable()), casts.cast(a, wide), casts.cast(b, wide));
    }

    private static boolean isNumberOrNull(Expr e) {
        return e.type().kind().isNumeric() || e.type().kind() == TypeKind.NULL;
    }

    private Expr datetimeArithmetic(Function function, Expr a, Expr b, DataType result) {
        if (function == Function.TIMES && isInterval(b)) {
            return datetimeArithmetic(function, b, a, result);
        }
        if (function == Function.TIMES
                && a instanceof Expr.Literal interval
                && interval.value() != null
                && b instanceof Expr.Literal factor
                && factor.value() != null
                && factor.type().kind().isInteger()) {
            long product = Math.multiplyExact(Long.parseLong(interval.value()), Long.parseLong(factor.value()));
            return new Expr.Literal(Long.toString(product), result.notNull());
        }
        if (function == Function.PLUS && isInterval(a) && !isInterval(b)) {
            return Expr.call(function, result, b, a);
        }
        Expr left = a;
        Expr right = b;
        if (function == Function.MINUS && !isInterval(a) && !isInterval(b)) {
            Expr[] same = casts.unify(a, b);
            left = same[0];
            right = same[1];
        } else if (left.type().kind() == TypeKind.DATE && result.kind() == TypeKind.TIMESTAMP) {
            left = casts.cast(left, result);
        }
        return Expr.call(function, result, left, right);
    }

    private static boolean isInterval(Expr e) {
        return e.type().kind() == TypeKind.INTERVAL_DAY_TIME || e.type().kind() == TypeKind.INTERVAL_YEAR_MONTH;
    }

    private Expr negate(RexCall call) {
        Expr operand = translate(call.operands.get(0));
        if (operand instanceof Expr.Literal literal
                && literal.value() != null
                && (literal.type().kind().isInteger() || literal.type().kind() == TypeKind.DECIMAL)) {
            return new Expr.Literal(
                    new java.math.BigDecimal(literal.value()).negate().toPlainString(), literal.type());
        }
        return Expr.call(Function.NEGATE, operand.type(), operand);
    }

    private Expr compare(Function function, RexCall call) {
        Expr[] operands = casts.unify(translate(call.operands.get(0)), translate(call.operands.get(1)));
        return new Expr.Call(function, Arrays.asList(operands), type(call));
    }

    private Expr branches(RexCall call) {
        DataType type = type(call);
        List<Expr> operands = new ArrayList<>();
        for (int i = 0; i < call.operands.size(); i++) {
            Expr e = translate(call.operands.get(i));
            boolean condition = i % 2 == 0 && i < call.operands.size() - 1;
            operands.add(condition ? e : casts.cast(e, type));
        }
        return new Expr.Call(Function.CASE, operands, type);
    }

    private Expr sameType(Function function, RexCall call) {
        DataType type = type(call);
        return new Expr.Call(
                function, all(call).stream().map(e -> casts.cast(e, type)).toList(), type);
    }

    private Expr floor(Function number, Function datetime, RexCall call) {
        Expr operand = translate(call.operands.get(0));
        if (call.operands.size() == 2) {
            return Expr.call(datetime, type(call), operand, unit(call.operands.get(1)));
        }
        if (operand.type().kind().isInteger()) {
            return operand;
        }
        return Expr.call(number, type(call), operand);
    }

    private Expr extract(RexCall call) {
        return Expr.call(Function.EXTRACT, type(call), unit(call.operands.get(0)), translate(call.operands.get(1)));
    }

    private static Expr unit(RexNode node) {
        if (node instanceof RexLiteral literal && literal.getValue() instanceof TimeUnitRange range) {
            String name = switch (range) {
                case YEAR,
                        QUARTER,
                        MONTH,
                        WEEK,
                        DAY,
                        DOW,
                        ISODOW,
                        DOY,
                        HOUR,
                        MINUTE,
                        SECOND,
                        MILLISECOND,
                        MICROSECOND,
                        EPOCH -> range.name();
                default -> throw unsupported("the unit " + range + " is not supported yet", null);
            };
            return new Expr.Literal(name, DataType.VARCHAR.notNull());
        }
        throw unsupported("the unit must be a constant such as HOUR", null);
    }

    private Expr unitName(RexNode node) {
        if (translate(node) instanceof Expr.Literal text && text.value() != null) {
            String name = text.value().toUpperCase(Locale.ROOT);
            if (TRUNCATION_UNITS.contains(name)) {
                return new Expr.Literal(name, DataType.VARCHAR.notNull());
            }
        }
        throw new StreamException(
                ErrorCode.INVALID_PARAMETER_VALUE,
                "DATE_TRUNC needs a constant unit",
                -1,
                "one of " + String.join(", ", TRUNCATION_UNITS),
                null);
    }

    private Expr trim(RexCall call) {
        Object flag = ((RexLiteral) call.operands.get(0)).getValue();
        Function function = flag == SqlTrimFunction.Flag.LEADING
                ? Function.TRIM_LEADING
                : flag == SqlTrimFunction.Flag.TRAILING ? Function.TRIM_TRAILING : Function.TRIM_BOTH;
        return Expr.call(function, type(call), translate(call.operands.get(2)), translate(call.operands.get(1)));
    }

    private Expr strip(Function function, RexCall call) {
        Expr characters = call.operands.size() > 1
                ? translate(call.operands.get(1))
                : new Expr.Literal(" ", DataType.VARCHAR.notNull());
        return Expr.call(function, type(call), translate(call.operands.get(0)), characters);
    }

    private List<Expr> all(RexCall call) {
        List<Expr> out = new ArrayList<>();
        for (RexNode operand : call.operands) {
            out.add(translate(operand));
        }
        return out;
    }

    private List<Expr> texts(RexCall call) {
        return all(call).stream()
                .map(e -> e.type().kind() == TypeKind.VARCHAR ? e : casts.cast(e, DataType.VARCHAR))
                .toList();
    }

    private static DataType type(RexCall call) {
        return Types.fromCalcite(call.getType());
    }

    private static StreamException unsupported(String message, @Nullable String hint) {
        return new StreamException(ErrorCode.FEATURE_NOT_SUPPORTED, message, -1, hint, null);
    }
}
