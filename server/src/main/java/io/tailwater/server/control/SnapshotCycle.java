package io.tailwater.server.control;

import io.tailwater.api.batch.Hashing;
import io.tailwater.api.message.FromWorker;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * When snapshots are taken, and of which vnodes all is written.
 *
 * <p>{@code Idle -> (due) capture asked of all workers -> Capturing -> (all have answered) -> Writing -> (committed, or failed) -> Idle}. Ticks go on meanwhile. After a
 * failure the next snapshot holds everything, since what the failed one had taken from the workers is gone.
 *
 * <p>Each snapshot renews some vnodes: one at least, so that a chain has no more files than there are vnodes, and as many as what has changed would fill once half of what
 * the chain holds is outdated. So its size is a few times that of the state, and a snapshot costs at most about twice what has changed, however large the state is.
 *
 * <p>Owned by the master; not thread-safe.
 */
final class SnapshotCycle {
    /** Not taken. */
    static final long OFF = -1;

    /** Between two snapshots at least so many times the time for which the workers stood still: they may cost 5 %. */
    private static final long CAPTURE_SHARE = 20;
    /** After a snapshot at least so many times the time that it took to write, which runs beside the ticks on the same processors. */
    private static final long WRITE_SHARE = 4;
    /** A state of less is written as a whole within this many snapshots. */
    private static final long SMALL_ROWS = 10_000;

    private static final int SMALL_CHAIN = 16;

    private final int workers;
    private final long intervalMicros;
    private final List<FromWorker.Captured> captured = new ArrayList<>();
    private @Nullable Manifest head;
    private boolean writing;
    private boolean changed;
    private boolean requested;
    private boolean renew;
    private boolean all = true;
    private VnodeRange full = VnodeRange.NONE;
    private int nextVnode;
    private long begunMicros = Long.MIN_VALUE / 2;
    private long dueMicros = Long.MIN_VALUE / 2;
    private long captureNanos;
    private long changedRows;
    /** What workers hold, as the last snapshot that was committed told, and as the one under way has told so far. */
    private long heldRows;

    private long held;
    private List<SnapshotFile> chain = List.of();

    /** @param intervalMicros between the beginnings of two snapshots, or {@link #OFF} */
    SnapshotCycle(int workers, long intervalMicros) {
        this.workers = workers;
        this.intervalMicros = intervalMicros;
    }

    boolean isOff() {
        return intervalMicros == OFF;
    }

    /** The snapshot that the application was restored from: the next one adds to it. */
    void restored(Manifest from) {
        if (from.workers() == workers) {
            chain = from.files();
            all = false;
            nextVnode = chain.get(chain.size() - 1).full().to() % Hashing.VNODES;
        }
    }

    List<SnapshotFile> chain() {
        return all || renew ? List.of() : chain;
    }

    /** A tick was committed, or a job came or went. */
    void changed() {
        changed = true;
    }

    /** One is wanted as soon as can be. */
    void request() {
        changed = true;
        requested = true;
    }

    /** A job has come with state: what files have of it, they have of another job, so the next snapshot tells all. */
    void requestAll() {
        request();
        renew = true;
    }

    /** When the next one is to be taken, or {@link Long#MAX_VALUE} if nothing asks for one. */
    long dueMicros() {
        if (isOff() || !changed || head != null) {
            return Long.MAX_VALUE;
        }
        return requested ? Long.MIN_VALUE : dueMicros;
    }

    boolean isDue(long wallMicros) {
        // A clock that was set back must not stop the snapshots.
        return dueMicros() <= wallMicros || (dueMicros() != Long.MAX_VALUE && wallMicros < begunMicros);
    }

    /** Begins one; returns the vnodes that must be told in full. */
    VnodeRange begin(Manifest what, long wallMicros) {
        head = what;
        changed = false;
        requested = false;
        begunMicros = wallMicros;
        captureNanos = 0;
        held = 0;
        full = all || renew ? VnodeRange.ALL : next();
        renew = false;
        return full;
    }

    private VnodeRange next() {
        long rows = chain.stream().mapToLong(SnapshotFile::rows).sum();
        long perVnode = Math.max(1, heldRows / Hashing.VNODES);
        long superseded = rows - heldRows;
        long wanted = 1;
        if (heldRows < SMALL_ROWS) {
            wanted = Hashing.VNODES / SMALL_CHAIN;
        }
        if (superseded > heldRows / 2) {
            // As much again as has changed: then the files hold at most a few times what the state does.
            wanted = Math.max(wanted, changedRows / perVnode);
        }
        int count = (int) Math.min(wanted, Hashing.VNODES);
        int from = nextVnode;
        int to = Math.min(Hashing.VNODES, from + count);
        return new VnodeRange(from, to);
    }

    /** A worker has answered. Returns what is to be done once all have, or null. */
    @Nullable Command captured(FromWorker.Captured message) {
        Manifest what = head;
        if (what == null || writing || message.tick() != what.tick()) {
            throw new AssertionError("worker " + message.worker() + " tells state of tick " + message.tick());
        }
        captured.add(message);
        captureNanos = Math.max(captureNanos, message.busyNanos());
        held += message.heldRows();
        if (captured.size() < workers) {
            return null;
        }
        List<StateRows> state = new ArrayList<>();
        StreamException error = null;
        for (FromWorker.Captured part : captured) {
            state.addAll(part.jobs());
            error = part.error() != null ? part.error() : error;
        }
        captured.clear();
        writing = true;
        return error == null
                ? new Command.WriteSnapshot(what, full, state, captureNanos)
                : new Command.GiveUpSnapshot(what, state, error);
    }

    void committed(Manifest what, long wallMicros) {
        chain = what.files();
        all = false;
        nextVnode = full.to() % Hashing.VNODES;
        heldRows = held;
        long rows = chain.get(chain.size() - 1).rows();
        changedRows = Math.max(0, rows - held * full.size() / Hashing.VNODES);
        ended(wallMicros);
    }

    void failed(long wallMicros) {
        all = true;
        changed = true;
        ended(wallMicros);
        // What keeps it from being written, as a full disk, takes time to mend.
        dueMicros = Math.max(dueMicros, wallMicros + 5 * Math.max(intervalMicros, 1_000_000));
    }

    private void ended(long wallMicros) {
        head = null;
        writing = false;
        long written = Math.max(0, wallMicros - begunMicros);
        dueMicros = Math.max(
                begunMicros + intervalMicros,
                wallMicros + Math.max(WRITE_SHARE * written, CAPTURE_SHARE * captureNanos / 1_000 - written));
    }

    /** State that workers have told and nobody has taken. */
    List<StateRows> abandon() {
        List<StateRows> out = captured.stream().flatMap(c -> c.jobs().stream()).toList();
        captured.clear();
        return out;
    }
}
