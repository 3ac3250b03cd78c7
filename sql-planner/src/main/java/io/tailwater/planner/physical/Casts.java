package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.ZoneId;

/**
 * Brings expressions to types: leaves out casts that change nothing, computes casts of constants, and finds the one type in which two values are
 * compared or added.
 */
public final class Casts {
    private final ZoneId zone;

    public Casts(ZoneId zone) {
        this.zone = zone;
    }

    /** {@code expr} as {@code type}, NULL allowed if the expression allows it. */
    public Expr cast(Expr expr, DataType type) {
        DataType from = expr.type();
        DataType to = type.withNullable(from.nullable());
        if (expr instanceof Expr.Literal literal) {
            Expr constant = constant(literal, to);
            if (constant != null) {
                return constant;
            }
        }
        return changesNothing(from, to) ? expr : Expr.call(Function.CAST, to, expr);
    }

    /** Whether every value of {@code from} is the same value, stored the same way, as {@code to}. */
    public static boolean changesNothing(DataType from, DataType to) {
        if (from.kind() != to.kind()) {
            return false;
        }
        return switch (from.kind()) {
            case VARCHAR, VARBINARY, TIME, TIMESTAMP, TIMESTAMP_LTZ -> from.precision() <= to.precision();
            case DECIMAL -> from.scale() == to.scale() && from.precision() <= to.precision();
            default -> true;
        };
    }

    private @Nullable Expr constant(Expr.Literal literal, DataType to) {
        String value = literal.value();
        if (value == null) {
            return new Expr.Literal(null, to.withNullable(true));
        }
        TypeKind from = literal.type().kind();
        TypeKind kind = to.kind();
        if (from == TypeKind.VARCHAR) {
            if (kind.isInteger() || kind == TypeKind.DECIMAL || kind.isFloating()) {
                return numberOfText(value, to);
            }
            return kind == TypeKind.VARCHAR || isDatetime(kind) ? ofText(value, to) : null;
        }
        if ((from.isInteger() || from == TypeKind.DECIMAL) && kind.isNumeric()) {
            return ofNumber(new BigDecimal(value), to);
        }
        return null;
    }

    private @Nullable Expr ofText(String value, DataType to) {
        if (to.kind() == TypeKind.VARCHAR) {
            return value.codePointCount(0, value.length()) <= to.precision() ? new Expr.Literal(value, to) : null;
        }
        return new Expr.Literal(Long.toString(DateTimes.parse(value, to.kind(), zone)), to);
    }

    /** What a plain number says; the rest is left to the engine, which knows all forms and their errors. */
    private static @Nullable Expr numberOfText(String value, DataType to) {
        String trimmed = value.strip();
        boolean plain =
                trimmed.matches(to.kind().isInteger() ? "[+-]?[0-9]{1,18}" : "[+-]?[0-9]{1,30}(\\.[0-9]{1,30})?");
        return plain ? ofNumber(new BigDecimal(trimmed), to) : null;
    }

    private static @Nullable Expr ofNumber(BigDecimal value, DataType to) {
        return switch (to.kind()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT -> {
                BigDecimal whole = value.setScale(0, RoundingMode.HALF_UP);
                yield fits(whole, to.kind()) ? new Expr.Literal(whole.toPlainString(), to) : null;
            }
            case DECIMAL -> {
                BigDecimal scaled = value.setScale(to.scale(), RoundingMode.HALF_UP);
                yield scaled.precision() <= to.precision() ? new Expr.Literal(scaled.toPlainString(), to) : null;
            }
            case DOUBLE -> new Expr.Literal(Double.toString(value.doubleValue()), to);
            case REAL -> new Expr.Literal(Float.toString(value.floatValue()), to);
            default -> null;
        };
    }

    private static boolean fits(BigDecimal whole, TypeKind kind) {
        long bound = 1L << (kind.width() * 8 - 1);
        BigDecimal limit = kind == TypeKind.BIGINT
                ? BigDecimal.valueOf(Long.MAX_VALUE).add(BigDecimal.ONE)
                : BigDecimal.valueOf(bound);
        return whole.compareTo(limit) < 0 && whole.compareTo(limit.negate()) >= 0;
    }

    /** Digits that every value of an integer type has at most. */
    static DataType asDecimal(DataType type) {
        int digits = switch (type.kind()) {
            case TINYINT -> 3;
            case SMALLINT -> 5;
            case INTEGER -> 10;
            default -> 19;
        };
        return DataType.decimal(digits, 0);
    }

    /**
     * The type in which values of both types are compared, or null if there is none. DECIMALs of different scale stay as they are where {@code
     * sameScale} is false.
     */
    public static @Nullable DataType common(DataType a, DataType b, boolean sameScale) {
        if (a.kind() == TypeKind.NULL) {
            return b;
        }
        if (b.kind() == TypeKind.NULL) {
            return a;
        }
        if (a.kind().isNumeric() && b.kind().isNumeric()) {
            return commonNumber(a, b, sameScale);
        }
        if (a.kind() == b.kind()) {
            return a.precision() >= b.precision() ? a : b;
        }
        return commonDatetime(a.kind(), b.kind());
    }

    private static @Nullable DataType commonNumber(DataType a, DataType b, boolean sameScale) {
        if (a.kind().isFloating() || b.kind().isFloating()) {
            return a.kind() == TypeKind.REAL && b.kind() == TypeKind.REAL ? DataType.REAL : DataType.DOUBLE;
        }
        if (a.kind().isInteger() && b.kind().isInteger()) {
            return a.kind().width() >= b.kind().width() ? a : b;
        }
        DataType x = a.kind().isInteger() ? asDecimal(a) : a;
        DataType y = b.kind().isInteger() ? asDecimal(b) : b;
        if (!sameScale) {
            return x.precision() - x.scale() >= y.precision() - y.scale() ? x : y;
        }
        int scale = Math.max(x.scale(), y.scale());
        int whole = Math.max(x.precision() - x.scale(), y.precision() - y.scale());
        return DataType.decimal(Math.min(38, whole + scale), scale);
    }

    private static @Nullable DataType commonDatetime(TypeKind a, TypeKind b) {
        if (isDatetime(a) && b == TypeKind.VARCHAR) {
            return datetime(a);
        }
        if (isDatetime(b) && a == TypeKind.VARCHAR) {
            return datetime(b);
        }
        boolean dates = isDatetime(a) && isDatetime(b) && a != TypeKind.TIME && b != TypeKind.TIME;
        if (!dates) {
            return null;
        }
        return a == TypeKind.TIMESTAMP_LTZ || b == TypeKind.TIMESTAMP_LTZ ? DataType.TIMESTAMP_LTZ : DataType.TIMESTAMP;
    }

    private static boolean isDatetime(TypeKind kind) {
        return kind == TypeKind.DATE
                || kind == TypeKind.TIME
                || kind == TypeKind.TIMESTAMP
                || kind == TypeKind.TIMESTAMP_LTZ;
    }

    private static DataType datetime(TypeKind kind) {
        return switch (kind) {
            case DATE -> DataType.DATE;
            case TIME -> DataType.TIME;
            case TIMESTAMP -> DataType.TIMESTAMP;
            case TIMESTAMP_LTZ -> DataType.TIMESTAMP_LTZ;
            default -> throw new AssertionError(kind);
        };
    }

    /** Two operands in one type; DECIMALs may keep their own precision and scale. */
    public Expr[] unify(Expr a, Expr b) {
        DataType type = common(a.type(), b.type(), false);
        if (type == null) {
            throw new StreamException(
                    ErrorCode.DATATYPE_MISMATCH,
                    "cannot compare " + a.type().sql() + " with " + b.type().sql());
        }
        if (type.kind() == TypeKind.DECIMAL) {
            return new Expr[] {toDecimal(a), toDecimal(b)};
        }
        return new Expr[] {cast(a, type), cast(b, type)};
    }

    /** Integers become DECIMALs that hold them; DECIMALs stay. */
    public Expr toDecimal(Expr expr) {
        return expr.type().kind().isInteger() ? cast(expr, asDecimal(expr.type())) : expr;
    }
}
