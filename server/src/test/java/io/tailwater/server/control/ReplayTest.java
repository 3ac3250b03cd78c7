package io.tailwater.server.control;

import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.message.TickPlan;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

final class ReplayTest {
    private static final Schema SCHEMA =
            Schema.of(new Column("ts", DataType.TIMESTAMP.notNull()), new Column("arrival", DataType.BIGINT.notNull()));
    private static final PlanNode SCAN = new PlanNode.Scan(
            0, PlanNode.ScanKind.STREAM, ObjectName.inPublic("s"), List.of(0, -1), SCHEMA, Traits.NONE);
    private static final PlanNode.Retention RETENTION = new PlanNode.Retention(0, List.of(new PlanNode.Bound(0, 0)));

    private static List<Replay.Step.Tick> ticksOf(PlanNode root) {
        JobPlan plan = new JobPlan(root, new JobPlan.Sink.View(ObjectName.inPublic("v")));
        PlanChange.Start start =
                new PlanChange.Start(7, "j", plan, "UTC", List.of(List.of("p0")), List.of(List.of(0L)), null);
        List<ControlRecord> log = new ArrayList<>();
        log.add(new ControlRecord.Owner(1, 0));
        log.add(LogRecords.plan(1, 1, 1, start));
        for (long tick = 1; tick <= 3; tick++) {
            TickPlan.JobTick job = new TickPlan.JobTick(
                    7, List.of(new TickPlan.InputRange(0, 0, tick * 10, tick * 10 + 10, 10)), List.of(tick * 100));
            log.add(LogRecords.bind(1, tick, 1, tick * 1000, List.of(job), id -> start));
            log.add(new ControlRecord.Commit(1, tick, List.of(), List.of()));
        }
        TreeMap<String, JobPlan> wanted = new TreeMap<>();
        wanted.put("j", plan);
        return new Replay(null, log, wanted)
                .steps().stream()
                        .filter(Replay.Step.Tick.class::isInstance)
                        .map(Replay.Step.Tick.class::cast)
                        .toList();
    }

    @Test
    void ticksBecomeOneWherePlansCannotTell() {
        List<PlanNode> plans = List.of(
                SCAN,
                new PlanNode.Aggregate(SCAN, List.of(0), List.of(), SCHEMA, Traits.NONE),
                new PlanNode.SessionAssign(SCAN, List.of(), 0, 5, SCHEMA, Traits.NONE, null),
                new PlanNode.SetOperation(SCAN, SCAN, PlanNode.SetKind.EXCEPT, true, SCHEMA, Traits.NONE));
        for (PlanNode plan : plans) {
            List<Replay.Step.Tick> ticks = ticksOf(plan);
            assertThat(ticks).as("%s", plan).hasSize(1);
            assertThat(ticks.get(0).jobs().get(0).ranges()).containsExactly(new TickPlan.InputRange(0, 0, 10, 40, 30));
            assertThat(ticks.get(0).jobs().get(0).watermarks()).containsExactly(300L);
        }
    }

    @Test
    void ticksStayApartWherePlansJudgeByTheOneBefore() {
        PlanNode late = new PlanNode.LateFilter(SCAN, 0, 1, 0, 0, Traits.NONE);
        List<PlanNode> plans = List.of(
                late,
                new PlanNode.Calc(late, null, List.of(), SCHEMA, Traits.NONE),
                new PlanNode.WindowClose(SCAN, 0, List.of(new PlanNode.Bound(0, 0)), Traits.NONE),
                new PlanNode.Aggregate(SCAN, List.of(0), List.of(), SCHEMA, Traits.NONE, RETENTION),
                new PlanNode.SessionAssign(SCAN, List.of(), 0, 5, SCHEMA, Traits.NONE, RETENTION),
                new PlanNode.TopN(
                        SCAN,
                        List.of(0),
                        List.of(new SortKey(1, false, false)),
                        0,
                        1,
                        false,
                        SCHEMA,
                        Traits.NONE,
                        RETENTION),
                new PlanNode.Calc(
                        SCAN,
                        null,
                        List.of(new Expr.Call(Function.TICK_TIME, List.of(), DataType.TIMESTAMP_LTZ.notNull())),
                        SCHEMA,
                        Traits.NONE));
        for (PlanNode plan : plans) {
            List<Replay.Step.Tick> ticks = ticksOf(plan);
            assertThat(ticks.stream().map(Replay.Step.Tick::tick))
                    .as("%s", plan)
                    .containsExactly(1L, 2L, 3L);
            assertThat(ticks.get(1).jobs().get(0).watermarks()).containsExactly(200L);
        }
    }
}
