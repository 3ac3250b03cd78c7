package io.tailwater.executor.snapshot;

import io.tailwater.api.batch.Hashing;
import io.tailwater.api.snapshot.VnodeRange;

import java.util.List;

/**
 * Which rows of a chain of snapshots count: of each vnode those of the last file that has all of it, and of the files after that one. Immutable.
 */
public final class SnapshotChain {
    private final int[] first = new int[Hashing.VNODES];

    /** @param full per file, from old to new, the vnodes of which it has all rows */
    public SnapshotChain(List<VnodeRange> full) {
        for (int file = 0; file < full.size(); file++) {
            for (int vnode = full.get(file).from(); vnode < full.get(file).to(); vnode++) {
                first[vnode] = file;
            }
        }
    }

    /** Whether a row of a file counts, by the hash that it was written with. */
    public boolean counts(int file, long hash) {
        return file >= first[Hashing.vnode(hash)];
    }
}
