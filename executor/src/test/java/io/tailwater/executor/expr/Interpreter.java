package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import static java.util.Objects.requireNonNull;

/**
 * What expressions mean, written as plainly as possible over Java objects in the form of {@link io.tailwater.api.batch.Values}: the model that generated
 * code is compared with. Shares no code with it. A data error is a StreamException with the right code.
 */
final class Interpreter {
    private Interpreter() {}

    static @Nullable Object eval(Expr expr, List<? extends @Nullable Object> row) {
        if (expr instanceof Expr.Input input) {
            return row.get(input.index());
        }
        if (expr instanceof Expr.Literal literal) {
            return literal(literal);
        }
        Expr.Call call = (Expr.Call) expr;
        return switch (call.function()) {
            case AND -> logic(call, row, false);
            case OR -> logic(call, row, true);
            case CASE -> caseOf(call, row);
            case COALESCE -> coalesce(call, row);
            case IS_TRUE -> isTrue(call.operands().get(0), row);
            case IS_NOT_TRUE -> !isTrue(call.operands().get(0), row);
            case TRY_CAST -> tryCast(call, row);
            default -> strict(call, row);
        };
    }

    private static @Nullable Object literal(Expr.Literal literal) {
        String value = literal.value();
        if (value == null) {
            return null;
        }
        return switch (literal.type().kind()) {
            case BOOLEAN -> Boolean.valueOf(value);
            case REAL -> Float.valueOf(value);
            case DOUBLE -> Double.valueOf(value);
            case DECIMAL -> new BigDecimal(value).setScale(literal.type().scale());
            case VARCHAR -> value;
            case VARBINARY, NULL -> throw new AssertionError(literal);
            default -> Long.valueOf(value);
        };
    }

    /** Where only TRUE matters, what follows an operand that is not TRUE is not looked at. */
    static boolean isTrue(Expr expr, List<? extends @Nullable Object> row) {
        if (expr instanceof Expr.Call call && call.function() == Function.AND) {
            return call.operands().stream().allMatch(operand -> isTrue(operand, row));
        }
        if (expr instanceof Expr.Call call && call.function() == Function.OR) {
            return call.operands().stream().anyMatch(operand -> isTrue(operand, row));
        }
        return Boolean.TRUE.equals(eval(expr, row));
    }

    private static @Nullable Object logic(Expr.Call call, List<? extends @Nullable Object> row, boolean decides) {
        boolean unknown = false;
        for (Expr operand : call.operands()) {
            Object value = eval(operand, row);
            if (value == null) {
                unknown = true;
            } else if ((Boolean) value == decides) {
                return decides;
            }
        }
        return unknown ? null : !decides;
    }

    private static @Nullable Object caseOf(Expr.Call call, List<? extends @Nullable Object> row) {
        List<Expr> operands = call.operands();
        for (int i = 0; i + 1 < operands.size(); i += 2) {
            if (isTrue(operands.get(i), row)) {
                return eval(operands.get(i + 1), row);
            }
        }
        return operands.size() % 2 == 1 ? eval(operands.get(operands.size() - 1), row) : null;
    }

    private static @Nullable Object coalesce(Expr.Call call, List<? extends @Nullable Object> row) {
        for (Expr operand : call.operands()) {
            Object value = eval(operand, row);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    private static @Nullable Object tryCast(Expr.Call call, List<? extends @Nullable Object> row) {
        Object value = eval(call.operands().get(0), row);
        try {
            return value == null ? null : cast(value, call.operands().get(0).type(), call.type());
        } catch (StreamException e) {
            return null;
        }
    }

    private static @Nullable Object strict(Expr.Call call, List<? extends @Nullable Object> row) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Expr operand : call.operands()) {
            values.add(eval(operand, row));
        }
        Object a = values.get(0);
        Object b = values.size() > 1 ? values.get(1) : null;
        Object test = switch (call.function()) {
            case IS_NULL -> a == null;
            case IS_NOT_NULL -> a != null;
            case IS_FALSE -> Boolean.FALSE.equals(a);
            case IS_NOT_FALSE -> !Boolean.FALSE.equals(a);
            case IS_DISTINCT_FROM -> !same(a, b);
            case IS_NOT_DISTINCT_FROM -> same(a, b);
            default -> null;
        };
        if (test != null) {
            return test;
        }
        if (values.contains(null)) {
            return null;
        }
        List<Object> present =
                values.stream().map(value -> requireNonNull(value)).toList();
        return apply(call, present);
    }

    private static boolean same(@Nullable Object a, @Nullable Object b) {
        if (a == null || b == null) {
            return a == null && b == null;
        }
        return compare(a, b) == 0;
    }

    private static @Nullable Object apply(Expr.Call call, List<Object> v) {
        Object a = v.get(0);
        DataType type = call.type();
        return switch (call.function()) {
            case NOT -> !(Boolean) a;
            case EQ -> compare(a, v.get(1)) == 0;
            case NE -> compare(a, v.get(1)) != 0;
            case LT -> compare(a, v.get(1)) < 0;
            case LE -> compare(a, v.get(1)) <= 0;
            case GT -> compare(a, v.get(1)) > 0;
            case GE -> compare(a, v.get(1)) >= 0;
            case GREATEST -> v.stream().max(Interpreter::compare).orElseThrow();
            case LEAST -> v.stream().min(Interpreter::compare).orElseThrow();
            case PLUS, MINUS, TIMES, DIVIDE, MOD -> arithmetic(call.function(), a, v.get(1), type);
            case NEGATE ->
                a instanceof Double d ? (Object) (-d) : fit(decimal(a).negate(), type);
            case ABS ->
                a instanceof Double d ? (Object) Math.abs(d) : fit(decimal(a).abs(), type);
            case CAST -> cast(a, call.operands().get(0).type(), type);
            case EXTRACT ->
                extract((String) a, (Long) v.get(1), call.operands().get(1).type());
            case FLOOR_TO -> floorTo((Long) a, (String) v.get(1));
            case TUMBLE_START -> Math.floorDiv((Long) a, (Long) v.get(1)) * (Long) v.get(1);
            default -> text(call.function(), v);
        };
    }

    static int compare(Object a, Object b) {
        if (a instanceof BigDecimal x) {
            return x.compareTo((BigDecimal) b);
        }
        if (a instanceof Double x) {
            return Double.compare(x + 0.0, (Double) b + 0.0);
        }
        if (a instanceof Boolean x) {
            return x.compareTo((Boolean) b);
        }
        if (a instanceof String x) {
            // Code points order as their UTF-8 bytes do.
            int[] p = x.codePoints().toArray();
            int[] q = ((String) b).codePoints().toArray();
            return java.util.Arrays.compare(p, q);
        }
        return Long.compare((Long) a, (Long) b);
    }

    // ---- numbers

    private static BigDecimal decimal(Object value) {
        if (value instanceof BigDecimal decimal) {
            return decimal;
        }
        return BigDecimal.valueOf((Long) value);
    }

    private static Object arithmetic(Function function, Object a, Object b, DataType type) {
        if (a instanceof Double x) {
            double y = (Double) b;
            if (y == 0 && (function == Function.DIVIDE || function == Function.MOD)) {
                throw error(ErrorCode.DIVISION_BY_ZERO);
            }
            double result = switch (function) {
                case PLUS -> x + y;
                case MINUS -> x - y;
                case TIMES -> x * y;
                case DIVIDE -> x / y;
                default -> x % y;
            };
            if (Double.isInfinite(result) && !Double.isInfinite(x) && !Double.isInfinite(y)) {
                throw error(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE);
            }
            return result;
        }
        BigDecimal x = decimal(a);
        BigDecimal y = decimal(b);
        boolean divides = function == Function.DIVIDE || function == Function.MOD;
        if (divides && y.signum() == 0) {
            throw error(ErrorCode.DIVISION_BY_ZERO);
        }
        BigDecimal exact = switch (function) {
            case PLUS -> x.add(y);
            case MINUS -> x.subtract(y);
            case TIMES -> x.multiply(y);
            case DIVIDE ->
                type.kind() == TypeKind.DECIMAL
                        ? x.divide(y, type.scale(), RoundingMode.HALF_UP)
                        : new BigDecimal(x.toBigInteger().divide(y.toBigInteger()));
            default -> x.remainder(y, new MathContext(200));
        };
        return fit(exact, type);
    }

    /** A result in the type, or 22003. */
    private static Object fit(BigDecimal value, DataType type) {
        if (type.kind() == TypeKind.DECIMAL) {
            BigDecimal scaled = value.setScale(type.scale(), RoundingMode.HALF_UP);
            if (scaled.precision() > type.precision()) {
                throw error(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE);
            }
            return scaled;
        }
        BigInteger whole = value.setScale(0, RoundingMode.HALF_UP).toBigIntegerExact();
        int bits = switch (type.kind()) {
            case TINYINT -> 7;
            case SMALLINT -> 15;
            case INTEGER -> 31;
            case BIGINT -> 63;
            default -> throw new AssertionError(type);
        };
        if (whole.bitLength() > bits) {
            throw error(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE);
        }
        return whole.longValueExact();
    }

    // ---- casts

    private static Object cast(Object value, DataType from, DataType to) {
        if (to.kind() == TypeKind.VARCHAR) {
            String text = format(value, from);
            int length = text.codePointCount(0, text.length());
            if (length <= to.precision()) {
                return text;
            }
            if (from.kind() != TypeKind.VARCHAR) {
                throw error(ErrorCode.STRING_TOO_LONG);
            }
            return text.substring(0, text.offsetByCodePoints(0, to.precision()));
        }
        if (value instanceof String text) {
            return parse(text, to);
        }
        if (value instanceof Boolean truth) {
            return truth ? 1L : 0L;
        }
        return switch (to.kind()) {
            case BOOLEAN -> (Long) value != 0;
            case DOUBLE -> value instanceof BigDecimal decimal ? decimal.doubleValue() : ((Number) value).doubleValue();
            case DATE -> Math.floorDiv((Long) value, 86_400_000_000L);
            case TIMESTAMP -> (Long) value * (from.kind() == TypeKind.DATE ? 86_400_000_000L : 1);
            default -> {
                if (!(value instanceof Double d)) {
                    yield fit(decimal(value), to);
                }
                if (d.isNaN() || d.isInfinite()) {
                    throw error(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE);
                }
                yield to.kind() == TypeKind.DECIMAL
                        ? fit(new BigDecimal(d.toString()), to)
                        : fit(new BigDecimal(Math.rint(d)), to);
            }
        };
    }

    private static String format(Object value, DataType from) {
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (from.kind() == TypeKind.DATE) {
            return java.time.LocalDate.ofEpochDay((Long) value).toString();
        }
        if (from.kind() == TypeKind.TIMESTAMP) {
            return String.format(Locale.ROOT, "%1$tY-%1$tm-%1$td %1$tH:%1$tM:%1$tS.", time((Long) value))
                    + String.format(Locale.ROOT, "%06d", Math.floorMod((Long) value, 1_000_000L));
        }
        return value.toString();
    }

    private static Object parse(String text, DataType to) {
        String stripped = text.strip();
        if (to.kind() == TypeKind.BOOLEAN) {
            return switch (stripped.toLowerCase(Locale.ROOT)) {
                case "true", "t", "yes", "y", "on", "1" -> true;
                case "false", "f", "no", "n", "off", "0" -> false;
                default -> throw error(ErrorCode.INVALID_TEXT_REPRESENTATION);
            };
        }
        boolean integer = to.kind().isInteger();
        if (!stripped.matches(integer ? "[+-]?[0-9]+" : "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,7})?")) {
            throw error(ErrorCode.INVALID_TEXT_REPRESENTATION);
        }
        return fit(new BigDecimal(stripped), to);
    }

    // ---- dates and times

    private static LocalDateTime time(long micros) {
        return LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC).plus(micros, ChronoUnit.MICROS);
    }

    private static Object extract(String unit, long value, DataType type) {
        LocalDateTime time = time(type.kind() == TypeKind.DATE ? value * 86_400_000_000L : value);
        return (long)
                switch (unit) {
                    case "YEAR" -> time.getYear();
                    case "MONTH" -> time.getMonthValue();
                    case "DAY" -> time.getDayOfMonth();
                    case "HOUR" -> time.getHour();
                    case "MINUTE" -> time.getMinute();
                    case "SECOND" -> time.getSecond();
                    case "DOY" -> time.getDayOfYear();
                    default -> throw new AssertionError(unit);
                };
    }

    private static Object floorTo(long micros, String unit) {
        LocalDateTime floor = switch (unit) {
            case "YEAR" -> time(micros).truncatedTo(ChronoUnit.DAYS).withDayOfYear(1);
            case "MONTH" -> time(micros).truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1);
            case "DAY" -> time(micros).truncatedTo(ChronoUnit.DAYS);
            case "HOUR" -> time(micros).truncatedTo(ChronoUnit.HOURS);
            default -> throw new AssertionError(unit);
        };
        return ChronoUnit.MICROS.between(LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC), floor);
    }

    // ---- text

    private static @Nullable Object text(Function function, List<Object> v) {
        String a = (String) v.get(0);
        int length = a.codePointCount(0, a.length());
        return switch (function) {
            case LOWER -> a.toLowerCase(Locale.ROOT);
            case UPPER -> a.toUpperCase(Locale.ROOT);
            case CONCAT -> v.stream().map(String.class::cast).reduce("", String::concat);
            case CHAR_LENGTH -> (long) length;
            case REVERSE -> {
                StringBuilder out = new StringBuilder();
                a.codePoints().forEach(point -> out.insert(0, Character.toString(point)));
                yield out.toString();
            }
            case SUBSTRING -> {
                long from = (Long) v.get(1);
                long past = v.size() > 2 ? from + (Long) v.get(2) : Long.MAX_VALUE;
                if (v.size() > 2 && (Long) v.get(2) < 0) {
                    throw error(ErrorCode.INVALID_PARAMETER_VALUE);
                }
                yield points(a, from - 1, past - 1);
            }
            case LEFT -> points(a, 0, (Long) v.get(1) >= 0 ? (Long) v.get(1) : length + (Long) v.get(1));
            case RIGHT -> points(a, (Long) v.get(1) >= 0 ? length - (Long) v.get(1) : -(Long) v.get(1), length);
            case REPLACE -> v.get(1).equals("") ? a : a.replace((String) v.get(1), (String) v.get(2));
            case POSITION -> {
                String in = (String) v.get(1);
                int at = in.indexOf(a);
                yield at < 0 ? 0L : (long) in.codePointCount(0, at) + 1;
            }
            case STARTS_WITH -> a.startsWith((String) v.get(1));
            case LIKE -> like(a, (String) v.get(1));
            case SPLIT_INDEX -> {
                String[] parts = a.split(Pattern.quote((String) v.get(1)), -1);
                long index = (Long) v.get(2);
                yield a.isEmpty() || index < 0 || index >= parts.length ? null : parts[(int) index];
            }
            default -> throw new AssertionError(function);
        };
    }

    private static String points(String text, long from, long to) {
        int length = text.codePointCount(0, text.length());
        int start = (int) Math.max(0, Math.min(from, length));
        int end = (int) Math.max(start, Math.min(to, length));
        return text.substring(text.offsetByCodePoints(0, start), text.offsetByCodePoints(0, end));
    }

    private static boolean like(String text, String pattern) {
        StringBuilder regex = new StringBuilder();
        pattern.codePoints().forEach(point -> {
            switch (point) {
                case '%' -> regex.append(".*");
                case '_' -> regex.append('.');
                default -> regex.append(Pattern.quote(Character.toString(point)));
            }
        });
        return Pattern.compile(regex.toString(), Pattern.DOTALL).matcher(text).matches();
    }

    private static StreamException error(ErrorCode code) {
        return new StreamException(code, code.name());
    }
}
