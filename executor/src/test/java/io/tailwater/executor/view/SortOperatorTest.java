package io.tailwater.executor.view;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.harness.DuckOracle;
import io.tailwater.executor.harness.History;
import io.tailwater.executor.harness.RandomRows;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

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

    private static List<List<@Nullable Object>> run(PlanNode.Sort node, History history) {
        MemoryAccount memory = MemoryAccount.unlimited("sort");
        List<List<@Nullable Object>> out = new ArrayList<>();
        OperatorContext context = new OperatorContext(
                memory,
                batch -> {
                    assertThat(batch.weights()).isZero();
                    for (int row = 0; row < batch.rows(); row++) {
                        List<@Nullable Object> values = new ArrayList<>();
                        for (int c = 0; c < batch.columns(); c++) {
                            values.add(Values.get(batch, c, row));
                        }
                        out.add(values);
                    }
                    batch.close();
                },
                0,
                1,
                ZoneOffset.UTC,
                new OperatorContext.TickClock());
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
