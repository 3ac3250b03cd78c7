package io.tailwater.api.plan;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.tailwater.common.type.DataType;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A scalar expression over the columns of one row. SQL's three-valued logic throughout. Immutable. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "expr")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Expr.Input.class, name = "input"),
    @JsonSubTypes.Type(value = Expr.Literal.class, name = "literal"),
    @JsonSubTypes.Type(value = Expr.Call.class, name = "call")
})
public sealed interface Expr {
    DataType type();

    /** The value of input column {@code index}, 0-based; for a join's residual, left columns come first. */
    record Input(int index, DataType type) implements Expr {
        @Override
        public String toString() {
            return "$" + index;
        }
    }

    /**
     * A constant in canonical text, or NULL. Numbers are as {@code BigDecimal.toPlainString()} or {@code Double.toString} give them; BOOLEAN is
     * true or false; DATE is days, TIME, TIMESTAMP(_LTZ) and day-time intervals are microseconds, year-month intervals are months, each a decimal
     * integer; VARCHAR is the text itself; VARBINARY is hex.
     */
    record Literal(@Nullable String value, DataType type) implements Expr {
        @Override
        public String toString() {
            return value == null ? "NULL" : type.kind().isView() ? "'" + value.replace("'", "''") + "'" : value;
        }
    }

    /** A function applied to operands. What each function expects is said at {@link Function}. */
    record Call(Function function, List<Expr> operands, DataType type) implements Expr {
        public Call {
            operands = List.copyOf(operands);
        }

        @Override
        public String toString() {
            if (function == Function.CAST) {
                return "CAST(" + operands.get(0) + " AS " + type.sql() + ")";
            }
            String infix = function.infix();
            if (infix != null && operands.size() >= 2) {
                return operands.stream().map(Expr::toString).collect(Collectors.joining(" " + infix + " ", "(", ")"));
            }
            return function + operands.stream().map(Expr::toString).collect(Collectors.joining(", ", "(", ")"));
        }
    }

    static Expr call(Function function, DataType type, Expr... operands) {
        return new Call(function, Arrays.asList(operands), type);
    }
}
