package io.tailwater.executor.runtime;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class StateOwnersTest {
    private static final Schema SCHEMA =
            Schema.of(new Column("k", DataType.BIGINT), new Column("v", DataType.BIGINT.notNull()));
    private static final Traits APPEND_ONLY = new Traits(new Distribution.Any(), true, List.of(), List.of());
    private static final ObjectName NAME = ObjectName.inPublic("v");

    private static PlanNode scan(Traits traits) {
        return new PlanNode.Scan(0, PlanNode.ScanKind.STREAM, NAME, List.of(0, 1), SCHEMA, traits);
    }

    private static PlanNode exchange(PlanNode input, Distribution distribution) {
        return new PlanNode.Exchange(input, distribution, input.traits());
    }

    private static PlanNode byColumns(PlanNode input, Integer... columns) {
        return exchange(input, new Distribution.Hash(List.of(columns)));
    }

    private static PlanNode counts(PlanNode input) {
        return new PlanNode.Aggregate(
                input,
                List.of(0),
                List.of(AggregateCall.of(AggregateFunction.COUNT, DataType.BIGINT.notNull())),
                SCHEMA,
                Traits.NONE);
    }

    private static PlanNode columns(PlanNode input, int first, int second) {
        return new PlanNode.Calc(
                input,
                null,
                List.of(
                        new Expr.Input(first, input.schema().type(first)),
                        new Expr.Input(second, input.schema().type(second))),
                SCHEMA,
                input.traits());
    }

    private static PlanNode join(PlanNode.JoinKind kind, PlanNode left, PlanNode right) {
        Schema schema = Schema.of(
                new Column("k", DataType.BIGINT),
                new Column("v", DataType.BIGINT),
                new Column("k2", DataType.BIGINT),
                new Column("v2", DataType.BIGINT));
        return new PlanNode.Join(left, right, kind, List.of(0), List.of(0), List.of(false), null, schema, Traits.NONE);
    }

    private static JobPlan view(PlanNode root) {
        return new JobPlan(root, new JobPlan.Sink.View(NAME));
    }

    private static boolean movable(PlanNode root) {
        return StateOwners.of(view(root)).obstacle() == null;
    }

    @Test
    void whatIsDealtByItsKeyCanBeDealtAnew() {
        assertThat(movable(counts(byColumns(scan(Traits.NONE), 0)))).isTrue();
        assertThat(movable(columns(counts(byColumns(scan(Traits.NONE), 0)), 0, 1)))
                .isTrue();
        assertThat(movable(exchange(scan(Traits.NONE), new Distribution.Single())))
                .isTrue();
    }

    @Test
    void aTablesRowsAreWhereItsKeyIs() {
        Traits byKey = new Traits(new Distribution.Any(), false, List.of(List.of(0)), List.of());
        PlanNode table = new PlanNode.Scan(0, PlanNode.ScanKind.TABLE, NAME, List.of(0, 1), SCHEMA, byKey);
        PlanNode view = new PlanNode.Scan(0, PlanNode.ScanKind.VIEW, NAME, List.of(0, 1), SCHEMA, byKey);
        assertThat(movable(table)).isTrue();
        assertThat(movable(columns(table, 1, 1))).isFalse();
        assertThat(movable(view)).isFalse();
    }

    @Test
    void aKeyThatIsGoneTellsNothing() {
        PlanNode counts = counts(byColumns(scan(Traits.NONE), 0));
        assertThat(StateOwners.of(view(columns(counts, 1, 1))).obstacle())
                .isEqualTo("what the view holds does not tell which worker it belongs to");
        // The job's own state can be dealt, and a stream has none.
        assertThat(StateOwners.of(new JobPlan(columns(counts, 1, 1), new JobPlan.Sink.Stream(NAME, List.of())))
                        .obstacle())
                .isNull();
    }

    @Test
    void rowsThatAreWhereTheyWereReadMoveOnlyIfTheyStayForEver() {
        assertThat(movable(scan(APPEND_ONLY))).isTrue();
        assertThat(movable(scan(Traits.NONE))).isFalse();
        assertThat(movable(counts(scan(APPEND_ONLY)))).isFalse();
        assertThat(movable(exchange(scan(APPEND_ONLY), new Distribution.Broadcast())))
                .isFalse();
    }

    @Test
    void aGroupMustContainWhatItIsDealtBy() {
        assertThat(movable(counts(byColumns(scan(Traits.NONE), 1)))).isFalse();
        assertThat(movable(counts(byColumns(scan(Traits.NONE), 0, 1)))).isFalse();
    }

    @Test
    void aPaddedRowHasTheKeyOfOneSideOnly() {
        PlanNode left = byColumns(scan(Traits.NONE), 0);
        PlanNode right = byColumns(scan(Traits.NONE), 0);
        assertThat(movable(columns(join(PlanNode.JoinKind.INNER, left, right), 2, 1)))
                .isTrue();
        assertThat(movable(columns(join(PlanNode.JoinKind.LEFT, left, right), 0, 3)))
                .isTrue();
        assertThat(movable(columns(join(PlanNode.JoinKind.LEFT, left, right), 2, 1)))
                .isFalse();
        assertThat(movable(columns(join(PlanNode.JoinKind.RIGHT, left, right), 2, 1)))
                .isTrue();
        assertThat(movable(columns(join(PlanNode.JoinKind.RIGHT, left, right), 0, 3)))
                .isFalse();
        assertThat(movable(join(PlanNode.JoinKind.FULL, left, right))).isFalse();
    }

    @Test
    void aUnionOfWhatIsDealtDifferentlyTellsNothing() {
        PlanNode byFirst = byColumns(scan(Traits.NONE), 0);
        PlanNode bySecond = byColumns(scan(Traits.NONE), 1);
        assertThat(movable(new PlanNode.Union(List.of(byFirst, byFirst), SCHEMA, Traits.NONE)))
                .isTrue();
        assertThat(movable(new PlanNode.Union(List.of(byFirst, bySecond), SCHEMA, Traits.NONE)))
                .isFalse();
    }

    @Test
    void anExternalSystemKnowsTheJobByItsWorkers() {
        assertThat(StateOwners.of(new JobPlan(scan(APPEND_ONLY), new JobPlan.Sink.Connector(NAME)))
                        .obstacle())
                .contains("external system");
    }

    @Test
    void aRowThatWasNotWhereItBelongsIsNotGuessedAbout() {
        MemoryAccount memory = MemoryAccount.unlimited("test");
        StateOwners owners = StateOwners.of(view(exchange(scan(Traits.NONE), new Distribution.Single())));
        try (StateWriter writer = new StateWriter(VnodeRange.ALL, memory)) {
            writer.operator(JobInstance.SINK);
            writer.begin(0, 0, 1);
            writer.putLong(0);
            writer.value();
            writer.end();
            try (StateRows rows = writer.finish(1, 1);
                    StateMove move = new StateMove(owners, rows, 2, 0, 3, memory)) {
                StateReader row = new StateReader(rows.batches().get(0));
                assertThat(row.next()).isTrue();
                assertThatThrownBy(() -> move.takes(row))
                        .isInstanceOf(StreamException.class)
                        .hasMessage(
                                "the state of 2 workers cannot be dealt to 3, because worker 1 has what should be on"
                                        + " worker 0");
            }
        }
        assertThat(memory.usedBytes()).isZero();
        assertThat(ColumnBatch.openBatches()).isZero();
    }
}
