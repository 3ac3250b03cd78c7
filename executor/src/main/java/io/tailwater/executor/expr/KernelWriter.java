package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes the source of a {@link Kernel}. Input columns and constants are numbered in the order of their first use, so that the source says
 * nothing of where they come from: it is the shape of the expressions, and the key of {@link KernelCache}.
 */
final class KernelWriter {
    /** Expression nodes a method may hold before the next projection goes to a method of its own; about 60 bytecodes each at worst. */
    static final int METHOD_NODES = 80;

    /** What a constructor of at most 64 KB can set. */
    static final int MAX_CONSTANTS = 3000;

    /** A text constant, stored off-heap by whoever makes the kernel; it becomes the address of a string view. */
    static final class Text {
        private final byte[] bytes;

        Text(byte[] bytes) {
            this.bytes = bytes;
        }

        byte[] bytes() {
            return bytes;
        }
    }

    /** Constants of {@code long} type are Long or Text, and so on. */
    record Constant(String javaType, Object value) {}

    private final boolean nulls;
    private final Map<Integer, Integer> slots = new LinkedHashMap<>();
    private final List<Constant> constants = new ArrayList<>();
    private final StringBuilder methods = new StringBuilder();
    private final Set<Expr> separate = Collections.newSetFromMap(new IdentityHashMap<>());
    private int outlined;
    private boolean views;

    /** @param nulls whether input columns may hold NULLs */
    KernelWriter(boolean nulls) {
        this.nulls = nulls;
    }

    boolean nulls() {
        return nulls;
    }

    int slot(Expr.Input input) {
        return slots.computeIfAbsent(input.index(), index -> slots.size());
    }

    int constant(String javaType, Object value) {
        if (constants.size() == MAX_CONSTANTS) {
            throw new StreamException(
                    ErrorCode.STATEMENT_TOO_COMPLEX,
                    "an expression holds more than " + MAX_CONSTANTS + " constants",
                    -1,
                    "Put the constants into a table and join with it.",
                    null);
        }
        constants.add(new Constant(javaType, value));
        return constants.size() - 1;
    }

    String constantType(int number) {
        return constants.get(number).javaType();
    }

    List<Constant> constants() {
        return constants;
    }

    /** The input columns that the kernel reads, in the order of its own numbers. */
    int[] inputs() {
        return slots.keySet().stream().mapToInt(Integer::intValue).toArray();
    }

    /** Whether an expression, of which this very object is part, is computed in a method of its own. */
    boolean isSeparate(Expr expr) {
        return separate.contains(expr);
    }

    /** Notes that an output column holds views of input bytes. */
    void viewsInput() {
        views = true;
    }

    boolean isViewingInput() {
        return views;
    }

    /** What is to be computed for one output column. */
    record Output(int column, Expr value) {}

    /** Writes the whole class. No method is private: Janino would pass {@code this} by the class's name, which a hidden class does not have. */
    String write(@Nullable Expr condition, List<Output> outputs) {
        writeSelect(condition);
        writeProject("dense", "", "i", outputs);
        writeProject("selected", "int[] s, ", "j", outputs);
        StringBuilder source = new StringBuilder("""
            package io.tailwater.executor.expr;
            import io.tailwater.api.batch.*;
            import io.tailwater.common.error.StreamException;
            final class Generated extends Kernel {
            """);
        for (int k = 0; k < constants.size(); k++) {
            source.append("private final " + constantType(k) + " k" + k + ";\n");
        }
        source.append("Generated(Object[] k) {\n");
        for (int k = 0; k < constants.size(); k++) {
            source.append("k" + k + " = " + unboxed(constantType(k), k) + ";\n");
        }
        return source.append("}\n").append(methods).append("}\n").toString();
    }

    private static String unboxed(String javaType, int k) {
        String value = "k[" + k + "]";
        return switch (javaType) {
            case "int" -> "((Integer) " + value + ").intValue()";
            case "long" -> "((Long) " + value + ").longValue()";
            case "float" -> "((Float) " + value + ").floatValue()";
            case "double" -> "((Double) " + value + ").doubleValue()";
            default -> "(" + javaType + ") " + value;
        };
    }

    private void writeSelect(@Nullable Expr condition) {
        String head = "int select(long[] d, long[] v, int from, int to, int[] s, Registers r) {\n";
        if (condition == null) {
            methods.append(head).append("throw new AssertionError();\n}\n");
            return;
        }
        Shape.partition(condition, separate);
        MethodWriter method = new MethodWriter(this);
        String passes = new ExprCompiler(method).condition(condition);
        methods.append(head);
        method.prologue(nulls).forEach(line -> methods.append(line).append('\n'));
        methods.append("int n = 0;\nfor (int i = from; i < to; i++) {\n");
        appendReset(method);
        methods.append(method.body());
        methods.append("s[n] = i;\nif (" + passes + ") { n++; }\n}\nreturn n;\n}\n");
    }

    private void appendReset(MethodWriter method) {
        if (method.scratch()) {
            methods.append("r.resetScratch();\n");
        }
    }

    private void writeProject(String name, String selectionParameter, String row, List<Output> outputs) {
        List<String> calls = new ArrayList<>();
        int at = 0;
        while (at < outputs.size()) {
            int nodes = 0;
            int end = at;
            while (end < outputs.size() && (end == at || nodes < METHOD_NODES)) {
                nodes += Shape.partition(outputs.get(end).value(), separate) + 2;
                end++;
            }
            calls.add(writeLoop(name + calls.size(), selectionParameter, row, outputs.subList(at, end)));
            at = end;
        }
        String arguments =
                selectionParameter.isEmpty() ? "(d, v, from, to, out, r);\n" : "(d, v, s, from, to, out, r);\n";
        methods.append("void " + name + "(long[] d, long[] v, " + selectionParameter
                + "int from, int to, BatchBuilder out, Registers r) {\n");
        calls.forEach(call -> methods.append(call).append(arguments));
        methods.append("}\n");
    }

    private String writeLoop(String name, String selectionParameter, String row, List<Output> outputs) {
        MethodWriter method = new MethodWriter(this);
        ExprCompiler compiler = new ExprCompiler(method);
        StringBuilder head = new StringBuilder();
        for (Output output : outputs) {
            head.append("final long o" + output.column() + " = out.data(" + output.column() + ");\n");
            StoreCode.store(compiler.compile(output.value()), output.column(), row, method);
        }
        methods.append("void " + name + "(long[] d, long[] v, " + selectionParameter
                + "int from, int to, BatchBuilder out, Registers r) {\n");
        methods.append(head);
        method.prologue(nulls).forEach(line -> methods.append(line).append('\n'));
        methods.append("for (int " + row + " = from; " + row + " < to; " + row + "++) {\n");
        if (!selectionParameter.isEmpty()) {
            methods.append("final int i = s[j];\n");
        }
        appendReset(method);
        methods.append(method.body()).append("}\n}\n");
        return name;
    }

    /** A method of its own for part of an expression, whether it uses scratch memory, and whether its result may lie there. */
    record Outlined(String name, boolean usesScratch, boolean scratchResult) {}

    /** Writes a method that computes {@code value} for one row: it returns the first half and leaves the rest in {@link Registers}. */
    Outlined outline(Expr value, DataType type, Val.Form form) {
        String name = "part" + outlined++;
        MethodWriter method = new MethodWriter(this);
        ExprCompiler compiler = new ExprCompiler(method);
        Val result = compiler.inForm(compiler.compileHere(value), type, form);
        StringBuilder text =
                new StringBuilder(result.javaType() + " " + name + "(long[] d, long[] v, int i, Registers r) {\n");
        method.prologue(nulls).forEach(line -> text.append(line).append('\n'));
        text.append(method.body());
        text.append("r.isNull = " + result.isNull() + ";\n");
        switch (form) {
            case WIDE -> text.append("r.high = " + result.high() + ";\n");
            case SPAN -> text.append("r.length = " + result.second() + ";\n");
            case PRIMITIVE, SLOT -> {}
        }
        methods.append(text).append("return " + result.first() + ";\n}\n");
        return new Outlined(name, method.scratch(), result.scratch());
    }
}
