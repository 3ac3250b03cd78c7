package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.plan.Expr;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.OperatorContext.TickClock;
import io.tailwater.testing.ZSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Random expressions over random rows: generated code against {@link Interpreter}, value by value and error by error. */
final class ExpressionPropertyTest {
    private static final int EXPRESSIONS = 200;
    private static final int ROWS = 60;

    @Test
    void generatedCodeMeansWhatTheInterpreterSays() {
        for (long seed = 1; seed <= EXPRESSIONS; seed++) {
            check(seed);
        }
    }

    private static void check(long seed) {
        Random random = new Random(seed);
        RandomExpr generator = new RandomExpr(random);
        Expr expr = generator.any(1 + (int) (seed % 5));
        Expr condition = seed % 3 == 0 ? generator.of(DataType.BOOLEAN, 2) : null;
        double nulls = seed % 2 == 0 ? 0.2 : 0;
        List<List<@Nullable Object>> good = new ArrayList<>();
        List<@Nullable Object> expected = new ArrayList<>();
        String about = "seed " + seed + ": " + expr + (condition == null ? "" : " where " + condition);
        int errors = 0;
        for (int i = 0; i < ROWS; i++) {
            List<@Nullable Object> row = RandomValues.row(RandomExpr.SCHEMA, random, nulls);
            try {
                boolean passes = condition == null || Interpreter.isTrue(condition, row);
                Object value = passes ? Interpreter.eval(expr, row) : null;
                good.add(row);
                if (passes) {
                    expected.add(value);
                }
            } catch (StreamException e) {
                if (errors++ < 5) {
                    fails(expr, condition, row, e.code(), about);
                }
            }
        }
        List<@Nullable Object> actual = run(expr, condition, good, about);
        assertThat(actual.size()).as(about).isEqualTo(expected.size());
        for (int i = 0; i < actual.size(); i++) {
            assertThat(normal(actual.get(i)))
                    .as("%s, output row %d of %s", about, i, good)
                    .isEqualTo(normal(expected.get(i)));
        }
    }

    /** Zeros of either sign are one value. */
    private static @Nullable Object normal(@Nullable Object value) {
        return value instanceof Double d ? (Double) (d + 0.0) : value;
    }

    private static void fails(
            Expr expr, @Nullable Expr condition, List<@Nullable Object> row, ErrorCode code, String about) {
        assertThatThrownBy(() -> run(expr, condition, List.of(row), about))
                .as("%s of %s", about, row)
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private static List<@Nullable Object> run(
            Expr expr, @Nullable Expr condition, List<List<@Nullable Object>> rows, String about) {
        MemoryAccount memory = MemoryAccount.unlimited("test");
        long open = ColumnBatch.openBatches();
        List<@Nullable Object> values = new ArrayList<>();
        try (Projector projector = new Projector(
                        RandomExpr.SCHEMA,
                        condition,
                        List.of(expr, new Expr.Input(5, DataType.BIGINT)),
                        Schema.of(new Column("value", expr.type()), new Column("l1", DataType.BIGINT)),
                        memory,
                        ZoneOffset.UTC,
                        new TickClock());
                ColumnBatch out = projector.apply(ZSet.batch(RandomExpr.SCHEMA, memory, rows, null))) {
            for (int row = 0; out != null && row < out.rows(); row++) {
                values.add(Values.get(out, 0, row));
            }
        } finally {
            assertThat(memory.usedBytes()).as("leak, " + about).isZero();
            assertThat(ColumnBatch.openBatches()).isEqualTo(open);
        }
        return Objects.requireNonNull(values);
    }
}
