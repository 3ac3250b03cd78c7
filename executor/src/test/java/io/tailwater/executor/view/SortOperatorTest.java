package io.tailwater.executor.view;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.harness.DuckOracle;
import io.tailwater.executor.harness.History;
import io.tailwater.executor.harness.RandomRows;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Output;
import io.tailwater.executor.operator.Tick;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

final class SortOperatorTest {
    /** Rows in order, duplicates and all, equal DuckDB's, for any keys, offset and limit; ties are broken by the other columns. */
    @Property(tries = 60)
    void equalsDuckDb(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Schema schema = rows.schema(1 + random.nextInt(4));
        History history = rows.history(
                List.of(schema), new boolean[1], 1, random.nextInt(10) == 0 ? 3000 : 60, 5 + random.nextInt(20));
        List<SortKey> keys = new ArrayList<>();
        List<SortKey> all = new ArrayList<>();
        for (int c = 0; c < schema.size(); c++) {
            if (random.nextBoolean()) {
                keys.add(new SortKey(c, random.nextBoolean(), random.nextBoolean()));
            }
        }
        all.addAll(keys);
        for (int c = 0; c < schema.size(); c++) {
            int column = c;
            if (keys.stream().noneMatch(k -> k.column() == column)) {
                all.add(new SortKey(c, false, false));
            }
        }
        long offset = random.nextInt(3) == 0 ? random.nextInt(10) : 0;
        long limit = random.nextInt(3) == 0 ? random.nextInt(20) : -1;
        PlanNode.Sort node = new PlanNode.Sort(
                new PlanNode.Values(List.of(), schema, Traits.NONE), keys, offset, limit, Traits.NONE);
        String sql = "SELECT * FROM t ORDER BY " + DuckOracle.orderBy(all) + (limit < 0 ? "" : " LIMIT " + limit)
                + " OFFSET " + offset;
        try (DuckOracle duck = new DuckOracle()) {
            duck.table("t", schema, history.content(0, 0));
            assertThat(run(node, history)).as(sql).isEqualTo(duck.list(sql, schema));
        }
    }

    @Test
    void aLimitOverALongInputKeepsFewRows() {
        Schema schema = Schema.of(new Column("v", DataType.BIGINT.notNull()), new Column("s", DataType.VARCHAR));
        Traits appendOnly = new Traits(new Distribution.Any(), true, List.of(), List.of());
        PlanNode.Sort node = new PlanNode.Sort(
                new PlanNode.Values(List.of(), schema, appendOnly),
                List.of(new SortKey(0, true, false)),
                3,
                5,
                Traits.NONE);
        MemoryAccount memory = MemoryAccount.unlimited("sort");
        List<Object> out = new ArrayList<>();
        try (SortOperator sort = SortOperator.create(node, context(memory, b -> {
            for (int row = 0; row < b.rows(); row++) {
                out.add(Values.get(b, 0, row));
            }
            b.close();
        }))) {
            long next = 0;
            for (int b = 0; b < 100; b++) {
                List<List<Object>> rows = new ArrayList<>();
                for (int i = 0; i < 1000; i++) {
                    rows.add(List.of(next * 7919 % 100_003, "a text that does not fit inline " + next));
                    next++;
                }
                sort.onBatch(0, ZSet.batch(schema, memory, rows, null));
                assertThat(sort.stateSize().rows()).isLessThan(20_000);
            }
            sort.onTickEnd(new Tick(0, 0, List.of()));
        }
        assertThat(out).isEqualTo(expectedTop(100_000));
        assertThat(memory.usedBytes()).isZero();
    }

    private static List<Long> expectedTop(long rows) {
        return LongStream.range(0, rows)
                .map(i -> -(i * 7919 % 100_003))
                .sorted()
                .skip(3)
                .limit(5)
                .mapToObj(v -> -v)
                .toList();
    }

    private static OperatorContext context(MemoryAccount memory, Output output) {
        return new OperatorContext(memory, output, 0, 1, ZoneOffset.UTC, new OperatorContext.TickClock());
    }

    private static List<List<@Nullable Object>> run(PlanNode.Sort node, History history) {
        MemoryAccount memory = MemoryAccount.unlimited("sort");
        List<List<@Nullable Object>> out = new ArrayList<>();
        OperatorContext context = context(memory, batch -> {
            assertThat(batch.weights()).isZero();
            for (int row = 0; row < batch.rows(); row++) {
                List<@Nullable Object> values = new ArrayList<>();
                for (int c = 0; c < batch.columns(); c++) {
                    values.add(Values.get(batch, c, row));
                }
                out.add(values);
            }
            batch.close();
        });
        try (SortOperator sort = SortOperator.create(node, context)) {
            List<History.Change> changes = history.ticks().get(0);
            ColumnBatch batch = ZSet.batch(
                    node.schema(),
                    memory,
                    changes.stream().map(History.Change::row).toList(),
                    changes.stream().mapToLong(History.Change::weight).toArray());
            sort.onBatch(0, batch);
            sort.onTickEnd(new Tick(0, 0, List.of()));
        }
        assertThat(memory.usedBytes()).isZero();
        return out;
    }
}
