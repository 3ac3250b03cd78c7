package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Three-valued logic, comparisons by type, and what branches may and may not evaluate. */
final class LogicTest {
    private static final DataType BOOLEAN = DataType.BOOLEAN;
    private static final Boolean[] TRUTHS = {true, false, null};
    private static final Expr DIVIDES_BY_ZERO = Expr.call(
            Function.EQ,
            BOOLEAN,
            Expr.call(
                    Function.DIVIDE,
                    DataType.BIGINT,
                    new Expr.Literal("1", DataType.BIGINT),
                    new Expr.Input(0, DataType.BIGINT)),
            new Expr.Literal("1", DataType.BIGINT));

    @Test
    void andOrNotFollowKleene() {
        for (Boolean a : TRUTHS) {
            assertThat(eval(Function.NOT, a)).isEqualTo(a == null ? null : !a);
            for (Boolean b : TRUTHS) {
                for (Boolean c : TRUTHS) {
                    assertThat(eval(Function.AND, a, b, c)).isEqualTo(and(a, and(b, c)));
                    assertThat(eval(Function.OR, a, b, c)).isEqualTo(or(a, or(b, c)));
                }
            }
        }
    }

    private static @Nullable Boolean and(@Nullable Boolean a, @Nullable Boolean b) {
        if (Boolean.FALSE.equals(a) || Boolean.FALSE.equals(b)) {
            return false;
        }
        return (a == null || b == null) ? null : Boolean.TRUE;
    }

    private static @Nullable Boolean or(@Nullable Boolean a, @Nullable Boolean b) {
        if (Boolean.TRUE.equals(a) || Boolean.TRUE.equals(b)) {
            return true;
        }
        return (a == null || b == null) ? null : Boolean.FALSE;
    }

    private static @Nullable Object eval(Function function, @Nullable Boolean... operands) {
        return Scalar.eval(
                function,
                BOOLEAN,
                Arrays.stream(operands).map(o -> Scalar.of(BOOLEAN, o)).toArray(Scalar.Operand[]::new));
    }

    @Test
    void truthTestsAreNeverNull() {
        for (Boolean a : TRUTHS) {
            assertThat(eval(Function.IS_NULL, a)).isEqualTo(a == null);
            assertThat(eval(Function.IS_NOT_NULL, a)).isEqualTo(a != null);
            assertThat(eval(Function.IS_TRUE, a)).isEqualTo(a != null && a);
            assertThat(eval(Function.IS_NOT_TRUE, a)).isEqualTo(a == null || !a);
            assertThat(eval(Function.IS_FALSE, a)).isEqualTo(a != null && !a);
            assertThat(eval(Function.IS_NOT_FALSE, a)).isEqualTo(a == null || a);
            for (Boolean b : TRUTHS) {
                assertThat(eval(Function.IS_DISTINCT_FROM, a, b)).isEqualTo(!Objects.equals(a, b));
                assertThat(eval(Function.IS_NOT_DISTINCT_FROM, a, b)).isEqualTo(Objects.equals(a, b));
            }
        }
    }

    /** Per type, values in ascending order, no two equal. */
    private static List<List<Object>> ascending() {
        return List.of(
                List.of(DataType.BOOLEAN, false, true),
                List.of(DataType.TINYINT, -128L, 0L, 127L),
                List.of(DataType.SMALLINT, -32768L, 0L, 32767L),
                List.of(DataType.INTEGER, (long) Integer.MIN_VALUE, -1L, 0L, (long) Integer.MAX_VALUE),
                List.of(DataType.BIGINT, Long.MIN_VALUE, -1L, 0L, 1L, Long.MAX_VALUE),
                List.of(DataType.REAL, Float.NEGATIVE_INFINITY, -1.5f, 0f, Float.POSITIVE_INFINITY, Float.NaN),
                List.of(DataType.DOUBLE, Double.NEGATIVE_INFINITY, -1.5, 0d, Double.POSITIVE_INFINITY, Double.NaN),
                List.of(
                        DataType.decimal(10, 2),
                        new BigDecimal("-1.50"),
                        new BigDecimal("0.00"),
                        new BigDecimal("99999999.99")),
                List.of(
                        DataType.decimal(38, 2),
                        new BigDecimal("-999999999999999999999999999999999999.99"),
                        new BigDecimal("-92233720368547758.09"),
                        new BigDecimal("-92233720368547758.08"),
                        new BigDecimal("0.00"),
                        new BigDecimal("184467440737095516.15"),
                        new BigDecimal("184467440737095516.16")),
                List.of(
                        DataType.VARCHAR,
                        "",
                        "a",
                        "a\u0000",
                        "aa",
                        "aaaa",
                        "aaaab",
                        "twelve bytes",
                        "twelve bytes and more",
                        "twelve bytes and nore",
                        "z",
                        "\u00e9",
                        "\uD83D\uDE00"),
                List.of(DataType.DATE, -1L, 0L, 20000L),
                List.of(DataType.TIME, 0L, 1L),
                List.of(DataType.TIMESTAMP, -1L, 0L, 1L),
                List.of(DataType.TIMESTAMP_LTZ, -1L, 0L, 1L));
    }

    @Test
    void comparisonsFollowTheOrderOfEachType() {
        for (List<Object> values : ascending()) {
            DataType type = (DataType) values.get(0);
            for (int i = 1; i < values.size(); i++) {
                for (int j = 1; j < values.size(); j++) {
                    Scalar.Operand a = Scalar.of(type, values.get(i));
                    Scalar.Operand b = Scalar.of(type, values.get(j));
                    String pair = a + " " + b;
                    assertThat(Scalar.eval(Function.EQ, BOOLEAN, a, b)).as(pair).isEqualTo(i == j);
                    assertThat(Scalar.eval(Function.LT, BOOLEAN, a, b)).as(pair).isEqualTo(i < j);
                    if (i == j + 1) {
                        assertThat(Scalar.eval(Function.NE, BOOLEAN, a, b))
                                .as(pair)
                                .isEqualTo(true);
                        assertThat(Scalar.eval(Function.LE, BOOLEAN, a, b))
                                .as(pair)
                                .isEqualTo(false);
                        assertThat(Scalar.eval(Function.GT, BOOLEAN, a, b))
                                .as(pair)
                                .isEqualTo(true);
                        assertThat(Scalar.eval(Function.IS_DISTINCT_FROM, BOOLEAN, a, b))
                                .isEqualTo(true);
                        assertThat(Scalar.eval(Function.GREATEST, type, a, b)).isEqualTo(values.get(i));
                        assertThat(Scalar.eval(Function.LEAST, type, a, b)).isEqualTo(values.get(j));
                    }
                }
            }
            Scalar.Operand some = Scalar.of(type, values.get(1));
            Scalar.Operand none = Scalar.of(type, null);
            assertThat(Scalar.eval(Function.EQ, BOOLEAN, some, none)).isNull();
            assertThat(Scalar.eval(Function.GREATEST, type, some, none)).isNull();
            assertThat(Scalar.eval(Function.IS_DISTINCT_FROM, BOOLEAN, some, none))
                    .isEqualTo(true);
            assertThat(Scalar.eval(Function.IS_NOT_DISTINCT_FROM, BOOLEAN, none, none))
                    .isEqualTo(true);
            assertThat(Scalar.eval(Function.COALESCE, type, none, some, none)).isEqualTo(values.get(1));
            assertThat(Scalar.eval(Function.COALESCE, type, none, none)).isNull();
            assertThat(Scalar.eval(
                            Function.CASE, type, Scalar.of(BOOLEAN, false), none, Scalar.of(BOOLEAN, true), some, none))
                    .isEqualTo(values.get(1));
        }
    }

    @Test
    void minusZeroEqualsZero() {
        assertThat(Scalar.eval(Function.EQ, BOOLEAN, Scalar.of(DataType.DOUBLE, -0.0), Scalar.of(DataType.DOUBLE, 0.0)))
                .isEqualTo(true);
        assertThat(Scalar.eval(Function.LT, BOOLEAN, Scalar.of(DataType.DOUBLE, -0.0), Scalar.of(DataType.DOUBLE, 0.0)))
                .isEqualTo(false);
    }

    @Test
    void decimalsOfDifferentScaleCompareByValue() {
        Scalar.Operand a = Scalar.of(DataType.decimal(38, 0), new BigDecimal("12345678901234567890123456789012345678"));
        Scalar.Operand b =
                Scalar.of(DataType.decimal(38, 38), new BigDecimal("0.12345678901234567890123456789012345678"));
        Scalar.Operand c = Scalar.of(DataType.decimal(5, 3), new BigDecimal("1.500"));
        Scalar.Operand d = Scalar.of(DataType.decimal(20, 1), new BigDecimal("1.5"));
        assertThat(Scalar.eval(Function.GT, BOOLEAN, a, b)).isEqualTo(true);
        assertThat(Scalar.eval(Function.EQ, BOOLEAN, c, d)).isEqualTo(true);
        assertThat(Scalar.eval(Function.LT, BOOLEAN, b, c)).isEqualTo(true);
        assertThat(Scalar.eval(Function.LT, BOOLEAN, c, Scalar.of(DataType.BIGINT, 2)))
                .isEqualTo(true);
    }

    @Test
    void anOperandThatDecidesKeepsTheErrorsToItsRightFromBeingRaised() {
        Expr zero = new Expr.Literal("0", DataType.BIGINT);
        Expr isZero = Expr.call(Function.EQ, BOOLEAN, new Expr.Input(0, DataType.BIGINT), zero);
        Expr notZero = Expr.call(Function.NE, BOOLEAN, new Expr.Input(0, DataType.BIGINT), zero);
        List<Column> columns = List.of(new Column("x", DataType.BIGINT));
        List<Object> row = List.of(0L);
        assertThat(Scalar.eval(Expr.call(Function.AND, BOOLEAN, notZero, DIVIDES_BY_ZERO), columns, row))
                .isEqualTo(false);
        assertThat(Scalar.eval(Expr.call(Function.OR, BOOLEAN, isZero, DIVIDES_BY_ZERO), columns, row))
                .isEqualTo(true);
        assertThat(Scalar.eval(
                        Expr.call(Function.CASE, BOOLEAN, isZero, new Expr.Literal("false", BOOLEAN), DIVIDES_BY_ZERO),
                        columns,
                        row))
                .isEqualTo(false);
        assertThat(Scalar.eval(Expr.call(Function.COALESCE, BOOLEAN, isZero, DIVIDES_BY_ZERO), columns, row))
                .isEqualTo(true);
        assertThatThrownBy(() -> Scalar.eval(Expr.call(Function.AND, BOOLEAN, isZero, DIVIDES_BY_ZERO), columns, row))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DIVISION_BY_ZERO))
                .hasMessageContaining("x=0");
    }

    @Test
    void filtersSkipTheErrorsThatALeftConditionExcludes() {
        Expr notZero = Expr.call(
                Function.NE, BOOLEAN, new Expr.Input(0, DataType.BIGINT), new Expr.Literal("0", DataType.BIGINT));
        Expr guarded = Expr.call(Function.AND, BOOLEAN, notZero, DIVIDES_BY_ZERO);
        Expr caseOf = Expr.call(
                Function.CASE, BOOLEAN, guarded, new Expr.Literal("true", BOOLEAN), new Expr.Literal("false", BOOLEAN));
        assertThat(Scalar.eval(caseOf, List.of(new Column("x", DataType.BIGINT)), List.of(0L)))
                .isEqualTo(false);
        assertThat(Scalar.eval(caseOf, List.of(new Column("x", DataType.BIGINT)), List.of(1L)))
                .isEqualTo(true);
    }

    @Test
    void requireNotNullNamesTheColumn() {
        Scalar.Operand name = Scalar.of(DataType.VARCHAR, "price");
        assertThat(Scalar.eval(Function.REQUIRE_NOT_NULL, DataType.BIGINT, Scalar.of(DataType.BIGINT, 7), name))
                .isEqualTo(7L);
        assertThatThrownBy(() ->
                        Scalar.eval(Function.REQUIRE_NOT_NULL, DataType.BIGINT, Scalar.of(DataType.BIGINT, null), name))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_NULL_VIOLATION))
                .hasMessageContaining("\"price\"");
    }

    @Test
    void requireLengthCutsBlanksAndRefusesWhatIsStillTooLong() {
        Scalar.Operand name = Scalar.of(DataType.VARCHAR, "code");
        DataType three = DataType.varchar(3);
        assertThat(Scalar.eval(Function.REQUIRE_LENGTH, three, Scalar.of(DataType.VARCHAR, "äöü"), name))
                .isEqualTo("äöü");
        assertThat(Scalar.eval(Function.REQUIRE_LENGTH, three, Scalar.of(DataType.VARCHAR, "äöü  "), name))
                .isEqualTo("äöü");
        assertThat(Scalar.eval(Function.REQUIRE_LENGTH, three, Scalar.of(DataType.VARCHAR, null), name))
                .isNull();
        assertThatThrownBy(
                        () -> Scalar.eval(Function.REQUIRE_LENGTH, three, Scalar.of(DataType.VARCHAR, "abc d"), name))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STRING_TOO_LONG))
                .hasMessageContaining("\"code\"");
    }

    @Test
    void longOperandListsAndDeepExpressionsAreSplitIntoMethodsThatHotSpotCompiles() {
        DataType type = DataType.decimal(30, 4);
        List<Expr> ors = new ArrayList<>();
        List<Expr> cases = new ArrayList<>();
        Expr deep = new Expr.Input(0, DataType.BIGINT);
        Expr input = new Expr.Input(0, DataType.BIGINT);
        for (int i = 0; i < 200; i++) {
            Expr isI =
                    Expr.call(Function.EQ, BOOLEAN, input, new Expr.Literal(Integer.toString(3 * i), DataType.BIGINT));
            ors.add(isI);
            cases.add(isI);
            cases.add(Expr.call(Function.PLUS, type, new Expr.Input(1, type), new Expr.Literal(i + ".5000", type)));
            deep = Expr.call(Function.PLUS, DataType.BIGINT, deep, new Expr.Literal("1", DataType.BIGINT));
        }
        cases.add(new Expr.Literal(null, type));
        List<Column> columns = List.of(new Column("x", DataType.BIGINT), new Column("y", type));
        List<Object> row = List.of(300L, new BigDecimal("1.2500"));
        Expr in = new Expr.Call(Function.OR, ors, BOOLEAN);
        Expr caseOf = new Expr.Call(Function.CASE, cases, type);
        assertThat(Scalar.eval(in, columns, row)).isEqualTo(true);
        assertThat(Scalar.eval(in, columns, List.of(301L, new BigDecimal("1.2500"))))
                .isEqualTo(false);
        assertThat(Scalar.eval(caseOf, columns, row)).isEqualTo(new BigDecimal("101.7500"));
        assertThat(Scalar.eval(deep, columns, row)).isEqualTo(500L);
        for (Expr expr : List.of(in, caseOf, deep)) {
            for (boolean nulls : new boolean[] {true, false}) {
                assertThat(MethodSizes.largest(expr, nulls)).isLessThan(KernelCache.MAX_METHOD_BYTES);
            }
        }
    }
}
