package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.executor.operator.OperatorContext.TickClock;
import io.tailwater.testing.ZSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random expressions against DuckDB, of those functions on which both follow PostgreSQL. Values are kept small enough that nothing overflows, and
 * divisors are constants: DuckDB answers a division by zero with NULL.
 */
final class DuckDbTest {
    private static final int EXPRESSIONS = 400;
    private static final int ROWS = 40;
    private static final DataType B = DataType.BOOLEAN;
    private static final DataType L = DataType.BIGINT;
    private static final DataType F = DataType.DOUBLE;
    private static final DataType D = DataType.decimal(9, 2);
    private static final DataType T = DataType.VARCHAR;
    private static final DataType A = DataType.DATE;
    private static final DataType P = DataType.TIMESTAMP;
    private static final Schema SCHEMA = Schema.of(
            new Column("b", B),
            new Column("l", L),
            new Column("m", L),
            new Column("f", F),
            new Column("g", F),
            new Column("d", D),
            new Column("t", T),
            new Column("u", T),
            new Column("a", A),
            new Column("p", P));
    private static final String[] TEXTS = {
        "",
        "a",
        "abc",
        "Abc",
        "%",
        "_b",
        "twelve bytes",
        "thirteen byte",
        "a,b,c",
        " padded ",
        "Istanbul",
        "größe",
        "日本語の文字列です",
        "The quick brown fox jumps"
    };

    /** One expression, as ours and as SQL. */
    private record Both(Expr expr, String sql) {}

    private final Random random = new Random(17);

    @Test
    void generatedCodeAgreesWithDuckDb() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("SET TimeZone = 'UTC'");
            statement.execute(
                    "CREATE TABLE r (id INTEGER, b BOOLEAN, l BIGINT, m BIGINT, f DOUBLE, g DOUBLE, d DECIMAL(9, 2), t"
                            + " VARCHAR, u VARCHAR, a DATE, p TIMESTAMP)");
            List<List<@Nullable Object>> rows = new ArrayList<>();
            for (int id = 0; id < ROWS; id++) {
                rows.add(row());
                statement.execute("INSERT INTO r VALUES (" + id + ", " + sqlRow(rows.get(id)) + ")");
            }
            for (int i = 0; i < EXPRESSIONS; i++) {
                Both both = any(1 + i % 4);
                compare(both, rows, statement);
            }
        }
    }

    private static void compare(Both both, List<List<@Nullable Object>> rows, Statement statement) throws SQLException {
        List<String> expected = new ArrayList<>();
        DataType type = both.expr().type();
        String cast =
                "CAST(" + both.sql() + " AS " + (type.kind() == TypeKind.TIMESTAMP ? "TIMESTAMP" : type.sql()) + ")";
        try (ResultSet result = statement.executeQuery("SELECT " + cast + " FROM r ORDER BY id")) {
            while (result.next()) {
                expected.add(text(fromDuck(result, type)));
            }
        } catch (SQLException e) {
            throw new AssertionError(both.sql(), e);
        }
        List<String> actual = new ArrayList<>();
        MemoryAccount memory = MemoryAccount.unlimited("test");
        try (Projector projector = new Projector(
                        SCHEMA,
                        null,
                        List.of(both.expr()),
                        Schema.of(new Column("value", type)),
                        memory,
                        ZoneOffset.UTC,
                        new TickClock());
                ColumnBatch out = projector.apply(ZSet.batch(SCHEMA, memory, rows, null))) {
            for (int row = 0; out != null && row < out.rows(); row++) {
                actual.add(text(Values.get(out, 0, row)));
            }
        }
        assertThat(memory.usedBytes()).isZero();
        assertThat(actual).as(both.sql() + " over " + rows).isEqualTo(expected);
    }

    private static String text(@Nullable Object value) {
        if (value instanceof Double d) {
            return Double.toString(d + 0.0);
        }
        return value instanceof BigDecimal decimal ? decimal.toPlainString() : String.valueOf(value);
    }

    private static @Nullable Object fromDuck(ResultSet result, DataType type) throws SQLException {
        Object value = result.getObject(1);
        if (value == null) {
            return null;
        }
        return switch (type.kind()) {
            case DATE -> LocalDate.parse(result.getString(1)).toEpochDay();
            case TIMESTAMP ->
                ChronoUnit.MICROS.between(
                        LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC),
                        LocalDateTime.parse(result.getString(1).replace(' ', 'T')));
            default -> value;
        };
    }

    // ---- rows

    private List<@Nullable Object> row() {
        List<@Nullable Object> row = new ArrayList<>();
        for (Column column : SCHEMA.columns()) {
            row.add(random.nextInt(6) == 0 ? null : value(column.type()));
        }
        return row;
    }

    private Object value(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> random.nextBoolean();
            case BIGINT -> (long) random.nextInt(-50, 50);
            case DOUBLE -> random.nextInt(12) == 0 ? (Object) Double.NaN : (Object) (random.nextInt(-100, 100) / 8.0);
            case DECIMAL -> BigDecimal.valueOf(random.nextInt(-9999, 9999), 2);
            case VARCHAR -> TEXTS[random.nextInt(TEXTS.length)];
            case DATE -> (long) random.nextInt(-20_000, 30_000);
            case TIMESTAMP -> random.nextLong(-1_000_000_000_000_000L, 2_000_000_000_000_000L);
            default -> throw new AssertionError(type);
        };
    }

    private static String sqlRow(List<@Nullable Object> row) {
        List<String> values = new ArrayList<>();
        for (int c = 0; c < row.size(); c++) {
            values.add(sqlValue(row.get(c), SCHEMA.type(c)));
        }
        return String.join(", ", values);
    }

    private static String sqlValue(@Nullable Object value, DataType type) {
        if (value == null) {
            return "NULL";
        }
        return switch (type.kind()) {
            case VARCHAR -> "'" + value.toString().replace("'", "''") + "'";
            case DATE -> "DATE '" + LocalDate.ofEpochDay((Long) value) + "'";
            case TIMESTAMP -> "make_timestamp(" + value + "::BIGINT)";
            case DOUBLE -> "'" + value + "'::DOUBLE";
            case BIGINT -> "(" + value + ")::BIGINT";
            case DECIMAL -> "(" + value + ")::" + type.sql();
            default -> value.toString();
        };
    }

    // ---- expressions

    private <X> X one(List<X> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private Both any(int depth) {
        return of(one(List.of(B, B, L, L, F, D, T, T, A, P)), depth);
    }

    private Both leaf(DataType type) {
        List<Both> leaves = new ArrayList<>();
        for (int c = 0; c < SCHEMA.size(); c++) {
            if (SCHEMA.type(c).sameAs(type)) {
                leaves.add(new Both(new Expr.Input(c, type), SCHEMA.column(c).name()));
            }
        }
        return random.nextInt(4) == 0 ? constant(type) : one(leaves);
    }

    private Both constant(DataType type) {
        Object value = value(type);
        return new Both(new Expr.Literal(Scalar.text(value), type), sqlValue(value, type));
    }

    private static Both call(Function function, DataType type, String format, Both... operands) {
        List<Expr> exprs = new ArrayList<>();
        List<String> sqls = new ArrayList<>();
        for (Both operand : operands) {
            exprs.add(operand.expr());
            sqls.add("(" + operand.sql() + ")");
        }
        return new Both(new Expr.Call(function, exprs, type), String.format(Locale.ROOT, format, sqls.toArray()));
    }

    private static Both literal(String value, DataType type) {
        return new Both(new Expr.Literal(value, type), type.kind().isView() ? "'" + value + "'" : value);
    }

    private Both of(DataType type, int depth) {
        int choice = random.nextInt(8);
        if (depth == 0 || choice == 0) {
            return leaf(type);
        }
        if (choice == 1) {
            return call(
                    Function.CASE,
                    type,
                    "CASE WHEN %s THEN %s ELSE %s END",
                    of(B, depth - 1),
                    of(type, depth - 1),
                    of(type, depth - 1));
        }
        if (choice == 2) {
            return call(Function.COALESCE, type, "coalesce(%s, %s)", of(type, depth - 1), of(type, depth - 1));
        }
        return switch (type.kind()) {
            case BOOLEAN -> condition(depth - 1);
            case BIGINT -> integer(depth - 1);
            case DOUBLE -> floating(depth - 1);
            case DECIMAL -> decimal(depth - 1);
            case VARCHAR -> text(depth - 1);
            case DATE -> date(depth - 1);
            case TIMESTAMP -> timestamp(depth - 1);
            default -> throw new AssertionError(type);
        };
    }

    private Both condition(int depth) {
        return switch (random.nextInt(8)) {
            case 0 -> call(Function.AND, B, "%s AND %s", of(B, depth), of(B, depth));
            case 1 -> call(Function.OR, B, "%s OR %s", of(B, depth), of(B, depth));
            case 2 -> call(Function.NOT, B, "NOT %s", of(B, depth));
            case 3 -> call(Function.IS_NULL, B, "%s IS NULL", any(depth));
            case 4 -> call(Function.IS_NOT_TRUE, B, "%s IS NOT TRUE", of(B, depth));
            case 5 ->
                call(
                        Function.LIKE,
                        B,
                        "%s LIKE %s",
                        of(T, depth),
                        literal(one(List.of("%a%", "_b%", "a,%", "%語%", "%e", "____")), T));
            default -> {
                Both left = any(depth);
                Both right = of(left.expr().type(), depth);
                yield switch (random.nextInt(6)) {
                    case 0 -> call(Function.EQ, B, "%s = %s", left, right);
                    case 1 -> call(Function.NE, B, "%s <> %s", left, right);
                    case 2 -> call(Function.LT, B, "%s < %s", left, right);
                    case 3 -> call(Function.GE, B, "%s >= %s", left, right);
                    case 4 -> call(Function.IS_DISTINCT_FROM, B, "%s IS DISTINCT FROM %s", left, right);
                    default -> call(Function.IS_NOT_DISTINCT_FROM, B, "%s IS NOT DISTINCT FROM %s", left, right);
                };
            }
        };
    }

    private Both integer(int depth) {
        return switch (random.nextInt(12)) {
            case 0 -> call(Function.PLUS, L, "%s + %s", of(L, depth), of(L, depth));
            case 1 -> call(Function.MINUS, L, "%s - %s", of(L, depth), of(L, depth));
            case 2 -> call(Function.TIMES, L, "%s * %s", of(L, depth), literal("7", L));
            case 3 -> call(Function.DIVIDE, L, "%s // %s", of(L, depth), literal(one(List.of("7", "3", "1")), L));
            case 4 -> call(Function.MOD, L, "%s %% %s", of(L, depth), literal(one(List.of("7", "3", "1")), L));
            case 5 -> call(Function.ABS, L, "abs(%s)", of(L, depth));
            case 6 -> call(Function.CHAR_LENGTH, L, "length(%s)", of(T, depth));
            case 7 -> call(Function.POSITION, L, "position(%s IN %s)", of(T, depth), of(T, depth));
            case 8 -> call(Function.CAST, L, "CAST(%s AS BIGINT)", of(D, depth));
            case 9 -> call(Function.TRY_CAST, L, "TRY_CAST(%s AS BIGINT)", of(F, depth));
            case 10 -> extract(depth);
            default -> difference(depth);
        };
    }

    private Both extract(int depth) {
        String unit = one(List.of(
                "YEAR",
                "QUARTER",
                "MONTH",
                "WEEK",
                "DAY",
                "DOW",
                "ISODOW",
                "DOY",
                "HOUR",
                "MINUTE",
                "SECOND",
                "MILLISECOND",
                "MICROSECOND"));
        Both operand = of(P, depth);
        return new Both(
                Expr.call(Function.EXTRACT, L, new Expr.Literal(unit, T), operand.expr()),
                "extract(" + unit + " FROM " + operand.sql() + ")");
    }

    private Both difference(int depth) {
        String unit = one(List.of("YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"));
        Both later = of(P, depth);
        Both earlier = of(P, depth);
        return new Both(
                Expr.call(Function.TIMESTAMP_DIFF, L, later.expr(), earlier.expr(), new Expr.Literal(unit, T)),
                "date_sub('" + unit + "', " + earlier.sql() + ", " + later.sql() + ")");
    }

    private Both floating(int depth) {
        return switch (random.nextInt(8)) {
            case 0 -> call(Function.PLUS, F, "%s + %s", of(F, depth), of(F, depth));
            case 1 -> call(Function.MINUS, F, "%s - %s", of(F, depth), of(F, depth));
            case 2 -> call(Function.TIMES, F, "%s * %s", of(F, depth), literal("0.75", F));
            case 3 -> call(Function.DIVIDE, F, "%s / %s", of(F, depth), literal("3.0", F));
            case 4 -> call(Function.FLOOR, F, "floor(%s)", of(F, depth));
            case 5 -> call(Function.CEIL, F, "ceil(%s)", of(F, depth));
            case 6 -> call(Function.CAST, F, "CAST(%s AS DOUBLE)", of(L, depth));
            default -> call(Function.CAST, F, "CAST(%s AS DOUBLE)", of(D, depth));
        };
    }

    /** Sums stay small: operands are leaves. */
    private Both decimal(int depth) {
        Both x = leaf(D);
        return switch (random.nextInt(6)) {
            case 0 -> call(Function.PLUS, D, "CAST(%s + %s AS DECIMAL(9, 2))", x, leaf(D));
            case 1 ->
                call(Function.TIMES, D, "CAST(%s * %s AS DECIMAL(9, 2))", x, literal("1.25", DataType.decimal(3, 2)));
            case 2 -> call(Function.CAST, D, "CAST(%s AS DECIMAL(9, 2))", leaf(L));
            case 3 -> {
                Both rounded = call(Function.CAST, DataType.decimal(8, 1), "CAST(%s AS DECIMAL(8, 1))", x);
                yield call(Function.CAST, D, "CAST(%s AS DECIMAL(9, 2))", rounded);
            }
            case 4 -> call(Function.ABS, D, "abs(%s)", of(D, depth));
            default -> call(Function.NEGATE, D, "-%s", of(D, depth));
        };
    }

    private Both text(int depth) {
        return switch (random.nextInt(13)) {
            case 0 -> call(Function.LOWER, T, "lower(%s)", of(T, depth));
            case 1 -> call(Function.UPPER, T, "upper(%s)", literal(one(List.of("abc", "Hello World 123")), T));
            case 2 -> call(Function.CONCAT, T, "%s || %s", of(T, depth), of(T, depth));
            case 3 -> call(Function.SUBSTRING, T, "substring(%s, %s, %s)", of(T, depth), number(1, 9), number(0, 5));
            case 4 -> call(Function.LEFT, T, "left(%s, %s)", of(T, depth), number(-4, 9));
            case 5 -> call(Function.RIGHT, T, "right(%s, %s)", of(T, depth), number(-4, 9));
            case 6 -> call(Function.REVERSE, T, "reverse(%s)", of(T, depth));
            case 7 ->
                call(
                        Function.REPLACE,
                        T,
                        "replace(%s, %s, %s)",
                        of(T, depth),
                        literal(one(List.of("a", "bc", "e", "本")), T),
                        of(T, depth));
            case 8 ->
                call(Function.TRIM_BOTH, T, "trim(%s, %s)", of(T, depth), literal(one(List.of(" ", "ab", "語")), T));
            case 9 ->
                call(
                        Function.LPAD,
                        T,
                        "lpad(%s, %s, %s)",
                        of(T, depth),
                        number(0, 9),
                        literal(one(List.of(" ", "xy", "語")), T));
            case 10 ->
                call(
                        Function.RPAD,
                        T,
                        "rpad(%s, %s, %s)",
                        of(T, depth),
                        number(0, 9),
                        literal(one(List.of(" ", "xy", "語")), T));
            case 11 ->
                call(
                        Function.CAST,
                        T,
                        "CAST(%s AS VARCHAR)",
                        one(List.of(of(L, depth), of(D, depth), of(A, depth), of(B, depth))));
            default -> call(Function.REPEAT, T, "repeat(%s, %s)", leaf(T), number(0, 3));
        };
    }

    private Both number(int from, int to) {
        return literal(Integer.toString(random.nextInt(from, to)), DataType.INTEGER);
    }

    private Both date(int depth) {
        return random.nextBoolean()
                ? call(Function.CAST, A, "CAST(%s AS DATE)", of(P, depth))
                : new Both(new Expr.Input(8, A), "a");
    }

    private Both timestamp(int depth) {
        Both x = of(P, depth);
        return switch (random.nextInt(4)) {
            case 0 -> call(Function.CAST, P, "CAST(%s AS TIMESTAMP)", of(A, depth));
            case 1 -> {
                int months = random.nextInt(-14, 14);
                DataType interval = new DataType(TypeKind.INTERVAL_YEAR_MONTH, 0, 0, false);
                yield new Both(
                        Expr.call(Function.PLUS, P, x.expr(), new Expr.Literal(Integer.toString(months), interval)),
                        "(" + x.sql() + ") + to_months(" + months + ")");
            }
            case 2 -> {
                long seconds = random.nextInt(-500_000, 500_000);
                DataType interval = new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, false);
                yield new Both(
                        Expr.call(
                                Function.MINUS,
                                P,
                                x.expr(),
                                new Expr.Literal(Long.toString(seconds * 1_000_000), interval)),
                        "(" + x.sql() + ") - to_seconds(" + seconds + ")");
            }
            default -> {
                String unit = one(
                        List.of("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND"));
                yield new Both(
                        Expr.call(Function.FLOOR_TO, P, x.expr(), new Expr.Literal(unit, T)),
                        "date_trunc('" + unit + "', " + x.sql() + ")");
            }
        };
    }
}
