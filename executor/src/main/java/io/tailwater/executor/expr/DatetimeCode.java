package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.util.List;

/**
 * Functions and arithmetic of dates, times and intervals. Calendar fields of an instant are those of the session's zone; adding hours to an instant
 * moves it by that much time, adding months moves its wall clock.
 */
final class DatetimeCode {
    private final ExprCompiler compiler;
    private final MethodWriter out;
    private final CastCode cast;

    DatetimeCode(ExprCompiler compiler, MethodWriter out, CastCode cast) {
        this.compiler = compiler;
        this.out = out;
        this.cast = cast;
    }

    static boolean isDatetime(TypeKind kind) {
        return switch (kind) {
            case DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ -> true;
            default -> false;
        };
    }

    static boolean isInterval(TypeKind kind) {
        return kind == TypeKind.INTERVAL_DAY_TIME || kind == TypeKind.INTERVAL_YEAR_MONTH;
    }

    static boolean isDatetimeArithmetic(Expr.Call call) {
        return isInterval(call.type().kind())
                || isDatetime(call.type().kind())
                || call.operands().stream()
                        .anyMatch(e -> isInterval(e.type().kind())
                                || isDatetime(e.type().kind()));
    }

    Val compile(Expr.Call call) {
        return switch (call.function()) {
            case EXTRACT -> extract(call);
            case FLOOR_TO -> toUnit(call, "floor");
            case CEIL_TO -> toUnit(call, "ceil");
            case TIMESTAMP_DIFF -> difference(call);
            case TUMBLE_START -> tumbleStart(call);
            case TICK_TIME -> tickTime(call);
            case DATE_FORMAT -> dateFormat(call);
            default -> throw ExprCompiler.unsupported(call, null);
        };
    }

    private static String unit(Expr.Call call, int operand) {
        if (ExprCompiler.operand(call, operand) instanceof Expr.Literal literal && literal.value() != null) {
            return literal.value();
        }
        throw ExprCompiler.unsupported(call, "The unit must be a constant such as HOUR.");
    }

    // ---- arithmetic

    Val arithmetic(Expr.Call call) {
        List<Val> operands = call.operands().stream().map(compiler::compile).toList();
        if (operands.stream().anyMatch(Val::alwaysNull)) {
            return Val.nullOf(call.type());
        }
        Val a = operands.get(0);
        Function function = call.function();
        if (operands.size() == 1) {
            return intervalOf(call, a);
        }
        Val b = operands.get(1);
        boolean sum = function == Function.PLUS || function == Function.MINUS;
        if (sum && isDatetime(a.kind()) && isInterval(b.kind())) {
            return moved(call, a, b, function == Function.PLUS);
        }
        if (function == Function.PLUS && isInterval(a.kind()) && isDatetime(b.kind())) {
            return moved(call, b, a, true);
        }
        if (function == Function.MINUS && isDatetime(a.kind()) && isDatetime(b.kind())) {
            return apart(call, a, b);
        }
        if (sum && isInterval(a.kind()) && a.kind() == b.kind()) {
            String name = function == Function.PLUS ? "Numbers.add(" : "Numbers.subtract(";
            return interval(call.type(), operands, name + a.first() + ", " + b.first() + ")");
        }
        if ((function == Function.TIMES || function == Function.DIVIDE)
                && isInterval(a.kind())
                && b.kind().isNumeric()) {
            return scaled(call, a, b);
        }
        if (function == Function.TIMES && isInterval(b.kind()) && a.kind().isNumeric()) {
            return scaled(call, b, a);
        }
        throw ExprCompiler.unsupported(call, null);
    }

    /** A 64-bit {@code code} as an interval of the type. */
    private Val interval(DataType type, List<Val> operands, String code) {
        boolean months = type.kind() == TypeKind.INTERVAL_YEAR_MONTH;
        return compiler.strict(type, operands, months ? "Numbers.toInt(" + code + ")" : code);
    }

    private Val intervalOf(Expr.Call call, Val a) {
        String x = "(long) " + a.first();
        String code = switch (call.function()) {
            case NEGATE -> "Numbers.negate(" + x + ")";
            case ABS -> "Numbers.absolute(" + x + ")";
            default -> throw ExprCompiler.unsupported(call, null);
        };
        return interval(call.type(), List.of(a), code);
    }

    private Val scaled(Expr.Call call, Val interval, Val factor) {
        boolean times = call.function() == Function.TIMES;
        List<Val> operands;
        String code;
        if (factor.kind().isInteger() && times) {
            operands = List.of(interval, factor);
            code = "Numbers.multiply(" + interval.first() + ", " + factor.first() + ")";
        } else {
            Val number = cast.cast(factor, DataType.DOUBLE, false);
            operands = List.of(interval, number);
            String ratio = times ? number.first() : "Numbers.divide(1d, " + number.first() + ")";
            code = factor.kind().isInteger()
                    ? "Numbers.divide(" + interval.first() + ", (long) " + factor.first() + ")"
                    : "Datetimes.scaleInterval(" + interval.first() + ", " + ratio + ")";
        }
        return interval(call.type(), operands, code);
    }

    /** Datetime plus or minus interval. */
    private Val moved(Expr.Call call, Val datetime, Val interval, boolean plus) {
        boolean months = interval.kind() == TypeKind.INTERVAL_YEAR_MONTH;
        List<Val> operands = List.of(datetime, interval);
        String x = datetime.first();
        String by = (plus ? "" : "-") + interval.first();
        String sign = plus ? "add" : "subtract";
        TypeKind result = call.type().kind();
        String code = switch (datetime.kind()) {
            case DATE -> {
                if (result == TypeKind.TIMESTAMP) {
                    String start = "Datetimes.fromDate(" + x + ")";
                    yield months
                            ? "Datetimes.addMonthsToTimestamp(" + start + ", " + by + ")"
                            : "Datetimes." + sign + "(" + start + ", " + interval.first() + ")";
                }
                yield months
                        ? "Datetimes.addMonths(" + x + ", " + by + ")"
                        : "Datetimes.addDays(" + x + ", " + by + ")";
            }
            case TIME -> months ? x : "Datetimes.addToTime(" + x + ", " + by + ")";
            case TIMESTAMP ->
                months
                        ? "Datetimes.addMonthsToTimestamp(" + x + ", " + by + ")"
                        : "Datetimes." + sign + "(" + x + ", " + interval.first() + ")";
            case TIMESTAMP_LTZ ->
                months
                        ? "r.zone.toInstant(Datetimes.addMonthsToTimestamp(r.zone.toLocal(" + x + "), " + by + "))"
                        : "Datetimes." + sign + "(" + x + ", " + interval.first() + ")";
            default -> throw ExprCompiler.unsupported(call, null);
        };
        boolean fromDate = datetime.kind() == TypeKind.DATE && result == TypeKind.TIMESTAMP;
        if (!fromDate && result != datetime.kind()) {
            throw ExprCompiler.unsupported(call, "Cast the operand to the type of the result.");
        }
        return compiler.strict(call.type(), operands, code);
    }

    /** Datetime minus datetime. */
    private Val apart(Expr.Call call, Val a, Val b) {
        List<Val> operands = List.of(a, b);
        String x = micros(a, "DAY");
        String y = micros(b, "DAY");
        String code = switch (call.type().kind()) {
            case INTERVAL_YEAR_MONTH -> "Datetimes.monthsBetween(" + x + ", " + y + ")";
            case INTERVAL_DAY_TIME -> "Datetimes.subtract(" + x + ", " + y + ")";
            default -> {
                if (a.kind() == TypeKind.DATE && b.kind() == TypeKind.DATE) {
                    // PostgreSQL's: days.
                    yield "(long) " + a.first() + " - (long) " + b.first();
                }
                throw ExprCompiler.unsupported(call, null);
            }
        };
        if (isInterval(call.type().kind())) {
            return interval(call.type(), operands, code);
        }
        return cast.cast(compiler.strict(DataType.BIGINT, operands, code), call.type(), false);
    }

    // ---- functions

    /** The operand in microseconds; an instant as the wall clock of the session's zone, if calendar fields are wanted. */
    private static String micros(Val value, String unit) {
        return switch (value.kind()) {
            case DATE -> "Datetimes.fromDate(" + value.first() + ")";
            case TIMESTAMP_LTZ -> unit.equals("EPOCH") ? value.first() : "r.zone.toLocal(" + value.first() + ")";
            default -> value.first();
        };
    }

    private Val extract(Expr.Call call) {
        String unit = unit(call, 0);
        Val value = compiler.compile(ExprCompiler.operand(call, 1));
        if (value.alwaysNull()) {
            return Val.nullOf(call.type());
        }
        String code = value.kind() == TypeKind.INTERVAL_YEAR_MONTH
                ? monthsField(call, unit, value.first())
                : value.kind() == TypeKind.INTERVAL_DAY_TIME
                        ? intervalField(call, unit, value.first())
                        : datetimeField(call, unit, value);
        return cast.cast(compiler.strict(DataType.BIGINT, List.of(value), code), call.type(), false);
    }

    private static String datetimeField(Expr.Call call, String unit, Val value) {
        String x = micros(value, unit);
        String inTime = switch (unit) {
            case "HOUR" -> "Datetimes.toTime(" + x + ") / " + Datetimes.HOUR + "L";
            case "MINUTE" -> "Datetimes.toTime(" + x + ") / " + Datetimes.MINUTE + "L % 60L";
            case "SECOND" -> "Datetimes.toTime(" + x + ") / " + Datetimes.SECOND + "L % 60L";
            case "MILLISECOND" -> "Datetimes.toTime(" + x + ") % " + Datetimes.MINUTE + "L / 1000L";
            case "MICROSECOND" -> "Datetimes.toTime(" + x + ") % " + Datetimes.MINUTE + "L";
            case "EPOCH" -> "Math.floorDiv(" + x + ", " + Datetimes.SECOND + "L)";
            default -> "";
        };
        if (!inTime.isEmpty()) {
            return inTime;
        }
        if (!isDatetime(value.kind()) || value.kind() == TypeKind.TIME) {
            throw ExprCompiler.unsupported(call, "The operand has no " + unit + ".");
        }
        String name = switch (unit) {
            case "YEAR" -> "year";
            case "QUARTER" -> "quarter";
            case "MONTH" -> "month";
            case "WEEK" -> "week";
            case "DAY" -> "day";
            case "DOW" -> "dayOfWeek";
            case "ISODOW" -> "isoDayOfWeek";
            case "DOY" -> "dayOfYear";
            default -> throw ExprCompiler.unsupported(call, null);
        };
        return "Datetimes." + name + "(" + x + ")";
    }

    private static String intervalField(Expr.Call call, String unit, String x) {
        return switch (unit) {
            case "DAY" -> x + " / " + Datetimes.DAY + "L";
            case "HOUR" -> x + " / " + Datetimes.HOUR + "L % 24L";
            case "MINUTE" -> x + " / " + Datetimes.MINUTE + "L % 60L";
            case "SECOND" -> x + " / " + Datetimes.SECOND + "L % 60L";
            case "MILLISECOND" -> x + " % " + Datetimes.MINUTE + "L / 1000L";
            case "MICROSECOND" -> x + " % " + Datetimes.MINUTE + "L";
            case "EPOCH" -> x + " / " + Datetimes.SECOND + "L";
            default -> throw ExprCompiler.unsupported(call, null);
        };
    }

    private static String monthsField(Expr.Call call, String unit, String x) {
        return switch (unit) {
            case "YEAR" -> "(long) (" + x + " / 12)";
            case "QUARTER" -> "(long) (" + x + " % 12 / 3 + 1)";
            case "MONTH" -> "(long) (" + x + " % 12)";
            default -> throw ExprCompiler.unsupported(call, null);
        };
    }

    /** Microseconds of a unit of fixed length, or 0. */
    private static long fixed(String unit) {
        return switch (unit) {
            case "DAY" -> Datetimes.DAY;
            case "HOUR" -> Datetimes.HOUR;
            case "MINUTE" -> Datetimes.MINUTE;
            case "SECOND" -> Datetimes.SECOND;
            case "MILLISECOND" -> 1000;
            case "MICROSECOND" -> 1;
            default -> 0;
        };
    }

    private static int months(String unit) {
        return switch (unit) {
            case "MONTH" -> 1;
            case "QUARTER" -> 3;
            case "YEAR" -> 12;
            default -> 0;
        };
    }

    private Val toUnit(Expr.Call call, String direction) {
        Val value = compiler.compile(ExprCompiler.operand(call, 0));
        String unit = unit(call, 1);
        if (value.alwaysNull()) {
            return Val.nullOf(call.type());
        }
        if (!isDatetime(value.kind())) {
            throw ExprCompiler.unsupported(call, null);
        }
        String x = micros(value, unit);
        String code;
        if (fixed(unit) > 0) {
            code = "Datetimes." + (direction.equals("floor") ? "floor" : "ceilTo") + "(" + x + ", " + fixed(unit)
                    + "L)";
            if (value.kind() == TypeKind.TIME) {
                code = "Datetimes.toTime(" + code + ")";
            }
        } else if (value.kind() == TypeKind.TIME) {
            throw ExprCompiler.unsupported(call, null);
        } else if (unit.equals("WEEK")) {
            code = "Datetimes." + direction + "ToWeek(" + x + ")";
        } else if (months(unit) > 0) {
            code = "Datetimes." + direction + "ToMonths(" + x + ", " + months(unit) + ")";
        } else {
            throw ExprCompiler.unsupported(call, null);
        }
        DataType type = value.type();
        String back = switch (value.kind()) {
            case DATE -> "Datetimes.toDate(" + code + ")";
            case TIMESTAMP_LTZ -> "r.zone.toInstant(" + code + ")";
            default -> code;
        };
        return cast.cast(compiler.strict(type, List.of(value), back), call.type(), false);
    }

    private Val difference(Expr.Call call) {
        Val a = compiler.compile(ExprCompiler.operand(call, 0));
        Val b = compiler.compile(ExprCompiler.operand(call, 1));
        String unit = unit(call, 2);
        if (a.alwaysNull() || b.alwaysNull()) {
            return Val.nullOf(call.type());
        }
        // Whole hours and less between instants are elapsed time; days and more are counted on the wall clock.
        boolean elapsed = fixed(unit) > 0 && !unit.equals("DAY");
        String x = micros(a, elapsed ? "EPOCH" : unit);
        String y = micros(b, elapsed ? "EPOCH" : unit);
        String code;
        if (months(unit) > 0) {
            code = "Datetimes.monthsBetween(" + x + ", " + y + ") / " + months(unit) + "L";
        } else if (fixed(unit) > 0 || unit.equals("WEEK")) {
            code = "Datetimes.subtract(" + x + ", " + y + ") / " + (unit.equals("WEEK") ? Datetimes.WEEK : fixed(unit))
                    + "L";
        } else {
            throw ExprCompiler.unsupported(call, null);
        }
        return cast.cast(compiler.strict(DataType.BIGINT, List.of(a, b), code), call.type(), false);
    }

    private Val tumbleStart(Expr.Call call) {
        Val time = compiler.compile(ExprCompiler.operand(call, 0));
        Val size = compiler.compile(ExprCompiler.operand(call, 1));
        Expr offsetExpr = call.operands().size() > 2
                ? ExprCompiler.operand(call, 2)
                : new Expr.Literal("0", new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, false));
        Val offset = compiler.compile(offsetExpr);
        long constantSize = constant(ExprCompiler.operand(call, 1));
        boolean plain = constantSize > 0 && constant(offsetExpr) == 0;
        String x = time.kind() == TypeKind.DATE ? "Datetimes.fromDate(" + time.first() + ")" : time.first();
        // A constant size in the text lets the compiler multiply instead of divide.
        String code = plain
                ? "Datetimes.floor(" + x + ", " + constantSize + "L)"
                : "Datetimes.tumbleStart(" + x + ", " + size.first() + ", " + offset.first() + ")";
        return compiler.strict(call.type(), List.of(time, size, offset), code);
    }

    /** The value of an integer-like literal, else -1. */
    private static long constant(Expr expr) {
        return expr instanceof Expr.Literal literal && literal.value() != null ? Literals.integer(literal.value()) : -1;
    }

    private Val tickTime(Expr.Call call) {
        String micros = "r.clock.micros()";
        String code = switch (call.type().kind()) {
            case TIMESTAMP_LTZ -> micros;
            case TIMESTAMP -> "r.zone.toLocal(" + micros + ")";
            default -> throw ExprCompiler.unsupported(call, null);
        };
        int precision = call.type().precision();
        String shortened =
                precision < 6 ? "Datetimes.floor(" + code + ", " + Decimals.power(6 - precision) + "L)" : code;
        return Val.primitive(call.type(), "false", out.variable("long", shortened));
    }

    private Val dateFormat(Expr.Call call) {
        Val time = compiler.compile(ExprCompiler.operand(call, 0));
        Val pattern = compiler.compile(ExprCompiler.operand(call, 1));
        if (time.alwaysNull() || pattern.alwaysNull()) {
            return Val.nullOf(call.type());
        }
        String x = time.kind() == TypeKind.VARCHAR
                ? cast.cast(time, DataType.TIMESTAMP, false).first()
                : micros(time, "DAY");
        String patterns = out.constant("DatePatterns", new DatePatterns());
        Val text = compiler.span(pattern);
        String code = patterns + ".format(" + x + ", " + text.first() + ", " + text.second() + ", "
                + (ExprCompiler.operand(call, 1) instanceof Expr.Literal) + ", r)";
        out.usesScratch();
        return compiler.strict(call.type(), Val.Form.SPAN, List.of(time, pattern), code, false)
                .withScratch(true);
    }
}
