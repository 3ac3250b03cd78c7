package io.tailwater.executor.runtime;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.message.FromWorker;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.api.message.TickPlan;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.Tick;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The second of two workers, fed by hand. All messages are in its mailbox before it runs. */
final class WorkerTest {
    private static final Schema SCHEMA = Schema.of(new Column("k", DataType.BIGINT.notNull()));

    private final MemoryAccount memory = MemoryAccount.unlimited("test");
    private final List<FromWorker> toMaster = new ArrayList<>();

    @Test
    void aTickEndsAlthoughItsLastJobFailsOnAPeersRows() {
        ToWorker.Deploy job = exchangedAggregate();
        TickPlan.JobTick input = new TickPlan.JobTick(1, List.of(), List.of(Tick.NO_WATERMARK));
        run(
                job,
                new ToWorker.RunTick(new TickPlan(7, 0, false, List.of(input), 1)),
                new ToWorker.Data(7, 1, 0, row(5)),
                new ToWorker.End(7, 1, 0));
        assertThat(toMaster.get(0))
                .isInstanceOfSatisfying(
                        FromWorker.Failed.class,
                        failed -> assertThat(failed.error()).hasMessage("no"));
        assertThat(toMaster.get(1)).isInstanceOfSatisfying(FromWorker.Done.class, done -> {
            assertThat(done.tick()).isEqualTo(7);
            assertThat(done.jobs()).isEmpty();
        });
        assertThat(toMaster).hasSize(2);
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void rowsThatComeBeforeTheTickWaitForIt() {
        run(
                exchangedAggregate(),
                new ToWorker.Data(7, 1, 0, row(5)),
                new ToWorker.End(7, 1, 0),
                new ToWorker.RunTick(new TickPlan(
                        7, 0, false, List.of(new TickPlan.JobTick(1, List.of(), List.of(Tick.NO_WATERMARK))), 1)));
        assertThat(toMaster).hasSize(2);
        assertThat(toMaster.get(1)).isInstanceOf(FromWorker.Done.class);
        assertThat(memory.usedBytes()).isZero();
    }

    private ToWorker.Deploy exchangedAggregate() {
        PlanNode scan = new PlanNode.Scan(
                0, PlanNode.ScanKind.STREAM, new ObjectName("public", "s"), List.of(0), SCHEMA, Traits.NONE);
        PlanNode moved = new PlanNode.Exchange(scan, new Distribution.Hash(List.of(0)), Traits.NONE);
        PlanNode grouped = new PlanNode.Aggregate(moved, List.of(0), List.of(), SCHEMA, Traits.NONE);
        return new ToWorker.Deploy(
                1,
                "job",
                new JobPlan(grouped, new JobPlan.Sink.View(new ObjectName("public", "v"))),
                "UTC",
                List.of(List.of("only")),
                List.of(List.of(0L)),
                List.of(-1L, -1L),
                false,
                null);
    }

    private ColumnBatch row(long value) {
        try (BatchBuilder out = new BatchBuilder(SCHEMA, 1, false, memory)) {
            Mem.putLong(out.data(0), value);
            return out.finish(1);
        }
    }

    private void run(ToWorker... messages) {
        Mailbox own = new Mailbox();
        for (ToWorker message : messages) {
            own.put(message);
        }
        own.put(new ToWorker.Stop());
        new Worker(
                        1,
                        List.of(new Mailbox(), own),
                        new NoServices(),
                        (node, context) -> new Refusing(),
                        memory,
                        Clock.SYSTEM,
                        toMaster::add)
                .run();
    }

    /** Fails on every row. */
    private record Refusing() implements Operator {
        @Override
        public void onBatch(int input, ColumnBatch batch) {
            batch.close();
            throw new StreamException(ErrorCode.DATA_EXCEPTION, "no");
        }

        @Override
        public void onTickEnd(Tick tick) {}

        @Override
        public void close() {}
    }

    private record NoServices() implements WorkerServices {
        @Override
        public SplitReader open(PlanNode.Scan scan, String split, int number, MemoryAccount memory) {
            throw new AssertionError("the only split is the other worker's");
        }

        @Override
        public JobSink sink(ToWorker.Deploy job, int worker, int workers, MemoryAccount memory) {
            return new Discarding();
        }

        @Override
        public void started(ToWorker.Deploy job, int worker, JobInstance instance) {}

        @Override
        public void stopped(long job, int worker) {}
    }

    private record Discarding() implements JobSink {
        @Override
        public void onBatch(ColumnBatch batch) {
            batch.close();
        }

        @Override
        public SinkOutcome onTickEnd(Tick tick, boolean muted) {
            return SinkOutcome.NONE;
        }

        @Override
        public void close() {}
    }
}
