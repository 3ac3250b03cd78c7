package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.testing.ZSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The operator round the generated code: what is shared, what is copied, who owns what, and how errors leave it. */
final class CalcOperatorTest {
    private static final DataType BIGINT = DataType.BIGINT;
    private static final DataType VARCHAR = DataType.VARCHAR;
    private static final String LONG = "a text of more than twelve bytes";
    private static final Schema INPUT =
            Schema.of(new Column("id", BIGINT), new Column("name", VARCHAR), new Column("price", BIGINT));
    private static final Expr ID = new Expr.Input(0, BIGINT);
    private static final Expr NAME = new Expr.Input(1, VARCHAR);
    private static final Expr PRICE = new Expr.Input(2, BIGINT);
    private static final List<List<@Nullable Object>> ROWS = List.of(
            Arrays.asList(1L, LONG, 10L),
            Arrays.asList(2L, "b", null),
            Arrays.asList(3L, null, 30L),
            Arrays.asList(null, LONG + LONG, 40L));
    private static final long[] WEIGHTS = {1, -2, 3, -4};

    private final MemoryAccount memory = MemoryAccount.unlimited("test");
    private final OperatorContext.TickClock clock = new OperatorContext.TickClock();
    private final List<ColumnBatch> emitted = new ArrayList<>();
    private long open;

    @BeforeEach
    void countOpenBatches() {
        open = ColumnBatch.openBatches();
    }

    @AfterEach
    void nothingLeaks() {
        emitted.forEach(ColumnBatch::close);
        assertThat(memory.usedBytes()).isZero();
        assertThat(ColumnBatch.openBatches()).isEqualTo(open);
    }

    private CalcOperator calc(@Nullable Expr condition, Expr... projections) {
        List<Column> columns = new ArrayList<>();
        for (Expr projection : projections) {
            columns.add(new Column("c" + columns.size(), projection.type()));
        }
        PlanNode input = new PlanNode.Values(List.of(), INPUT, Traits.NONE);
        return CalcOperator.create(
                new PlanNode.Calc(input, condition, List.of(projections), new Schema(columns), Traits.NONE), context());
    }

    private OperatorContext context() {
        return new OperatorContext(memory, emitted::add, 0, 1, ZoneOffset.UTC, clock);
    }

    private ColumnBatch batch(long @Nullable [] weights) {
        return ZSet.batch(INPUT, memory, ROWS, weights);
    }

    private static Expr literal(String value) {
        return new Expr.Literal(value, BIGINT);
    }

    private static Expr less(Expr a, String value) {
        return Expr.call(Function.LT, DataType.BOOLEAN, a, literal(value));
    }

    @Test
    void columnsThatAllRowsPassAreShared() {
        ColumnBatch batch = batch(WEIGHTS);
        long name = batch.data(1);
        long weights = batch.weights();
        try (CalcOperator calc = calc(null, NAME, Expr.call(Function.PLUS, BIGINT, ID, literal("1")))) {
            calc.onBatch(0, batch);
        }
        assertThat(emitted.get(0).data(0)).isEqualTo(name);
        assertThat(emitted.get(0).weights()).isEqualTo(weights);
        assertThat(new ZSet().addBatch(emitted.get(0)))
                .isEqualTo(new ZSet()
                        .add(1, LONG, 2L)
                        .add(-2, "b", 3L)
                        .add(3, null, 4L)
                        .add(-4, LONG + LONG, null));
    }

    @Test
    void aCalcThatChangesNothingPassesTheBatchItself() {
        ColumnBatch batch = batch(null);
        try (CalcOperator calc = calc(null, ID, NAME, PRICE)) {
            calc.onBatch(0, batch);
        }
        assertThat(emitted).containsExactly(batch);
    }

    @Test
    void aFilterGathersRowsAndWeights() {
        try (CalcOperator calc =
                calc(less(PRICE, "35"), NAME, PRICE, Expr.call(Function.CONCAT, VARCHAR, NAME, NAME), ID)) {
            calc.onBatch(0, batch(WEIGHTS));
            calc.onBatch(0, batch(null));
        }
        assertThat(new ZSet().addBatch(emitted.get(0)))
                .isEqualTo(new ZSet().add(1, LONG, 10L, LONG + LONG, 1L).add(3, null, 30L, null, 3L));
        assertThat(emitted.get(1).weights()).isZero();
    }

    @Test
    void nothingIsEmittedWhenNoRowPassesOrNoneCame() {
        try (CalcOperator calc = calc(less(PRICE, "0"), NAME)) {
            calc.onBatch(0, batch(null));
            calc.onBatch(0, ZSet.batch(INPUT, memory, List.of(), null));
        }
        assertThat(emitted).isEmpty();
    }

    @Test
    void outputsOutliveTheOperatorAndItsConstants() {
        Expr constant = new Expr.Literal(LONG, VARCHAR);
        Expr caseOf = Expr.call(Function.CASE, VARCHAR, less(PRICE, "35"), constant, NAME);
        try (CalcOperator calc = calc(null, caseOf, constant)) {
            calc.onBatch(0, batch(null));
        }
        assertThat(new ZSet().addBatch(emitted.get(0)))
                .isEqualTo(new ZSet()
                        .add(1, LONG, LONG)
                        .add(1, "b", LONG)
                        .add(1, LONG, LONG)
                        .add(1, LONG + LONG, LONG));
    }

    @Test
    void partsOfTextAreViewsOfTheInput() {
        ColumnBatch batch =
                ZSet.batch(INPUT, memory, List.of(Arrays.asList(1L, "https://www.nexmark.com/x/y", 1L)), null);
        Expr split = Expr.call(
                Function.SPLIT_INDEX,
                VARCHAR,
                NAME,
                new Expr.Literal("/", VARCHAR),
                new Expr.Literal("2", DataType.INTEGER));
        long bytes = io.tailwater.api.batch.StringView.bytes(batch.data(1));
        try (CalcOperator calc = calc(null, split)) {
            calc.onBatch(0, batch);
        }
        assertThat(io.tailwater.api.batch.StringView.bytes(emitted.get(0).data(0)))
                .isEqualTo(bytes + 8);
    }

    @Test
    void constantsNeedNoColumns() {
        Schema nothing = Schema.of();
        PlanNode input = new PlanNode.Values(List.of(List.of()), nothing, Traits.NONE);
        Expr constant = new Expr.Literal(LONG, VARCHAR);
        PlanNode.Calc node =
                new PlanNode.Calc(input, null, List.of(constant), Schema.of(new Column("c", VARCHAR)), Traits.NONE);
        try (CalcOperator calc = CalcOperator.create(node, context())) {
            calc.onBatch(0, ZSet.batch(nothing, memory, List.of(List.of(), List.of()), null));
        }
        assertThat(new ZSet().addBatch(emitted.get(0))).isEqualTo(new ZSet().add(2, LONG));
    }

    @Test
    void theClockIsThatOfTheTick() {
        Expr now = new Expr.Call(Function.TICK_TIME, List.of(), DataType.TIMESTAMP_LTZ);
        try (CalcOperator calc = calc(null, now)) {
            clock.set(5);
            calc.onBatch(0, ZSet.batch(INPUT, memory, List.of(ROWS.get(0)), null));
            clock.set(9);
            calc.onBatch(0, ZSet.batch(INPUT, memory, List.of(ROWS.get(0)), null));
        }
        assertThat(emitted).extracting(ColumnBatch::toString).containsExactly("+ 5\n", "+ 9\n");
    }

    @Test
    void anErrorNamesItsRowAndClosesTheBatch() {
        Expr divided = Expr.call(
                Function.DIVIDE, BIGINT, literal("7"), Expr.call(Function.MINUS, BIGINT, PRICE, literal("30")));
        for (Expr condition : new Expr[] {null, less(ID, "9"), less(divided, "100")}) {
            try (CalcOperator calc = calc(condition, NAME, divided)) {
                assertThatThrownBy(() -> calc.onBatch(0, batch(WEIGHTS)))
                        .isInstanceOfSatisfying(
                                StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DIVISION_BY_ZERO))
                        .hasMessage("division by zero\nDETAIL:  row (id=3, name=null, price=30)");
            }
        }
        assertThat(emitted).isEmpty();
    }

    @Test
    void aBudgetThatIsTooSmallIsReportedAndLeaksNothing() {
        MemoryAccount small = new MemoryAccount("small", 1 << 16);
        Expr repeat = Expr.call(Function.REPEAT, VARCHAR, NAME, new Expr.Literal("100000", DataType.INTEGER));
        PlanNode input = new PlanNode.Values(List.of(), INPUT, Traits.NONE);
        PlanNode.Calc node =
                new PlanNode.Calc(input, null, List.of(repeat), Schema.of(new Column("c", VARCHAR)), Traits.NONE);
        try (CalcOperator calc =
                CalcOperator.create(node, new OperatorContext(small, emitted::add, 0, 1, ZoneOffset.UTC, clock))) {
            assertThatThrownBy(() -> calc.onBatch(0, batch(null)))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY));
        }
        assertThat(small.usedBytes()).isZero();
    }

    @Test
    void warmingUpLeavesNothingBehind() {
        Projector.warmUp();
        int classes = KernelCache.size();
        Projector.warmUp();
        assertThat(KernelCache.size()).isEqualTo(classes);
    }

    @Test
    void queriesOfOneShapeShareAClass() {
        try (CalcOperator first = calc(less(PRICE, "35"), Expr.call(Function.PLUS, BIGINT, ID, literal("1")))) {
            first.onBatch(0, batch(null));
        }
        int classes = KernelCache.size();
        try (CalcOperator second = calc(less(ID, "3"), Expr.call(Function.PLUS, BIGINT, PRICE, literal("100")))) {
            second.onBatch(0, batch(null));
        }
        assertThat(KernelCache.size()).isEqualTo(classes);
        assertThat(new ZSet().addBatch(emitted.get(1)))
                .isEqualTo(new ZSet().add(1, 110L).add(1, (Object) null));
    }

    @Test
    void manyProjectionsAreSplitIntoMethodsThatHotSpotCompiles() {
        List<KernelWriter.Output> outputs = new ArrayList<>();
        DataType decimal = DataType.decimal(38, 2);
        Expr wide = Expr.call(Function.CAST, decimal, PRICE);
        for (int c = 0; c < 300; c++) {
            Expr literal = new Expr.Literal(BigDecimal.valueOf(c, 2).toPlainString(), decimal);
            outputs.add(new KernelWriter.Output(c, Expr.call(Function.TIMES, decimal, wide, literal)));
        }
        for (boolean nulls : new boolean[] {false, true}) {
            byte[] kernel = KernelCache.compile(new KernelWriter(nulls).write(less(ID, "7"), outputs));
            assertThat(MethodSizes.largest(kernel)).isLessThan(KernelCache.MAX_METHOD_BYTES);
        }
    }

    @Test
    void expressionsOfEveryKindStayWithinTheLimit() {
        for (long seed = 1; seed <= 8; seed++) {
            RandomExpr random = new RandomExpr(new Random(seed));
            List<KernelWriter.Output> outputs = new ArrayList<>();
            for (int c = 0; c < 8; c++) {
                outputs.add(new KernelWriter.Output(c, Shape.normal(random.any(5))));
            }
            Expr condition = Shape.normal(random.of(DataType.BOOLEAN, 6));
            byte[] kernel = KernelCache.compile(new KernelWriter(true).write(condition, outputs));
            assertThat(MethodSizes.largest(kernel)).as("seed " + seed).isLessThan(KernelCache.MAX_METHOD_BYTES);
        }
    }

    @Test
    void predicatesSelectRowsAndBorrowTheBatch() {
        int[] selection = new int[4];
        try (ColumnBatch batch = batch(null);
                BatchPredicate predicate = BatchPredicate.create(
                        Expr.call(
                                Function.AND,
                                DataType.BOOLEAN,
                                less(PRICE, "50"),
                                Expr.call(Function.IS_NOT_NULL, DataType.BOOLEAN, NAME)),
                        INPUT,
                        context())) {
            assertThat(predicate.select(batch, selection)).isEqualTo(2);
            assertThat(selection).startsWith(0, 3);
        }
    }

    @Test
    void aPredicatesErrorNamesItsRow() {
        Expr divides = less(
                Expr.call(
                        Function.DIVIDE, BIGINT, literal("1"), Expr.call(Function.MINUS, BIGINT, PRICE, literal("40"))),
                "5");
        try (ColumnBatch batch = batch(null);
                BatchPredicate predicate = BatchPredicate.create(divides, INPUT, context())) {
            assertThatThrownBy(() -> predicate.select(batch, new int[4])).hasMessageContaining("price=40");
        }
    }
}
