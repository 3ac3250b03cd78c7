package io.tailwater.executor.harness;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.testing.ZSet;
import org.jspecify.annotations.Nullable;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs one operator over a history in some mode, checks what every operator must keep, and returns what its output adds up to. */
public final class OperatorHarness {
    private final List<Schema> inputs;
    private final boolean[] weighted;
    private final Function<OperatorContext, Operator> factory;
    private final IntFunction<List<Long>> watermarks;

    /** How a tick's changes are cut into batches. */
    public enum Mode {
        WHOLE,
        ROW_BY_ROW,
        RANDOM_CUTS
    }

    /**
     * What a run showed.
     *
     * @param stateRows after each tick
     * @param late what went to the side output, in all
     */
    public record Result(
            List<ZSet> afterTick,
            List<Long> rowsOut,
            List<Long> stateRows,
            Operator.StateSize atEnd,
            boolean sawWeights,
            ZSet late) {
        public ZSet last() {
            return afterTick.get(afterTick.size() - 1);
        }
    }

    /**
     * @param weighted per input, whether its batches have weights (a history for an input without must have +1 only)
     */
    public OperatorHarness(List<Schema> inputs, boolean[] weighted, Function<OperatorContext, Operator> factory) {
        this(inputs, weighted, factory, tick -> List.of());
    }

    private OperatorHarness(
            List<Schema> inputs,
            boolean[] weighted,
            Function<OperatorContext, Operator> factory,
            IntFunction<List<Long>> watermarks) {
        this.inputs = inputs;
        this.weighted = weighted.clone();
        this.factory = factory;
        this.watermarks = watermarks;
    }

    /** The same, with the watermarks of each tick of the history (0-based). */
    public OperatorHarness withWatermarks(IntFunction<List<Long>> ofTick) {
        return new OperatorHarness(inputs, weighted, factory, ofTick);
    }

    public Result run(History history, Mode mode, Random random) {
        return run(history, mode, random, new MemoryAccount("harness", 1L << 30));
    }

    /**
     * What several workers' outputs add up to after the last tick, each worker fed with the rows that belong to it.
     *
     * @param owner the worker of a change, or -1 if every worker gets it
     */
    public ZSet runOnWorkers(int workers, History history, ToIntFunction<History.Change> owner, Random random) {
        ZSet sum = new ZSet();
        for (int w = 0; w < workers; w++) {
            int worker = w;
            List<List<History.Change>> ticks = new ArrayList<>();
            for (List<History.Change> tick : history.ticks()) {
                ticks.add(tick.stream()
                        .filter(c -> owner.applyAsInt(c) == worker || owner.applyAsInt(c) < 0)
                        .toList());
            }
            ZSet share = run(
                            new History(history.inputs(), ticks),
                            Mode.RANDOM_CUTS,
                            random,
                            new MemoryAccount("harness", 1L << 30),
                            worker,
                            workers)
                    .last();
            share.rows().forEach((row, weight) -> sum.addRow(weight, new ArrayList<>(row)));
        }
        return sum;
    }

    /** The worker of a row by its key's vnode. */
    public int owner(int input, History.Change change, int[] key, int workers) {
        MemoryAccount memory = MemoryAccount.unlimited("owner");
        try (ColumnBatch batch = batch(input, List.of(change), memory)) {
            return Hashing.vnode(Hashing.hashKey(batch, key, 0)) % workers;
        }
    }

    /** Runs again with less memory than it took: it must fail with 53200, or by luck succeed, and leak nothing either way. */
    public void runShortOfMemory(History history, Random random) {
        MemoryAccount enough = new MemoryAccount("harness", 1L << 30);
        run(history, Mode.WHOLE, random, enough);
        MemoryAccount less = new MemoryAccount("short", random.nextLong(enough.peakBytes() + 1));
        try {
            run(history, Mode.RANDOM_CUTS, random, less);
        } catch (StreamException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY);
        }
    }

    private Result run(History history, Mode mode, Random random, MemoryAccount memory) {
        return run(history, mode, random, memory, 0, 1);
    }

    private Result run(History history, Mode mode, Random random, MemoryAccount memory, int worker, int workers) {
        MemoryAccount feeding = MemoryAccount.unlimited("input");
        long open = ColumnBatch.openBatches();
        Output output = new Output();
        Operator.StateSize size;
        try (Operator operator = factory.apply(output.context(memory, worker, workers))) {
            long number = random.nextInt(3);
            for (List<History.Change> tick : history.ticks()) {
                feed(operator, tick, mode, random, feeding);
                operator.onTickEnd(new Tick(number, number * 1000, watermarks.apply(output.after.size())));
                number += 1 + random.nextInt(3);
                output.tickEnded(operator);
            }
            size = operator.stateSize();
        } finally {
            assertThat(memory.usedBytes()).as("bytes leaked").isZero();
            assertThat(feeding.usedBytes()).as("bytes of input leaked").isZero();
            assertThat(ColumnBatch.openBatches()).as("batches leaked").isEqualTo(open);
        }
        return output.result(size);
    }

    /**
     * Runs twice: undisturbed, and with snapshots after some ticks and the operator replaced now and then by one that takes over from them and repeats the ticks since.
     * Checks that this makes no difference to the output, nor to the state that is left.
     */
    public Result runRestoring(History history, Random random) {
        return runRestoring(history, random, true);
    }

    /** The same where an operator may let go of state at other times once it was restored: only the output is compared. */
    public Result runRestoringOutput(History history, Random random) {
        return runRestoring(history, random, false);
    }

    private Result runRestoring(History history, Random random, boolean compareState) {
        long open = ColumnBatch.openBatches();
        Result undisturbed;
        Result restored;
        try (SnapshottedRun run = new SnapshottedRun(this, history, random, 0)) {
            undisturbed = run.run();
            try (SnapshottedRun other = new SnapshottedRun(
                    this, history, random, 3 + history.ticks().size() / 10)) {
                restored = other.run();
                assertThat(restored.afterTick()).as("output").isEqualTo(undisturbed.afterTick());
                assertThat(restored.late()).as("late rows").isEqualTo(undisturbed.late());
                if (compareState) {
                    assertThat(restored.rowsOut()).as("rows emitted").isEqualTo(undisturbed.rowsOut());
                    assertThat(restored.stateRows()).as("rows of state").isEqualTo(undisturbed.stateRows());
                    assertThat(other.state()).as("state").isEqualTo(run.state());
                    if (run.state().isEmpty()) {
                        // What was taken over has been given back too.
                        assertThat(restored.atEnd().bytes())
                                .as("bytes of no state")
                                .isLessThanOrEqualTo(undisturbed.atEnd().bytes());
                    }
                }
            }
        }
        assertThat(ColumnBatch.openBatches()).as("batches leaked").isEqualTo(open);
        return restored;
    }

    Operator create(OperatorContext context) {
        return factory.apply(context);
    }

    List<Long> watermarks(int tick) {
        return watermarks.apply(tick);
    }

    /** What comes out of an operator, tick by tick. */
    static final class Output {
        private final List<ZSet> after = new ArrayList<>();
        private final List<Long> rowsOut = new ArrayList<>();
        private final List<Long> stateRows = new ArrayList<>();
        private ZSet integrated = new ZSet();
        private ZSet late = new ZSet();
        private boolean sawWeights;
        private long rows;

        OperatorContext context(MemoryAccount memory, int worker, int workers) {
            return new OperatorContext(
                    memory,
                    batch -> {
                        sawWeights |= batch.weights() != 0;
                        rows += batch.rows();
                        integrated.addBatch(batch);
                        batch.close();
                    },
                    (reader, batch) -> {
                        late.addBatch(batch);
                        batch.close();
                    },
                    worker,
                    workers,
                    ZoneOffset.UTC,
                    new OperatorContext.TickClock());
        }

        void tickEnded(Operator operator) {
            assertThat(integrated.rows().values()).as("output weights").allMatch(w -> w > 0);
            after.add(copy(integrated));
            rowsOut.add(rows);
            stateRows.add(operator.stateSize().rows());
            rows = 0;
        }

        int ticks() {
            return after.size();
        }

        /** This as of now, to go on with from here. */
        Output copy() {
            Output out = new Output();
            out.after.addAll(after);
            out.rowsOut.addAll(rowsOut);
            out.stateRows.addAll(stateRows);
            out.integrated = copy(integrated);
            out.late = copy(late);
            out.sawWeights = sawWeights;
            return out;
        }

        Result result(Operator.StateSize size) {
            return new Result(after, rowsOut, stateRows, size, sawWeights, late);
        }

        private static ZSet copy(ZSet from) {
            ZSet out = new ZSet();
            from.rows().forEach((row, weight) -> out.addRow(weight, new ArrayList<>(row)));
            return out;
        }
    }

    void feed(Operator operator, List<History.Change> tick, Mode mode, Random random, MemoryAccount memory) {
        int from = 0;
        while (from < tick.size()) {
            int input = tick.get(from).input();
            int limit = switch (mode) {
                case WHOLE -> Integer.MAX_VALUE;
                case ROW_BY_ROW -> 1;
                case RANDOM_CUTS -> 1 + random.nextInt(5);
            };
            int to = from;
            while (to < tick.size() && to - from < limit && tick.get(to).input() == input) {
                to++;
            }
            operator.onBatch(input, batch(input, tick.subList(from, to), memory));
            from = to;
        }
    }

    private ColumnBatch batch(int input, List<History.Change> changes, MemoryAccount memory) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        long[] weights = new long[changes.size()];
        for (int i = 0; i < weights.length; i++) {
            rows.add(changes.get(i).row());
            weights[i] = changes.get(i).weight();
            assertThat(weighted[input] || weights[i] == 1).isTrue();
        }
        return ZSet.batch(inputs.get(input), memory, rows, weighted[input] ? weights : null);
    }
}
