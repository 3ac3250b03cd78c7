package io.tailwater.executor.runtime;

import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.Tick;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The part of a plan between exchanges, on one worker. Batches run through it as they come; it ends a tick once all its leaves did, operators from the
 * leaves to the root, each seeing all its inputs' last batches first. Several exchanges may send on what it yields. Owned by one worker.
 */
final class Fragment {
    private final List<Operator> operators = new ArrayList<>();
    private final List<Consumer<Tick>> roots = new ArrayList<>();
    private final List<Fragment> above = new ArrayList<>();
    private final Consumer<Tick> afterRoots;
    private int leaves;
    private int ended;

    /** @param afterRoots told when a tick has ended here, roots included */
    Fragment(Consumer<Tick> afterRoots) {
        this.afterRoots = afterRoots;
    }

    /** Operators are added children first. */
    void add(Operator operator) {
        operators.add(operator);
    }

    /** Told after all operators have ended the tick. */
    void addRoot(Consumer<Tick> endTick) {
        roots.add(endTick);
    }

    /** Rows go from here to {@code other} through an exchange. */
    void feeds(Fragment other) {
        above.add(other);
    }

    /** Whether rows get from here to {@code other}, or it is the same. */
    boolean reaches(Fragment other) {
        return this == other || above.stream().anyMatch(f -> f.reaches(other));
    }

    void addLeaf() {
        leaves++;
    }

    void begin() {
        ended = 0;
    }

    void leafEnded(Tick tick) {
        ended++;
        if (ended == leaves) {
            for (Operator operator : operators) {
                operator.onTickEnd(tick);
            }
            roots.forEach(root -> root.accept(tick));
            afterRoots.accept(tick);
        } else if (ended > leaves) {
            throw new AssertionError("a leaf ended tick " + tick.number() + " twice");
        }
    }

    boolean done() {
        return ended == leaves;
    }

    void close() {
        for (Operator operator : operators) {
            operator.close();
        }
    }
}
