package io.tailwater.executor.runtime;

import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.state.Scratch;

/** Picks what one worker takes over of rows that another number of workers wrote. Owned by one thread. */
final class StateMove implements AutoCloseable {
    private final StateOwners owners;
    private final StateRows rows;
    private final int writers;
    private final int worker;
    private final int workers;
    private final Scratch key;

    /** @param writers how many workers wrote the snapshot */
    StateMove(StateOwners owners, StateRows rows, int writers, int worker, int workers, MemoryAccount memory) {
        this.owners = owners;
        this.rows = rows;
        this.writers = writers;
        this.worker = worker;
        this.workers = workers;
        String obstacle = owners.obstacle();
        if (obstacle != null) {
            throw refused(obstacle);
        }
        key = new Scratch(memory);
    }

    private StreamException refused(String reason) {
        return new StreamException(
                ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                "the state of %d workers cannot be dealt to %d, because %s".formatted(writers, workers, reason),
                -1,
                "Restart the server with executor.workers = " + writers + ".",
                null);
    }

    /** Whether the worker is to take the row over. */
    boolean takes(StateReader row) {
        StateOwners.Owner owner = owners.owner(rows.operators().get(row.operator()), row.part());
        if (owner instanceof StateOwners.Owner.Everybody) {
            return rows.worker() == 0;
        }
        long hash = 0;
        if (owner instanceof StateOwners.Owner.Anybody) {
            return Hashing.vnode(row.hash()) % workers == worker;
        } else if (owner instanceof StateOwners.Owner.ByKey by) {
            long encoded = key.atLeast(by.key().width() + 8L);
            by.key().unflatten(row.key(), encoded);
            hash = by.hash(encoded);
        }
        // What was not where it is thought to belong would be lost or found twice.
        int before = owner instanceof StateOwners.Owner.First ? 0 : Hashing.vnode(hash) % writers;
        if (before != rows.worker()) {
            throw refused("worker " + rows.worker() + " has what should be on worker " + before);
        }
        return worker == (owner instanceof StateOwners.Owner.First ? 0 : Hashing.vnode(hash) % workers);
    }

    @Override
    public void close() {
        key.close();
    }
}
