package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The body of one generated method while it grows: lines, variables, and which values are known in which block. The variable {@code i} is the
 * current input row, {@code r} the registers.
 */
final class MethodWriter {
    private final KernelWriter kernel;
    private final StringBuilder body = new StringBuilder();
    private final Deque<Map<Object, Val>> scopes = new ArrayDeque<>();
    private final SortedSet<Integer> slots = new TreeSet<>();
    private final SortedSet<Integer> constants = new TreeSet<>();
    private int variables;
    private boolean scratch;

    MethodWriter(KernelWriter kernel) {
        this.kernel = kernel;
        scopes.push(new HashMap<>());
    }

    KernelWriter kernel() {
        return kernel;
    }

    void line(String line) {
        body.append(line).append('\n');
    }

    /** A position at which {@link #insert} may put a declaration later. */
    int mark() {
        return body.length();
    }

    void insert(int mark, String text) {
        body.insert(mark, text);
    }

    String fresh(String prefix) {
        return prefix + variables++;
    }

    /** Emits a variable of this value; constants and variables are returned as they are. */
    String variable(String javaType, String code) {
        String name = fresh("x");
        line("final " + javaType + " " + name + " = " + code + ";");
        return name;
    }

    /** A boolean expression, as a variable unless it is a constant. */
    String flag(String code) {
        return code.equals("true") || code.equals("false") ? code : variable("boolean", code);
    }

    void open(String head) {
        line(head + " {");
        scopes.push(new HashMap<>());
    }

    void otherwise() {
        scopes.pop();
        line("} else {");
        scopes.push(new HashMap<>());
    }

    void close() {
        scopes.pop();
        line("}");
    }

    @Nullable Val known(Object key) {
        for (Map<Object, Val> scope : scopes) {
            Val value = scope.get(key);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    void remember(Object key, Val value) {
        scopes.element().put(key, value);
    }

    /** The variable that holds the address of a column's values, and its number. */
    String data(Expr.Input input) {
        int slot = kernel.slot(input);
        slots.add(slot);
        return "d" + slot;
    }

    String validity(Expr.Input input) {
        int slot = kernel.slot(input);
        slots.add(slot);
        return "v" + slot;
    }

    /** The variable that holds a new constant. */
    String constant(String javaType, Object value) {
        int number = kernel.constant(javaType, value);
        constants.add(number);
        return "k" + number;
    }

    /** Notes that strings are built here, so that scratch memory must be reset before each row. */
    void usesScratch() {
        scratch = true;
    }

    boolean scratch() {
        return scratch;
    }

    /** Declarations of what the body uses. */
    List<String> prologue(boolean nulls) {
        List<String> lines = new ArrayList<>();
        for (int slot : slots) {
            lines.add("final long d" + slot + " = d[" + slot + "];");
            if (nulls) {
                lines.add("final long v" + slot + " = v[" + slot + "];");
            }
        }
        for (int number : constants) {
            lines.add("final " + kernel.constantType(number) + " k" + number + " = this.k" + number + ";");
        }
        return lines;
    }

    String body() {
        return body.toString();
    }
}
