package io.tailwater.server.control.model;

import java.util.ArrayList;
import java.util.List;

/**
 * All that the protocol is about, at one moment. Immutable.
 *
 * @param input rows that were acknowledged to clients
 * @param log records of the application log
 * @param synced how many of them survive a loss of power
 * @param frames of output, named by COMMIT or not
 * @param syncedFrames how many of them survive a loss of power
 * @param external what a database elsewhere has taken, by tick: it keeps the first that comes for each, whatever befalls this machine
 * @param metadata what the metadata store holds
 * @param masters processes that are, or believe that they are, in charge
 * @param faults crashes and losses of power that may still come
 */
record World(
        int input,
        List<Entry> log,
        int synced,
        List<Frame> frames,
        int syncedFrames,
        List<Frame> external,
        Metadata metadata,
        List<Master> masters,
        int faults) {
    World {
        log = List.copyOf(log);
        frames = List.copyOf(frames);
        external = List.copyOf(external);
        masters = List.copyOf(masters);
    }

    enum Kind {
        OWNER,
        BIND,
        COMMIT
    }

    /**
     * A record of the application log.
     *
     * @param to of a BIND: where the tick's input ends
     * @param frame of a COMMIT: the one that it names
     */
    record Entry(Kind kind, int epoch, int tick, int to, int frame) {}

    /** Rows {@code [from, to)} of the input, put out. */
    record Frame(int from, int to) {}

    /**
     * Epoch of the newest master, and the snapshot that a restart goes on from.
     *
     * @param position of the log from where the snapshot does not cover it
     * @param applied rows of input that are in its state
     */
    record Metadata(int epoch, int tick, int position, int applied) {}

    enum Phase {
        DEAD,
        /** Has an epoch. */
        ELECTED,
        /** Its OWNER is in the log. */
        OWNER,
        IDLE,
        /** Tick {@code tick + 1} is bound. */
        BOUND,
        /** And has run. */
        RAN
    }

    /**
     * A master with its workers.
     *
     * @param tick that was committed last
     * @param applied rows of input that are in the workers' state
     * @param to where the input of the tick under way ends
     * @param frame that the tick under way has put out
     * @param seen what it read of, or wrote to, the metadata store last
     * @param captured a snapshot that is written but not committed, or null
     */
    record Master(
            Phase phase,
            int epoch,
            int tick,
            int applied,
            int to,
            int frame,
            Metadata seen,
            @org.jspecify.annotations.Nullable Metadata captured) {
        static final Metadata NOTHING = new Metadata(0, 0, 0, 0);
        static final Master DEAD = new Master(Phase.DEAD, 0, 0, 0, 0, -1, NOTHING, null);

        Master in(Phase next) {
            return new Master(next, epoch, tick, applied, to, frame, seen, captured);
        }
    }

    static World first(int masters, int faults) {
        List<Master> all = new ArrayList<>();
        for (int i = 0; i < masters; i++) {
            all.add(Master.DEAD);
        }
        return new World(0, List.of(), 0, List.of(), 0, List.of(), Master.NOTHING, all, faults);
    }

    World withInput(int rows) {
        return new World(rows, log, synced, frames, syncedFrames, external, metadata, masters, faults);
    }

    World with(int master, Master now) {
        List<Master> all = new ArrayList<>(masters);
        all.set(master, now);
        return new World(input, log, synced, frames, syncedFrames, external, metadata, all, faults);
    }

    World withLog(Entry entry) {
        List<Entry> more = new ArrayList<>(log);
        more.add(entry);
        return new World(input, more, synced, frames, syncedFrames, external, metadata, masters, faults);
    }

    World withFrame(Frame frame) {
        List<Frame> more = new ArrayList<>(frames);
        more.add(frame);
        return new World(input, log, synced, more, syncedFrames, external, metadata, masters, faults);
    }

    /** The database takes what a tick put out, unless it has that tick. */
    World withExternal(int tick, Frame frame) {
        if (external.size() >= tick) {
            return this;
        }
        List<Frame> more = new ArrayList<>(external);
        more.add(frame);
        return new World(input, log, synced, frames, syncedFrames, more, metadata, masters, faults);
    }

    World withMetadata(Metadata now) {
        return new World(input, log, synced, frames, syncedFrames, external, now, masters, faults);
    }

    World allSynced() {
        return new World(input, log, log.size(), frames, frames.size(), external, metadata, masters, faults);
    }

    World oneFaultLess() {
        return new World(input, log, synced, frames, syncedFrames, external, metadata, masters, faults - 1);
    }

    /** What was not synced is gone, of the log perhaps not; all processes are. */
    World afterPowerLoss(boolean logSurvived) {
        List<Master> dead = new ArrayList<>();
        masters.forEach(m -> dead.add(Master.DEAD));
        return new World(
                input,
                logSurvived ? log : log.subList(0, synced),
                synced,
                frames.subList(0, syncedFrames),
                syncedFrames,
                external,
                metadata,
                dead,
                faults - 1);
    }

    World cutLog(int length) {
        return new World(
                input,
                log.subList(0, length),
                Math.min(synced, length),
                frames,
                syncedFrames,
                external,
                metadata,
                masters,
                faults);
    }

    /** Rows of input that the database has, or -1 if it has one twice or has missed one. */
    int delivered() {
        int end = 0;
        for (Frame frame : external) {
            if (frame.from() != end) {
                return -1;
            }
            end = frame.to();
        }
        return end;
    }

    /** Rows of input that readers see in the output, or -1 if they see one twice or not at all. */
    int visible() {
        int end = 0;
        for (Entry entry : log) {
            if (entry.kind() == Kind.COMMIT) {
                if (entry.frame() >= frames.size()) {
                    // Lost with the power; whoever takes over cuts the log here before anybody reads.
                    return end;
                }
                Frame frame = frames.get(entry.frame());
                if (frame.from() != end) {
                    return -1;
                }
                end = frame.to();
            }
        }
        return end;
    }
}
