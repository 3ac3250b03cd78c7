package io.tailwater.executor.harness;

import io.tailwater.testing.ZSet;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Changes to some inputs, tick by tick.
 *
 * @param inputs how many there are
 */
public record History(int inputs, List<List<Change>> ticks) {
    /** A row with a weight on one input. */
    public record Change(int input, List<@Nullable Object> row, long weight) {
        Change negated() {
            return new Change(input, row, -weight);
        }
    }

    /** The integrated content of an input after tick {@code last} (0-based), from the model. */
    public ZSet content(int input, int last) {
        ZSet out = new ZSet();
        for (int t = 0; t <= last; t++) {
            for (Change change : ticks.get(t)) {
                if (change.input() == input) {
                    out.addRow(change.weight(), change.row());
                }
            }
        }
        return out;
    }

    /** The same changes per tick, in another order. */
    public History shuffled(Random random) {
        List<List<Change>> out = new ArrayList<>();
        for (List<Change> tick : ticks) {
            List<Change> copy = new ArrayList<>(tick);
            Collections.shuffle(copy, random);
            out.add(copy);
        }
        return new History(inputs, out);
    }

    /** Followed by the negation of everything, in one more tick or several. */
    public History undone(Random random) {
        List<Change> all = new ArrayList<>();
        ticks.forEach(tick -> tick.forEach(change -> all.add(change.negated())));
        // Taking out in any order within one tick is fine; over several ticks it must be the reverse, or weights fall
        // below zero.
        List<List<Change>> out = new ArrayList<>(ticks);
        if (random.nextBoolean()) {
            Collections.shuffle(all, random);
            out.add(all);
        } else {
            for (int t = ticks.size() - 1; t >= 0; t--) {
                List<Change> tick = new ArrayList<>();
                ticks.get(t).forEach(change -> tick.add(change.negated()));
                out.add(tick);
            }
        }
        return new History(inputs, out);
    }
}
