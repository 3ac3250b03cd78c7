package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.util.ArrayList;
import java.util.List;

/** Functions of text: calls of {@link TextFunctions} and its kin on (address, length) pairs. */
final class TextCode {
    private final ExprCompiler compiler;
    private final MethodWriter out;
    private final CastCode cast;

    TextCode(ExprCompiler compiler, MethodWriter out, CastCode cast) {
        this.compiler = compiler;
        this.out = out;
        this.cast = cast;
    }

    Val compile(Expr.Call call) {
        List<Val> operands = new ArrayList<>();
        for (Expr operand : call.operands()) {
            operands.add(compiler.compile(operand));
        }
        if (operands.stream().anyMatch(Val::alwaysNull)) {
            return Val.nullOf(call.type());
        }
        requireText(call, operands);
        return switch (call.function()) {
            case LOWER -> built(call, operands, "lower", "");
            case UPPER -> built(call, operands, "upper", "");
            case INITCAP -> built(call, operands, "initcap", "");
            case REVERSE -> built(call, operands, "reverse", "");
            case MD5 -> built(call, operands, "md5", "");
            case REPLACE -> built(call, operands, "replace", "");
            case REPEAT -> built(call, operands, "repeat", "");
            case LPAD -> padded(call, operands, true);
            case RPAD -> padded(call, operands, false);
            case CONCAT -> concat(call, operands);
            case SUBSTRING -> cut(call, operands, "substring", "");
            case LEFT -> cut(call, operands, "left", "");
            case RIGHT -> cut(call, operands, "right", "");
            case TRIM_BOTH -> cut(call, operands, "trim", ", true, true");
            case TRIM_LEADING -> cut(call, operands, "trim", ", true, false");
            case TRIM_TRAILING -> cut(call, operands, "trim", ", false, true");
            case SPLIT_INDEX -> splitIndex(call, operands);
            case SPLIT_PART -> cut(call, operands, "splitPart", "");
            case CHAR_LENGTH -> number(call, operands, "Texts.characters(" + arguments(operands) + ")");
            case OCTET_LENGTH ->
                number(call, operands, compiler.span(operands.get(0)).second());
            case POSITION -> number(call, operands, "TextFunctions.position(" + arguments(operands) + ")");
            case COUNT_CHAR -> number(call, operands, "TextFunctions.countChar(" + arguments(operands) + ")");
            case STARTS_WITH ->
                compiler.strict(call.type(), operands, "TextFunctions.startsWith(" + arguments(operands) + ")");
            case LIKE -> like(call, operands, false);
            case ILIKE -> like(call, operands, true);
            case REGEXP_EXTRACT -> regexpExtract(call, operands);
            case REGEXP_REPLACE -> regexpReplace(call, operands);
            case REGEXP_LIKE -> regexpLike(call, operands);
            default -> throw ExprCompiler.unsupported(call, null);
        };
    }

    /** Bytes that are no text have no characters: only what works on bytes takes them. */
    private static void requireText(Expr.Call call, List<Val> operands) {
        boolean bytes = switch (call.function()) {
            case OCTET_LENGTH, MD5, CONCAT -> true;
            default -> false;
        };
        if (!bytes && operands.stream().anyMatch(value -> value.kind() == TypeKind.VARBINARY)) {
            throw ExprCompiler.unsupported(call, "Cast the operand to VARCHAR.");
        }
    }

    /** Operands as Java arguments: texts as address and length, numbers as longs. */
    private String arguments(List<Val> operands) {
        List<String> arguments = new ArrayList<>();
        for (Val operand : operands) {
            if (operand.kind().isView()) {
                Val span = compiler.span(operand);
                arguments.add(span.first() + ", " + span.second());
            } else {
                arguments.add(cast.cast(operand, DataType.BIGINT, false).first());
            }
        }
        return String.join(", ", arguments);
    }

    private Val number(Expr.Call call, List<Val> operands, String code) {
        return cast.cast(compiler.strict(DataType.BIGINT, operands, code), call.type(), false);
    }

    /** A text put together in scratch memory. */
    private Val built(Expr.Call call, List<Val> operands, String name, String more) {
        out.usesScratch();
        String code = "TextFunctions." + name + "(" + arguments(operands) + more + ", r)";
        return compiler.strict(call.type(), Val.Form.SPAN, operands, code, false)
                .withScratch(true);
    }

    /** A part of the first operand, where it lies. */
    private Val cut(Expr.Call call, List<Val> operands, String name, String more) {
        String code = "TextFunctions." + name + "(" + arguments(operands) + more + ", r)";
        return compiler.strict(call.type(), Val.Form.SPAN, operands, code, false)
                .withScratch(operands.get(0).scratch());
    }

    private Val splitIndex(Expr.Call call, List<Val> operands) {
        String code = "TextFunctions.splitIndex(" + arguments(operands) + ", r)";
        return compiler.strict(call.type(), Val.Form.SPAN, operands, code, true)
                .withScratch(operands.get(0).scratch());
    }

    /** Numbers go by their text, which is exact. */
    Val toChar(Expr.Call call) {
        Val value = compiler.compile(ExprCompiler.operand(call, 0));
        Val pattern = compiler.compile(ExprCompiler.operand(call, 1));
        if (value.alwaysNull() || pattern.alwaysNull()) {
            return Val.nullOf(call.type());
        }
        out.usesScratch();
        String fixed = ", " + fixed(call, 1) + ", r)";
        String code;
        if (value.kind().isNumeric()) {
            Val digits = cast.cast(value, DataType.VARCHAR, false);
            String patterns = out.constant("NumberPatterns", new NumberPatterns());
            code = patterns + ".format(" + arguments(List.of(digits, pattern)) + fixed;
        } else if (DatetimeCode.isDatetime(value.kind())) {
            Val micros = value.kind() == TypeKind.TIME ? value : cast.cast(value, DataType.TIMESTAMP, false);
            String patterns = out.constant("TimePatterns", new TimePatterns());
            code = patterns + ".format(" + micros.first() + ", " + arguments(List.of(pattern)) + fixed;
        } else {
            throw ExprCompiler.unsupported(call, "TO_CHAR takes numbers, dates and timestamps.");
        }
        return compiler.strict(call.type(), Val.Form.SPAN, List.of(value, pattern), code, false)
                .withScratch(true);
    }

    private Val padded(Expr.Call call, List<Val> operands, boolean left) {
        List<Val> all = operands.size() > 2
                ? operands
                : List.of(
                        operands.get(0),
                        operands.get(1),
                        compiler.compile(new Expr.Literal(" ", DataType.VARCHAR.notNull())));
        return built(call, all, "pad", ", " + left);
    }

    private Val concat(Expr.Call call, List<Val> operands) {
        List<Val> texts = new ArrayList<>();
        for (Val operand : operands) {
            texts.add(compiler.span(operand.kind().isView() ? operand : cast.cast(operand, DataType.VARCHAR, false)));
        }
        List<String> lengths =
                texts.stream().map(text -> "(long) " + text.second()).toList();
        String isNull = compiler.anyNull(texts);
        out.usesScratch();
        Val whole = compiler.strict(
                call.type(),
                Val.Form.SPAN,
                List.of(Val.primitive(DataType.BOOLEAN, isNull, "false")),
                "TextFunctions.concat(" + String.join(" + ", lengths) + ", r)",
                false);
        compiler.unlessNull(isNull, () -> {
            String at = whole.first();
            for (Val text : texts) {
                out.line("Mem.copy(" + text.first() + ", " + at + ", (long) " + text.second() + ");");
                at = out.variable("long", at + " + " + text.second());
            }
        });
        return whole.withScratch(true);
    }

    private static boolean fixed(Expr.Call call, int from) {
        return call.operands().subList(from, call.operands().size()).stream()
                .allMatch(operand -> operand instanceof Expr.Literal);
    }

    private Val like(Expr.Call call, List<Val> operands, boolean ignoreCase) {
        String pattern = out.constant("LikePattern", new LikePattern(ignoreCase));
        if (ignoreCase) {
            out.usesScratch();
        }
        String escape = operands.size() > 2 ? "" : ", 0L, 0";
        String code = pattern + ".matches(" + arguments(operands) + escape + ", " + fixed(call, 1) + ", r)";
        return compiler.strict(call.type(), operands, code);
    }

    private String regex() {
        return out.constant("Regex", new Regex());
    }

    private static boolean fixedRegex(Expr.Call call) {
        return call.operands().get(1) instanceof Expr.Literal;
    }

    private Val regexpExtract(Expr.Call call, List<Val> operands) {
        out.usesScratch();
        String group = operands.size() > 2 ? "" : ", 0L";
        String code = regex() + ".extract(" + arguments(operands) + group + ", " + fixedRegex(call) + ", r)";
        return compiler.strict(call.type(), Val.Form.SPAN, operands, code, true).withScratch(true);
    }

    private Val regexpReplace(Expr.Call call, List<Val> operands) {
        out.usesScratch();
        String code = regex() + ".replace(" + arguments(operands) + ", " + fixedRegex(call) + ", r)";
        return compiler.strict(call.type(), Val.Form.SPAN, operands, code, false)
                .withScratch(true);
    }

    private Val regexpLike(Expr.Call call, List<Val> operands) {
        String code = regex() + ".find(" + arguments(operands) + ", " + fixedRegex(call) + ")";
        return compiler.strict(call.type(), operands, code);
    }
}
