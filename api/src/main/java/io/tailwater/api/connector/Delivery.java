package io.tailwater.api.connector;

/**
 * How often a row reaches a sink's target when server and target may die at any moment, and by what means. Immutable.
 *
 * @param because of an exactly-once sink, what it does; of another, what it cannot do. Goes on from "sink x", for users
 */
public record Delivery(Way way, String because) {
    /** How a tick that was bound but not committed, and so runs again, is kept from counting twice. */
    public enum Way {
        /** It is not: its rows come again. */
        NONE,
        /** The COMMIT holds a position of the target; what lies behind it is removed. */
        POSITION,
        /** A tick is prepared at its end and shown after its COMMIT, at the latest when the writer is opened again. */
        TWO_PHASE,
        /** Rows are put and deleted by key, so that doing it again changes nothing. */
        UPSERT,
        /** The target keeps the number of the last tick, in one transaction with its rows, and takes none twice. */
        COMMITTED_TICK
    }

    /** The values of option {@code delivery}. */
    public enum Guarantee {
        AT_LEAST_ONCE("at_least_once"),
        EXACTLY_ONCE("exactly_once");

        private final String text;

        Guarantee(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    public Guarantee guarantee() {
        return way == Way.NONE ? Guarantee.AT_LEAST_ONCE : Guarantee.EXACTLY_ONCE;
    }

    /**
     * Whether the target remembers a tick before the COMMIT does. Then what the tick reads must be on disk before it runs: after a loss of power, a tick that
     * is bound anew could be cut differently from what the target has.
     */
    public boolean outlivesLog() {
        return way == Way.UPSERT || way == Way.COMMITTED_TICK;
    }

    public static Delivery atLeastOnce(String because) {
        return new Delivery(Way.NONE, because);
    }
}
