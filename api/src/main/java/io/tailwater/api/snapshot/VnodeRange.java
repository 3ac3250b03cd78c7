package io.tailwater.api.snapshot;

import io.tailwater.api.batch.Hashing;

/**
 * Vnodes {@code [from, to)} of which a snapshot holds all rows, not only the changed ones; older snapshots are not asked about them. So a chain of snapshots
 * renews itself piece by piece and needs no compaction of its own.
 */
public record VnodeRange(int from, int to) {
    public static final VnodeRange NONE = new VnodeRange(0, 0);
    public static final VnodeRange ALL = new VnodeRange(0, Hashing.VNODES);

    public VnodeRange {
        if (from < 0 || to < from || to > Hashing.VNODES) {
            throw new IllegalArgumentException("vnodes [" + from + ", " + to + ")");
        }
    }

    public boolean contains(int vnode) {
        return vnode >= from && vnode < to;
    }

    public int size() {
        return to - from;
    }
}
