package io.tailwater.api.storage;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The few small facts that all processes must agree on: keys with values, changed by transactions that compare first. Every change raises one store-wide
 * revision, which serves as a fencing epoch. Its model is etcd's, cut down to what we use. Thread-safe.
 *
 * <p>What a call acknowledged is durable. 08006 means that the store could not be reached and that the call may or may not have taken effect; a
 * transaction that compares can be sent again.
 */
public interface MetadataStore extends AutoCloseable {
    /** No lease. */
    long NO_LEASE = 0;

    /**
     * A key as it is.
     *
     * @param created revision of the transaction that created it, after it was last absent
     * @param modified revision of the last transaction that put it
     * @param version 1 at creation, one more with each put
     * @param lease that it goes away with, or {@link #NO_LEASE}
     */
    record Entry(String key, String value, long created, long modified, long version, long lease) {}

    /** What must hold for a transaction to take place. */
    sealed interface Condition {
        String key();

        /** The key is not there. */
        record Absent(String key) implements Condition {}

        /** The key is there. */
        record Exists(String key) implements Condition {}

        /** The key was last put by the transaction of this revision. */
        record Modified(String key, long revision) implements Condition {}

        /** The key was created by the transaction of this revision: how the holder of an election proves that it still is. */
        record Created(String key, long revision) implements Condition {}

        /** The key has been put this often. */
        record Version(String key, long version) implements Condition {}

        /** The key has this value. */
        record Value(String key, String value) implements Condition {}
    }

    /** What a transaction does. No key may occur in two of its operations. */
    sealed interface Operation {
        /** {@code lease} is {@link #NO_LEASE} or one that was granted; with an expired one the transaction fails with 55000. */
        record Put(String key, String value, long lease) implements Operation {
            public Put(String key, String value) {
                this(key, value, NO_LEASE);
            }
        }

        /** Removing an absent key is no error. */
        record Delete(String key) implements Operation {}

        /** Removes all keys with this prefix. */
        record DeletePrefix(String prefix) implements Operation {}
    }

    /**
     * What came of a transaction.
     *
     * @param succeeded whether all conditions held, and so all operations took place
     * @param revision of the store after it
     */
    record Outcome(boolean succeeded, long revision) {}

    /**
     * A change seen by a watch.
     *
     * @param value null if the key was removed
     */
    record Change(String key, @Nullable String value, long revision) {}

    Optional<Entry> get(String key);

    /** Keys with a prefix, sorted, as of one revision. */
    List<Entry> range(String prefix);

    /** Revision of the last change. */
    long revision();

    /** All or nothing. If the conditions hold, a transaction that changes something takes the next revision. */
    Outcome commit(List<Condition> conditions, List<Operation> operations);

    /** A lease that runs out {@code ttl} after it was granted or last kept alive, taking its keys with it. */
    long grantLease(Duration ttl);

    /** Returns false if the lease is gone. */
    boolean keepAlive(long lease);

    /** Ends a lease and removes its keys. An unknown one is no error. */
    void revoke(long lease);

    /**
     * Delivers every change of keys with a prefix in order, one list per transaction, until closed.
     *
     * @param after the revision after which to begin: usually that of a read. One that is no longer known is refused with 22023: read again, then watch
     * @param listener called from a thread of the store: it may only enqueue
     */
    Watch watch(String prefix, long after, Consumer<List<Change>> listener);

    /** Unconditional. Returns the revision. */
    default long put(String key, String value) {
        return commit(List.of(), List.of(new Operation.Put(key, value))).revision();
    }

    /** Sets a key if it has this value now, or is absent if {@code expected} is null. */
    default Outcome compareAndSet(String key, @Nullable String expected, String value) {
        Condition condition = expected == null ? new Condition.Absent(key) : new Condition.Value(key, expected);
        return commit(List.of(condition), List.of(new Operation.Put(key, value)));
    }

    /**
     * Tries to become the holder of an office.
     *
     * @return the fencing epoch ({@link Entry#created}), to be compared by {@link Condition.Created} in each later write; empty if it is held
     */
    default Optional<Long> campaign(String key, String candidate, long lease) {
        Outcome outcome = commit(List.of(new Condition.Absent(key)), List.of(new Operation.Put(key, candidate, lease)));
        return outcome.succeeded() ? Optional.of(outcome.revision()) : Optional.empty();
    }

    @Override
    void close();

    /** Ends a watch. Twice is harmless; a list being delivered may still arrive. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }
}
