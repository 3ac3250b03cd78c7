package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Turns expressions into Java statements of one method. Each expression becomes variables for its value and for whether it is NULL; equal
 * sub-expressions become the same variables where both are in scope. Statements that may raise an error, or follow a pointer, stand under a test
 * for NULL; the rest runs without branches.
 */
final class ExprCompiler {
    private final MethodWriter out;
    private final NumericCode numeric;
    private final CompareCode compare;
    private final CastCode cast;
    private final BranchCode branches;
    private final TextCode text;
    private final DatetimeCode datetime;

    ExprCompiler(MethodWriter out) {
        this.out = out;
        cast = new CastCode(this, out);
        branches = new BranchCode(this, out);
        numeric = new NumericCode(this, out, cast);
        compare = new CompareCode(this, out, cast);
        text = new TextCode(this, out, cast);
        datetime = new DatetimeCode(this, out, cast);
    }

    // ---- entry points

    Val compile(Expr expr) {
        Val known = out.known(expr);
        if (known != null) {
            return known;
        }
        Val value = out.kernel().isSeparate(expr) ? callOutlined(expr) : compileHere(expr);
        out.remember(expr, value);
        return value;
    }

    /** As {@link #compile}, without moving the expression itself to another method. */
    Val compileHere(Expr expr) {
        if (expr instanceof Expr.Input input) {
            return input(input);
        }
        if (expr instanceof Expr.Literal literal) {
            return literal(literal);
        }
        return call((Expr.Call) expr);
    }

    /** Emits code for a condition; the result is a Java expression that holds if it is TRUE, not if it is FALSE or NULL. */
    String condition(Expr expr) {
        if (expr instanceof Expr.Call call && !out.kernel().isSeparate(expr)) {
            if (call.function() == Function.AND) {
                return branches.allTrue(call.operands());
            }
            if (call.function() == Function.OR) {
                return branches.anyTrue(call.operands());
            }
        }
        return isTrue(compile(expr));
    }

    static String isTrue(Val value) {
        if (value.neverNull()) {
            return value.first();
        }
        return value.alwaysNull() ? "false" : "(!" + value.isNull() + " & " + value.first() + ")";
    }

    // ---- leaves

    private Val input(Expr.Input input) {
        String data = out.data(input);
        String isNull = "false";
        if (out.kernel().nulls()) {
            String validity = out.validity(input);
            isNull = out.variable("boolean", validity + " != 0L && !Mem.getBit(" + validity + ", i)");
        }
        DataType type = input.type();
        if (type.kind() == TypeKind.DECIMAL) {
            String low = out.variable("long", "Mem.getLong(" + data + " + 16L * i)");
            if (type.precision() <= 18) {
                return Val.primitive(type, isNull, low);
            }
            String high = out.variable("long", "Mem.getLong(" + data + " + 16L * i + 8L)");
            return Val.of(type, Val.Form.WIDE, isNull, low, high);
        }
        if (type.kind().isView()) {
            return Val.of(type, Val.Form.SLOT, isNull, out.variable("long", data + " + 16L * i"), "");
        }
        String load = switch (type.kind()) {
            case BOOLEAN -> "Mem.getBit(" + data + ", i)";
            case TINYINT -> "(int) Mem.getByte(" + data + " + i)";
            case SMALLINT -> "(int) Mem.getShort(" + data + " + 2L * i)";
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL -> "Mem.getInt(" + data + " + 4L * i)";
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME -> "Mem.getLong(" + data + " + 8L * i)";
            case REAL -> "Mem.getFloat(" + data + " + 4L * i)";
            case DOUBLE -> "Mem.getDouble(" + data + " + 8L * i)";
            case DECIMAL, VARCHAR, VARBINARY -> throw new AssertionError(type);
        };
        return Val.primitive(type, isNull, out.variable(Val.javaType(type.kind()), load));
    }

    private Val literal(Expr.Literal literal) {
        if (literal.value() == null || literal.type().kind() == TypeKind.NULL) {
            return Val.nullOf(literal.type());
        }
        return Literals.compile(literal.value(), literal.type(), out);
    }

    // ---- calls

    private Val callOutlined(Expr expr) {
        Val.Form form = Shape.form(expr);
        KernelWriter.Outlined part = out.kernel().outline(expr, expr.type(), form);
        if (part.usesScratch()) {
            out.usesScratch();
        }
        String javaType = form == Val.Form.PRIMITIVE ? Val.javaType(expr.type().kind()) : "long";
        String first = out.variable(javaType, part.name() + "(d, v, i, r)");
        String isNull = out.variable("boolean", "r.isNull");
        return Val.of(expr.type(), form, isNull, first, loadSecond(form)).withScratch(part.scratchResult());
    }

    /** Takes the other half of a result out of the registers. */
    private String loadSecond(Val.Form form) {
        return switch (form) {
            case WIDE -> out.variable("long", "r.high");
            case SPAN -> out.variable("int", "r.length");
            case PRIMITIVE, SLOT -> "";
        };
    }

    private Val call(Expr.Call call) {
        return switch (call.function()) {
            case PLUS,
                    MINUS,
                    TIMES,
                    DIVIDE,
                    MOD,
                    NEGATE,
                    ABS,
                    SIGN,
                    FLOOR,
                    CEIL,
                    ROUND,
                    TRUNCATE,
                    POWER,
                    SQRT,
                    EXP,
                    LN,
                    LOG10 ->
                DatetimeCode.isDatetimeArithmetic(call) ? datetime.arithmetic(call) : numeric.compile(call);
            case EQ, NE, LT, LE, GT, GE, IS_DISTINCT_FROM, IS_NOT_DISTINCT_FROM, GREATEST, LEAST ->
                compare.compile(call);
            case IS_NULL -> known(call, out.flag(compile(operand(call, 0)).isNull()));
            case IS_NOT_NULL -> known(call, not(compile(operand(call, 0)).isNull()));
            case IS_TRUE -> known(call, out.flag(condition(operand(call, 0))));
            case IS_NOT_TRUE -> known(call, not(condition(operand(call, 0))));
            case IS_FALSE -> known(call, out.flag(isFalse(compile(operand(call, 0)))));
            case IS_NOT_FALSE -> known(call, not(isFalse(compile(operand(call, 0)))));
            case NOT -> {
                Val value = compile(operand(call, 0));
                yield value.alwaysNull()
                        ? Val.nullOf(call.type())
                        : Val.primitive(call.type(), value.isNull(), not(value.first()));
            }
            case AND, OR -> branches.logic(call);
            case CASE -> branches.caseOf(call);
            case COALESCE -> branches.coalesce(call);
            case CAST -> cast.cast(compile(operand(call, 0)), call.type(), false);
            case TRY_CAST -> cast.cast(compile(operand(call, 0)), call.type(), true);
            case REQUIRE_NOT_NULL -> requireNotNull(call);
            case REQUIRE_LENGTH -> cast.requireLength(compile(operand(call, 0)), call.type(), columnName(call));
            case LOWER,
                    UPPER,
                    INITCAP,
                    CONCAT,
                    SUBSTRING,
                    CHAR_LENGTH,
                    OCTET_LENGTH,
                    TRIM_BOTH,
                    TRIM_LEADING,
                    TRIM_TRAILING,
                    LIKE,
                    ILIKE,
                    POSITION,
                    REPLACE,
                    LEFT,
                    RIGHT,
                    LPAD,
                    RPAD,
                    REPEAT,
                    REVERSE,
                    STARTS_WITH,
                    SPLIT_INDEX,
                    SPLIT_PART,
                    REGEXP_EXTRACT,
                    REGEXP_REPLACE,
                    REGEXP_LIKE,
                    COUNT_CHAR,
                    MD5 -> text.compile(call);
            case TO_CHAR -> text.toChar(call);
            case RANDOM -> known(call, out.variable("double", "Numbers.random()"));
            case DATE_FORMAT, EXTRACT, FLOOR_TO, CEIL_TO, TIMESTAMP_DIFF, TUMBLE_START, TICK_TIME ->
                datetime.compile(call);
        };
    }

    static Expr operand(Expr.Call call, int index) {
        return call.operands().get(index);
    }

    private Val known(Expr.Call call, String code) {
        return Val.primitive(call.type(), "false", code);
    }

    private String not(String code) {
        return switch (code) {
            case "true" -> "false";
            case "false" -> "true";
            default -> out.variable("boolean", "!" + code);
        };
    }

    private static String isFalse(Val value) {
        return value.alwaysNull() ? "false" : "(!" + value.isNull() + " & !" + value.first() + ")";
    }

    private String columnName(Expr.Call call) {
        Expr name = call.operands().get(1);
        String column =
                name instanceof Expr.Literal literal && literal.value() != null ? literal.value() : name.toString();
        return out.constant("String", column);
    }

    private Val requireNotNull(Expr.Call call) {
        Val value = compile(operand(call, 0));
        if (!value.neverNull()) {
            Expr name = call.operands().get(1);
            String column =
                    name instanceof Expr.Literal literal && literal.value() != null ? literal.value() : name.toString();
            String constant = out.constant("String", column);
            out.line("if (" + value.isNull() + ") { throw DataErrors.notNull(" + constant + "); }");
        }
        return value.withNull("false");
    }

    // ---- what the code classes build on

    /** The value as this type and in this form. */
    Val inForm(Val value, DataType type, Val.Form form) {
        if (value.alwaysNull()) {
            Val none = Val.nullOf(type);
            return form == none.form() ? none : Val.of(type, form, "true", Val.zero("long", form), "0");
        }
        Val same = Shape.changesNothing(value.type(), type)
                        || (value.kind().isView() && type.kind().isView())
                ? value.withType(type)
                : cast.cast(value, type, false);
        if (same.form() == form) {
            return same;
        }
        return switch (form) {
            case WIDE -> new Val(type, form, same.isNull(), same.low(), same.high(), same.digits(), false);
            case SPAN -> span(same);
            case PRIMITIVE -> {
                if (same.form() != Val.Form.WIDE) {
                    throw new AssertionError(same + " as " + form);
                }
                yield new Val(type, form, same.isNull(), same.low(), "", same.digits(), false);
            }
            case SLOT -> throw new AssertionError(same + " as " + form);
        };
    }

    /** A text as address and length. Only the slot is read, not what it points at, so this is safe for NULLs. */
    Val span(Val value) {
        if (value.form() == Val.Form.SPAN) {
            return value;
        }
        Val known = out.known(value.first());
        if (known == null) {
            String length = out.variable("int", "Mem.getInt(" + value.first() + ")");
            String bytes = out.variable("long", "StringView.bytes(" + value.first() + ")");
            known = Val.of(value.type(), Val.Form.SPAN, value.isNull(), bytes, length);
            out.remember(value.first(), known);
        }
        return known.withNull(value.isNull()).withType(value.type());
    }

    /** A Java expression that holds if any of these is NULL; a variable unless constant. */
    String anyNull(List<Val> values) {
        List<String> flags = new ArrayList<>();
        for (Val value : values) {
            if (value.alwaysNull()) {
                return "true";
            }
            if (!value.neverNull() && !flags.contains(value.isNull())) {
                flags.add(value.isNull());
            }
        }
        return switch (flags.size()) {
            case 0 -> "false";
            case 1 -> flags.get(0);
            default -> out.variable("boolean", String.join(" | ", flags));
        };
    }

    /** A result that is NULL if an operand is, else {@code code}, which neither fails nor follows pointers. */
    Val total(DataType type, List<Val> operands, String code) {
        String isNull = anyNull(operands);
        if (isNull.equals("true")) {
            return Val.nullOf(type);
        }
        return Val.primitive(type, isNull, out.variable(Val.javaType(type.kind()), code));
    }

    /** A result that is NULL if an operand is, else {@code code}, computed only then. */
    Val strict(DataType type, List<Val> operands, String code) {
        return strict(type, Val.form(type), operands, code, false);
    }

    /**
     * As {@link #strict(DataType, List, String)}, in a given form: {@code code} yields the first half and leaves the other in the registers.
     *
     * @param maybeNull whether {@code code} may also yield NULL by returning 0 as the address of a text, or else by {@link Registers#isNull}
     */
    Val strict(DataType type, Val.Form form, List<Val> operands, String code, boolean maybeNull) {
        String isNull = anyNull(operands);
        if (isNull.equals("true")) {
            return Val.nullOf(type);
        }
        String javaType = form == Val.Form.PRIMITIVE ? Val.javaType(type.kind()) : "long";
        boolean guarded = !isNull.equals("false");
        String first;
        String second = "";
        if (guarded) {
            first = out.fresh("x");
            out.line(javaType + " " + first + " = " + Val.zero(javaType, form) + ";");
            String ownNull = isNull;
            if (form == Val.Form.WIDE || form == Val.Form.SPAN) {
                second = out.fresh("y");
                out.line((form == Val.Form.WIDE ? "long " : "int ") + second + " = 0;");
            }
            if (maybeNull) {
                ownNull = out.fresh("n");
                out.line("boolean " + ownNull + " = " + isNull + ";");
            }
            out.line("if (!" + isNull + ") {");
            out.line(first + " = " + code + ";");
            if (!second.isEmpty()) {
                out.line(second + " = " + (form == Val.Form.WIDE ? "r.high" : "r.length") + ";");
            }
            if (maybeNull) {
                out.line(ownNull + " = " + ownNull(form, first) + ";");
            }
            out.line("}");
            isNull = ownNull;
        } else {
            first = out.variable(javaType, code);
            second = loadSecond(form);
            if (maybeNull) {
                isNull = out.variable("boolean", ownNull(form, first));
            }
        }
        return Val.of(type, form, isNull, first, second);
    }

    private static String ownNull(Val.Form form, String first) {
        return form == Val.Form.SPAN ? first + " == 0L" : "r.isNull";
    }

    /** Runs {@code body} under a test that no operand is NULL, or plainly if none can be. */
    void unlessNull(String isNull, Runnable body) {
        if (isNull.equals("false")) {
            body.run();
            return;
        }
        out.open("if (!" + isNull + ")");
        body.run();
        out.close();
    }

    static StreamException unsupported(Expr expr, @Nullable String hint) {
        return new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED, "expression is not supported: " + expr, -1, hint, null);
    }
}
