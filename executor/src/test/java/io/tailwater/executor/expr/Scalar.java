package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.OperatorContext.TickClock;
import io.tailwater.testing.ZSet;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Evaluates one function application every way the engine can: operands as columns or as literals, in a batch with and without NULLs, with and
 * without a filter. All ways must agree, and nothing may leak.
 */
final class Scalar {
    static final ZoneId ZONE = ZoneId.of("Europe/Berlin");
    /** 2020-09-13T12:26:40Z. */
    static final long CLOCK = 1_600_000_000_000_000L;

    private Scalar() {}

    /** An operand: a type and a value in the form of {@link Values}. */
    record Operand(DataType type, @Nullable Object value) {
        Expr.Literal literal() {
            return new Expr.Literal(text(value), type);
        }
    }

    static Operand of(DataType type, @Nullable Object value) {
        return new Operand(type, value instanceof Integer i ? Long.valueOf(i) : value);
    }

    static @Nullable String text(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        return value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString();
    }

    /** The value of {@code function} on these operands; throws what the engine throws. */
    static @Nullable Object eval(Function function, DataType type, Operand... operands) {
        List<Expr> inputs = new ArrayList<>();
        List<Expr> literals = new ArrayList<>();
        List<@Nullable Object> row = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        for (Operand operand : operands) {
            literals.add(operand.literal());
            inputs.add(
                    isUnit(function, inputs.size())
                            ? operand.literal()
                            : new Expr.Input(inputs.size(), operand.type()));
            row.add(operand.value());
            columns.add(new Column("c" + columns.size(), operand.type()));
        }
        Expr byColumns = new Expr.Call(function, inputs, type);
        Expr byLiterals = new Expr.Call(function, literals, type);
        Outcome columnsOutcome = outcome(byColumns, columns, row);
        Outcome literalsOutcome = outcome(byLiterals, columns, row);
        assertThat(literalsOutcome.comparable()).as("literals against columns").isEqualTo(columnsOutcome.comparable());
        if (columnsOutcome.error() != null) {
            throw columnsOutcome.error();
        }
        return columnsOutcome.value();
    }

    /** Units and column names are always literals. */
    private static boolean isUnit(Function function, int index) {
        return switch (function) {
            case EXTRACT -> index == 0;
            case FLOOR_TO, CEIL_TO, REQUIRE_NOT_NULL, REQUIRE_LENGTH -> index == 1;
            case TIMESTAMP_DIFF -> index == 2;
            default -> false;
        };
    }

    /** The value of an expression over one row, as computed every way. */
    static @Nullable Object eval(Expr expr, List<Column> columns, List<@Nullable Object> row) {
        Outcome outcome = outcome(expr, columns, row);
        if (outcome.error() != null) {
            throw outcome.error();
        }
        return outcome.value();
    }

    record Outcome(@Nullable Object value, @Nullable StreamException error) {
        Object comparable() {
            if (error != null) {
                return error.code();
            }
            return value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value);
        }
    }

    private static Outcome outcome(Expr expr, List<Column> columns, List<@Nullable Object> row) {
        List<Column> marked = new ArrayList<>(columns);
        marked.add(new Column("marker", DataType.BOOLEAN));
        Schema schema = new Schema(marked);
        List<@Nullable Object> first = new ArrayList<>(row);
        first.add(true);
        List<@Nullable Object> nulls = Arrays.asList(new Object[marked.size()]);
        Outcome alone = run(expr, schema, List.of(first), null);
        Outcome filtered =
                run(expr, schema, List.of(nulls, first, nulls), new Expr.Input(columns.size(), DataType.BOOLEAN));
        assertThat(filtered.comparable()).as("among NULLs, filtered").isEqualTo(alone.comparable());
        return alone;
    }

    private static Outcome run(Expr expr, Schema schema, List<List<@Nullable Object>> rows, @Nullable Expr condition) {
        MemoryAccount memory = MemoryAccount.unlimited("test");
        long open = ColumnBatch.openBatches();
        TickClock clock = new TickClock();
        clock.set(CLOCK);
        Outcome outcome;
        try (Projector projector = new Projector(
                schema, condition, List.of(expr), Schema.of(new Column("value", expr.type())), memory, ZONE, clock)) {
            Object[] value = new Object[1];
            Throwable thrown = catchThrowable(() -> {
                try (ColumnBatch out = requireNonNull(projector.apply(ZSet.batch(schema, memory, rows, null)))) {
                    assertThat(out.rows()).isEqualTo(1);
                    value[0] = Values.get(out, 0, 0);
                }
            });
            if (thrown != null && !(thrown instanceof StreamException)) {
                throw new AssertionError(expr.toString(), thrown);
            }
            outcome = new Outcome(value[0], (StreamException) thrown);
        }
        assertThat(memory.usedBytes()).as("leak of " + expr).isZero();
        assertThat(ColumnBatch.openBatches()).as("open batches after " + expr).isEqualTo(open);
        return outcome;
    }
}
