package io.tailwater.executor.snapshot;

import io.tailwater.api.batch.Hashing;
import io.tailwater.api.snapshot.VnodeRange;

import java.util.List;

/**
 * Which rows of a chain of snapshots count: of each vnode those of the last snapshot that has it in full and of all later ones, or of all if none has. Immutable.
 */
public final class SnapshotChain {
    /** Per vnode the first snapshot that counts. */
    private final int[] first = new int[Hashing.VNODES];

    /** @param full what each snapshot has in full, from old to new */
    public SnapshotChain(List<VnodeRange> full) {
        for (int i = 0; i < full.size(); i++) {
            for (int vnode = full.get(i).from(); vnode < full.get(i).to(); vnode++) {
                first[vnode] = i;
            }
        }
    }

    /** Whether rows of a hash count in a snapshot; 0 is the oldest. */
    public boolean counts(int snapshot, long hash) {
        return first[Hashing.vnode(hash)] <= snapshot;
    }

    /** Whether any row counts in a snapshot. One that does not can leave the chain, and what is older need not be there. */
    public boolean needs(int snapshot) {
        for (int from : first) {
            if (from <= snapshot) {
                return true;
            }
        }
        return false;
    }
}
