package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.WindowKind;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.testing.ZSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** HOP and CUMULATE against their definitions, row by row. */
final class WindowAssignTest {
    private static final Schema INPUT =
            Schema.of(new Column("name", DataType.VARCHAR), new Column("ts", DataType.TIMESTAMP));
    private static final Schema OUTPUT = Schema.of(
            INPUT.column(0),
            INPUT.column(1),
            new Column("window_start", DataType.TIMESTAMP),
            new Column("window_end", DataType.TIMESTAMP));
    private static final List<List<@Nullable Object>> ROWS = List.of(
            Arrays.asList("a string of more than twelve bytes", 0L),
            Arrays.asList("b", 7L),
            Arrays.asList("c", -1L),
            Arrays.asList("d", null),
            Arrays.asList(null, 29L),
            Arrays.asList("f", 30L));
    private static final long[] WEIGHTS = {1, -1, 2, 1, 1, 3};

    @Test
    void hopAssignsEveryWindowThatHoldsTheTime() {
        for (long[] shape :
                new long[][] {{30, 10, 0}, {30, 10, 3}, {25, 10, 0}, {5, 10, 0}, {10, 10, -4}, {30, 30, 0}}) {
            for (boolean weighted : new boolean[] {false, true}) {
                ZSet expected = new ZSet();
                for (int row = 0; row < ROWS.size(); row++) {
                    Long time = (Long) ROWS.get(row).get(1);
                    for (long start = -300 + shape[2]; time != null && start < 300; start += shape[1]) {
                        if (start <= time && time < start + shape[0]) {
                            expected.add(
                                    weighted ? WEIGHTS[row] : 1, ROWS.get(row).get(0), time, start, start + shape[0]);
                        }
                    }
                }
                assertThat(run(WindowKind.HOP, shape, weighted)).isEqualTo(expected);
            }
        }
    }

    @Test
    void cumulateAssignsEveryStepThatEndsAfterTheTime() {
        for (long[] shape : new long[][] {{30, 10, 0}, {30, 10, 4}, {10, 10, 0}}) {
            for (boolean weighted : new boolean[] {false, true}) {
                ZSet expected = new ZSet();
                for (int row = 0; row < ROWS.size(); row++) {
                    Long time = (Long) ROWS.get(row).get(1);
                    for (long start = -300 + shape[2]; time != null && start < 300; start += shape[0]) {
                        for (long end = start + shape[1]; end <= start + shape[0]; end += shape[1]) {
                            if (start <= time && time < end) {
                                expected.add(
                                        weighted ? WEIGHTS[row] : 1,
                                        ROWS.get(row).get(0),
                                        time,
                                        start,
                                        end);
                            }
                        }
                    }
                }
                assertThat(run(WindowKind.CUMULATE, shape, weighted)).isEqualTo(expected);
            }
        }
    }

    @Test
    void windowsOfASlideThatDividesTheSizeShareTheInputsColumns() {
        MemoryAccount memory = MemoryAccount.unlimited("test");
        ColumnBatch batch = ZSet.batch(INPUT, memory, List.of(Arrays.asList("x", 5L)), null);
        long names = batch.data(0);
        try (WindowAssignOperator operator = operator(WindowKind.HOP, new long[] {20, 10, 0}, memory, out -> {
            assertThat(out.data(0)).isEqualTo(names);
            out.close();
        })) {
            operator.onBatch(0, batch);
        }
        assertThat(memory.usedBytes()).isZero();
    }

    private static ZSet run(WindowKind kind, long[] shape, boolean weighted) {
        MemoryAccount memory = MemoryAccount.unlimited("test");
        long open = ColumnBatch.openBatches();
        ZSet result = new ZSet();
        try (WindowAssignOperator operator = operator(kind, shape, memory, out -> {
            result.addBatch(out);
            out.close();
        })) {
            operator.onBatch(0, ZSet.batch(INPUT, memory, ROWS, weighted ? WEIGHTS : null));
        }
        assertThat(memory.usedBytes()).isZero();
        assertThat(ColumnBatch.openBatches()).isEqualTo(open);
        return result;
    }

    private static WindowAssignOperator operator(
            WindowKind kind, long[] shape, MemoryAccount memory, io.tailwater.executor.operator.Output output) {
        PlanNode input = new PlanNode.Values(List.of(), INPUT, Traits.NONE);
        PlanNode.WindowAssign node =
                new PlanNode.WindowAssign(input, kind, 1, shape[0], shape[1], shape[2], OUTPUT, Traits.NONE);
        return WindowAssignOperator.create(
                node, new OperatorContext(memory, output, 0, 1, ZoneOffset.UTC, new OperatorContext.TickClock()));
    }
}
