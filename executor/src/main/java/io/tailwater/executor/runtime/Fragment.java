package io.tailwater.executor.runtime;

import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.Tick;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The part of a plan between exchanges, on one worker. Batches run through it as they come; it ends a tick once all its leaves did, operators from the
 * leaves to the root, each seeing all its inputs' last batches first. Owned by one worker.
 */
final class Fragment {
    private final List<Operator> operators = new ArrayList<>();
    private Consumer<Tick> root = tick -> {};
    private int leaves;
    private int ended;

    /** Operators are added children first. */
    void add(Operator operator) {
        operators.add(operator);
    }

    void root(Consumer<Tick> endTick) {
        root = endTick;
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
            root.accept(tick);
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
