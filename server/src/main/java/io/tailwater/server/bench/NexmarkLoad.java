package io.tailwater.server.bench;

/**
 * What the generator is asked for. Immutable.
 *
 * @param events of all kinds
 * @param seed same seed, same events
 * @param rate events a second of event time
 */
record NexmarkLoad(long events, long seed, long rate) {
    NexmarkLoad {
        if (events < 0 || rate < 1) {
            throw new IllegalArgumentException("events " + events + ", rate " + rate);
        }
    }

    NexmarkLoad withEvents(long count) {
        return new NexmarkLoad(count, seed, rate);
    }
}
