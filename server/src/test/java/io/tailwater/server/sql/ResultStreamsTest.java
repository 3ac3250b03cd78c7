package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.server.sql.ResultStream.Next;
import io.tailwater.testing.ZSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class ResultStreamsTest {
    private static final Schema SCHEMA =
            Schema.of(new Column("n", DataType.BIGINT.notNull()), new Column("b", DataType.BOOLEAN));

    private final MemoryAccount memory = MemoryAccount.unlimited("test");

    @AfterEach
    void nothingLeaks() {
        assertThat(memory.usedBytes()).isZero();
    }

    private Next rows(long tick, long weight, long n) {
        List<List<Object>> row = List.of(List.of(n, true));
        return new Next.Rows(ZSet.batch(SCHEMA, memory, row, weight == 1 ? null : new long[] {weight}), tick, 7);
    }

    /** The same, with more rows of its tick to come. */
    private static Next more(Next step) {
        Next.Rows rows = (Next.Rows) step;
        return new Next.Rows(rows.batch(), rows.tick(), rows.watermarkMicros(), false);
    }

    private static List<String> drain(ResultStream stream) {
        List<String> out = new ArrayList<>();
        while (true) {
            Next next = stream.next(0);
            if (next instanceof Next.Rows rows) {
                ColumnBatch batch = rows.batch();
                assertThat(batch.weights()).isZero();
                for (int row = 0; row < batch.rows(); row++) {
                    out.add(rows.tick() + " " + BatchRows.describe(batch, BatchRows.allColumns(batch.columns()), row));
                }
                batch.close();
            } else if (next instanceof Next.Quiet quiet) {
                out.add("quiet " + quiet.tick());
            } else {
                stream.close();
                return out;
            }
        }
    }

    @Test
    void aBoundedResultRepeatsRowsByWeight() {
        List<Next> steps = List.of(rows(1, 1, 1), rows(1, 3, 2), rows(1, 0, 3), new Next.Quiet(1, 7), rows(1, 2, 4));
        assertThat(drain(new ExpandedResult(new ScriptedResult(steps), SCHEMA, memory)))
                .containsExactly(
                        "1 (1, true)",
                        "1 (2, true)",
                        "1 (2, true)",
                        "1 (2, true)",
                        "quiet 1",
                        "1 (4, true)",
                        "1 (4, true)");
    }

    @Test
    void aRowOfGreatWeightIsCutIntoBatches() {
        List<String> lines = drain(new ExpandedResult(new ScriptedResult(List.of(rows(1, 5_000, 9))), SCHEMA, memory));
        assertThat(lines).hasSize(5_000).containsOnly("1 (9, true)");
    }

    @Test
    void aNegativeRowInABoundedResultIsADefectAndLeaksNothing() {
        ResultStream stream = new ExpandedResult(new ScriptedResult(List.of(rows(1, -1, 1))), SCHEMA, memory);
        assertThatThrownBy(() -> stream.next(0)).isInstanceOf(AssertionError.class);
        stream.close();
    }

    @Test
    void aTickIsConvertedAsAWhole() {
        List<Next> steps = List.of(
                more(rows(1, 1, 1)),
                new Next.Quiet(0, 7),
                rows(1, 1, 2),
                more(rows(2, -1, 2)),
                rows(2, 1, 3),
                rows(3, -1, 3));
        ResultStream stream =
                new ChangelogResult(new ScriptedResult(steps), new ChangelogRows(SCHEMA, List.of(List.of()), memory));
        assertThat(drain(stream))
                .containsExactly(
                        "quiet 0",
                        "1 ('+I', 1, true)",
                        "1 ('+I', 2, true)",
                        "2 ('-U', 2, true)",
                        "2 ('+U', 3, true)",
                        "3 ('-D', 3, true)");
    }

    @Test
    void closingEarlyFreesWhatWasRead() {
        ScriptedResult source = new ScriptedResult(List.of(rows(1, 1, 1), rows(2, 1, 2), rows(3, 1, 3)));
        ResultStream stream = new ChangelogResult(source, new ChangelogRows(SCHEMA, List.of(), memory));
        Next first = stream.next(0);
        assertThat(first)
                .isInstanceOfSatisfying(Next.Rows.class, rows -> rows.batch().close());
        stream.close();
        stream.close();
        assertThat(source.closed).isTrue();
    }

    @Test
    void aListedResultEndsWhenCancelled() {
        ResultStream stream = new BatchesResult(BatchRows.of(SCHEMA, List.of(List.of(1L, true)), memory));
        stream.cancel();
        assertThatThrownBy(() -> stream.next(0))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUERY_CANCELED));
        stream.close();
    }
}
