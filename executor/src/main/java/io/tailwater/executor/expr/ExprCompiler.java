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
    private final TextCode text;
    private final DatetimeCode datetime;

    ExprCompiler(MethodWriter out) {
        this.out = out;
        cast = new CastCode(this, out);
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
                return allTrue(call.operands());
            }
            if (call.function() == Function.OR) {
                return anyTrue(call.operands());
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

    private String allTrue(List<Expr> operands) {
        String eager = "";
        int at = 0;
        for (; at < operands.size() && isCheap(operands.get(at)); at++) {
            eager += (eager.isEmpty() ? "" : " & ") + isTrue(compile(operands.get(at)));
        }
        if (at == operands.size()) {
            return out.flag(eager);
        }
        String passes = out.fresh("x");
        out.line("boolean " + passes + " = " + (eager.isEmpty() ? "true" : eager) + ";");
        int depth = 0;
        for (; at < operands.size(); at++, depth++) {
            out.open("if (" + passes + ")");
            out.line(passes + " = " + condition(operands.get(at)) + ";");
        }
        for (; depth > 0; depth--) {
            out.close();
        }
        return passes;
    }

    private String anyTrue(List<Expr> operands) {
        String passes = out.fresh("x");
        out.line("boolean " + passes + " = " + condition(operands.get(0)) + ";");
        for (Expr operand : operands.subList(1, operands.size())) {
            out.open("if (!" + passes + ")");
            out.line(passes + " = " + condition(operand) + ";");
            out.close();
        }
        return passes;
    }

    /** A comparison of two columns or constants of a primitive type: cheaper to compute than to branch round. */
    private static boolean isCheap(Expr expr) {
        if (!(expr instanceof Expr.Call call)) {
            return false;
        }
        return switch (call.function()) {
            case EQ, NE, LT, LE, GT, GE ->
                call.operands().stream().allMatch(ExprCompiler::isPrimitiveLeaf)
                        && call.operands().get(0).type().kind()
                                == call.operands().get(1).type().kind();
            case IS_NULL, IS_NOT_NULL -> call.operands().get(0) instanceof Expr.Input;
            default -> false;
        };
    }

    private static boolean isPrimitiveLeaf(Expr expr) {
        TypeKind kind = expr.type().kind();
        return !(expr instanceof Expr.Call) && !kind.isView() && kind != TypeKind.DECIMAL;
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
            case AND, OR -> logic(call);
            case CASE -> caseOf(call);
            case COALESCE -> coalesce(call);
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
                    REGEXP_EXTRACT,
                    REGEXP_REPLACE,
                    REGEXP_LIKE,
                    COUNT_CHAR,
                    MD5 -> text.compile(call);
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

    /** Kleene's AND and OR, left to right, ending at the first operand that decides. */
    private Val logic(Expr.Call call) {
        boolean and = call.function() == Function.AND;
        Val head = compile(operand(call, 0));
        String value = out.fresh("x");
        String isNull = out.fresh("n");
        out.line("boolean " + value + " = " + head.first() + ";");
        out.line("boolean " + isNull + " = " + head.isNull() + ";");
        for (Expr operand : call.operands().subList(1, call.operands().size())) {
            out.open("if (" + isNull + " | " + (and ? "" : "!") + value + ")");
            Val next = compile(operand);
            String decides =
                    next.alwaysNull() ? "false" : "!" + next.isNull() + " & " + (and ? "!" : "") + next.first();
            out.line("if (" + decides + ") { " + value + " = " + !and + "; " + isNull + " = false; }");
            out.line("else if (" + next.isNull() + ") { " + isNull + " = true; }");
            out.close();
        }
        return Val.primitive(call.type(), isNull, value);
    }

    /** A constant with the name of the column that a value is for. */
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

    // ---- branches

    private Val caseOf(Expr.Call call) {
        Branches branches = new Branches(call);
        List<Expr> operands = call.operands();
        int depth = 0;
        for (int at = 0; at + 1 < operands.size(); at += 2, depth++) {
            out.open("if (" + condition(operands.get(at)) + ")");
            branches.assign(operands.get(at + 1));
            out.otherwise();
        }
        if (operands.size() % 2 == 1) {
            branches.assign(operands.get(operands.size() - 1));
        }
        for (; depth > 0; depth--) {
            out.close();
        }
        return branches.result();
    }

    private Val coalesce(Expr.Call call) {
        Branches branches = new Branches(call);
        int depth = 0;
        for (Expr operand : call.operands()) {
            if (depth > 0) {
                out.open("if (" + branches.isNull + ")");
            }
            branches.assign(operand);
            depth++;
        }
        for (; depth > 1; depth--) {
            out.close();
        }
        return branches.result();
    }

    /** The variables that each branch of a CASE or COALESCE assigns. Until one does, they hold NULL. */
    private final class Branches {
        private final DataType type;
        private final Val.Form form;
        private final String first = out.fresh("x");
        private final String second = out.fresh("y");
        private final String isNull = out.fresh("n");
        private boolean scratch;

        Branches(Expr.Call call) {
            type = call.type();
            form = Shape.form(call);
            String javaType = form == Val.Form.PRIMITIVE ? Val.javaType(type.kind()) : "long";
            out.line(javaType + " " + first + " = " + Val.zero(javaType, form) + ";");
            if (form == Val.Form.WIDE || form == Val.Form.SPAN) {
                out.line((form == Val.Form.WIDE ? "long " : "int ") + second + " = 0;");
            }
            out.line("boolean " + isNull + " = true;");
        }

        void assign(Expr expr) {
            Val value = inForm(compile(expr), type, form);
            scratch |= value.scratch();
            out.line(isNull + " = " + value.isNull() + ";");
            if (!value.alwaysNull()) {
                out.line(first + " = " + value.first() + ";");
                if (form == Val.Form.WIDE) {
                    out.line(second + " = " + value.high() + ";");
                } else if (form == Val.Form.SPAN) {
                    out.line(second + " = " + value.second() + ";");
                }
            }
        }

        Val result() {
            boolean two = form == Val.Form.WIDE || form == Val.Form.SPAN;
            return Val.of(type, form, isNull, first, two ? second : "").withScratch(scratch);
        }
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

    /** Emits the statements that put a value into row {@code row} of an output column whose address is in {@code o<column>}. */
    void store(Val value, int column, String row) {
        if (value.alwaysNull()) {
            out.line("out.setNull(" + column + ", " + row + ");");
            return;
        }
        if (value.kind().isView() && !value.scratch()) {
            out.kernel().viewsInput();
        }
        String put = put(value, column, row);
        if (value.neverNull()) {
            out.line(put);
        } else {
            out.line("if (" + value.isNull() + ") { out.setNull(" + column + ", " + row + "); } else { " + put + " }");
        }
    }

    private static String put(Val value, int column, String row) {
        String base = "o" + column;
        return switch (value.kind()) {
            case BOOLEAN -> "if (" + value.first() + ") { Mem.setBit(" + base + ", " + row + "); }";
            case TINYINT -> "Mem.putByte(" + base + " + " + row + ", (byte) " + value.first() + ");";
            case SMALLINT -> "Mem.putShort(" + base + " + 2L * " + row + ", (short) " + value.first() + ");";
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL ->
                "Mem.putInt(" + base + " + 4L * " + row + ", " + value.first() + ");";
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME ->
                "Mem.putLong(" + base + " + 8L * " + row + ", " + value.first() + ");";
            case REAL -> "Mem.putFloat(" + base + " + 4L * " + row + ", " + value.first() + ");";
            case DOUBLE -> "Mem.putDouble(" + base + " + 8L * " + row + ", " + value.first() + ");";
            case DECIMAL ->
                "Mem.putLong(" + base + " + 16L * " + row + ", " + value.low() + "); Mem.putLong(" + base + " + 16L * "
                        + row + " + 8L, " + value.high() + ");";
            case VARCHAR, VARBINARY -> putText(value, column, row);
        };
    }

    private static String putText(Val value, int column, String row) {
        String slot = "o" + column + " + 16L * " + row;
        if (value.form() == Val.Form.SLOT) {
            return "StringView.copySlot(" + value.first() + ", " + slot + ");";
        }
        return value.scratch()
                ? "out.putBytes(" + column + ", " + row + ", " + value.first() + ", " + value.second() + ");"
                : "StringView.put(" + slot + ", " + value.first() + ", " + value.second() + ");";
    }

    static StreamException unsupported(Expr expr, @Nullable String hint) {
        return new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED, "expression is not supported: " + expr, -1, hint, null);
    }
}
