package io.tailwater.server.control;

import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.message.FromWorker;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Tick;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** Two splits, one of which falls silent: the watermark, tick by tick. */
final class IdleSplitsTest {
    private static final long SECOND = 1_000_000;
    private static final EventTime TIME = new EventTime(SECOND, 5 * SECOND);
    private static final JobPlan PLAN = new JobPlan(
            new PlanNode.Scan(
                    0,
                    PlanNode.ScanKind.STREAM,
                    ObjectName.inPublic("s"),
                    List.of(0),
                    Schema.of(new Column("x", DataType.BIGINT)),
                    Traits.NONE),
            new JobPlan.Sink.Stream(ObjectName.inPublic("t"), List.of()));

    private final List<ControlRecord> log = new ArrayList<>();
    private ApplicationMaster master = new ApplicationMaster("a", 1, new ApplicationMaster.Pace(0, 1), -1);
    private long wakeAfter;
    private long now = 1000 * SECOND;

    @Test
    void aSilentSplitHoldsTheWatermarkBackOnlyUntilItIsIdleAndAgainWhenItSpeaks() {
        start();
        assertThat(watermark()).isEqualTo(Tick.NO_WATERMARK);
        offer(0, 0, 10 * SECOND);
        // A split counts from its first frame on.
        assertThat(watermark()).isEqualTo(9 * SECOND);
        offer(1, 0, 12 * SECOND);
        assertThat(watermark()).isEqualTo(9 * SECOND);
        now += 2 * SECOND;
        offer(1, 1, 20 * SECOND);
        assertThat(watermark()).isEqualTo(9 * SECOND);
        // Nothing comes any more, but split 0 falls idle: 5 s after it moved last, all by itself.
        assertThat(wakeAfter).isEqualTo(3 * SECOND);
        now += wakeAfter;
        execute(master.decide(new Event.Woken(), now));
        assertThat(watermark()).isEqualTo(19 * SECOND);
        assertThat(wakeAfter).isZero();
        // Split 1 is silent too by now, but nobody is ahead of it: it is not idle.
        now += 100 * SECOND;
        offer(0, 1, 15 * SECOND);
        assertThat(watermark()).isEqualTo(19 * SECOND);
        offer(0, 2, 40 * SECOND);
        assertThat(watermark()).isEqualTo(39 * SECOND);
        offer(1, 2, 41 * SECOND);
        offer(0, 3, 50 * SECOND);
        assertThat(watermark()).isEqualTo(40 * SECOND);
    }

    @Test
    void aRestartGoesOnWithTheWatermarksThatWereBound() {
        start();
        offer(0, 0, 10 * SECOND);
        now += SECOND;
        offer(1, 0, 30 * SECOND);
        now += 5 * SECOND;
        execute(master.decide(new Event.Woken(), now));
        assertThat(watermark()).isEqualTo(29 * SECOND);
        List<Long> before = watermarks();
        master = new ApplicationMaster("a", 1, new ApplicationMaster.Pace(0, 1), -1);
        SortedMap<String, JobPlan> wanted = new TreeMap<>();
        wanted.put("j", PLAN);
        execute(master.recover(recovery(List.copyOf(log), wanted), now));
        assertThat(watermarks()).isEqualTo(before);
        now += SECOND;
        offer(0, 1, 20 * SECOND);
        assertThat(watermark()).isEqualTo(29 * SECOND);
    }

    /** An application's partition of a stream that only clients write to is such a split. */
    @Test
    void aSplitThatNeverSpokeHoldsNothingBackAfterARestart() {
        start();
        offer(0, 0, 10 * SECOND);
        assertThat(watermark()).isEqualTo(9 * SECOND);
        master = new ApplicationMaster("a", 1, new ApplicationMaster.Pace(0, 1), -1);
        SortedMap<String, JobPlan> wanted = new TreeMap<>();
        wanted.put("j", PLAN);
        execute(master.recover(recovery(List.copyOf(log), wanted), now));
        offer(0, 1, 20 * SECOND);
        assertThat(watermark()).isEqualTo(19 * SECOND);
        offer(1, 0, 15 * SECOND);
        offer(1, 1, 22 * SECOND);
        offer(0, 2, 30 * SECOND);
        assertThat(watermark()).isEqualTo(21 * SECOND);
    }

    private void start() {
        execute(master.recover(recovery(List.of(), new TreeMap<>()), now));
        execute(master.decide(
                new Event.StartJob(
                        "j", PLAN, "UTC", List.of(List.of("a", "b")), List.of(List.of(0L, 0L)), List.of(TIME)),
                now));
    }

    private static ApplicationMaster.Recovery recovery(List<ControlRecord> log, SortedMap<String, JobPlan> wanted) {
        return new ApplicationMaster.Recovery(null, "", log, wanted, (name, plan) -> List.of(TIME), origin -> {
            throw new AssertionError(origin);
        });
    }

    private void offer(int split, long from, long time) {
        execute(master.decide(
                new Event.Worker(new FromWorker.Offers(
                        0,
                        List.of(new FromWorker.Offer(
                                1, 0, split, from, from + 1, 1, SplitReader.NO_TIME, time, false, 0)))),
                now));
    }

    /** Each tick is done at once. */
    private void execute(List<Command> commands) {
        wakeAfter = 0;
        for (Command command : commands) {
            if (command instanceof Command.Append append) {
                log.add(append.record());
            } else if (command instanceof Command.WakeAfter wake) {
                wakeAfter = wake.micros();
            } else if (command instanceof Command.SendAll send && send.message() instanceof ToWorker.CatchUp) {
                execute(master.decide(new Event.Worker(new FromWorker.CaughtUp(0)), now));
            } else if (command instanceof Command.SendAll send && send.message() instanceof ToWorker.RunTick run) {
                execute(master.decide(
                        new Event.Worker(new FromWorker.Done(
                                0,
                                run.plan().tick(),
                                List.of(new FromWorker.JobOutcome(1, SinkOutcome.NONE, 1, 1)),
                                List.of(),
                                1)),
                        now));
            }
        }
    }

    private long watermark() {
        List<Long> all = watermarks();
        return all.get(all.size() - 1);
    }

    private List<Long> watermarks() {
        List<Long> out = new ArrayList<>();
        for (ControlRecord record : log) {
            if (record instanceof ControlRecord.Bind bind) {
                out.add(bind.readers().get(0).watermark());
            }
        }
        return out;
    }
}
