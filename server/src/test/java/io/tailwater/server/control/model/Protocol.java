package io.tailwater.server.control.model;

import io.tailwater.server.control.model.World.Entry;
import io.tailwater.server.control.model.World.Frame;
import io.tailwater.server.control.model.World.Kind;
import io.tailwater.server.control.model.World.Master;
import io.tailwater.server.control.model.World.Metadata;
import io.tailwater.server.control.model.World.Phase;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What may happen next in a {@link World}. Immutable. */
final class Protocol {
    /** Without any of these the protocol is wrong, and the explorer finds how. */
    enum Rule {
        /** The log takes no record of a master whose epoch is less than that of one before, and is not cut by it. */
        LOG_REFUSES_OLD_EPOCHS,
        /** A master reads the log only when its OWNER is in it. */
        OWNER_BEFORE_READING,
        /** What a tick rests on is synced before anything outside is told of it. */
        SYNC_BEFORE_EXTERNAL,
        /** A tick that was bound and not committed runs again as it was bound. */
        BOUND_TICKS_RUN_AGAIN,
        /** State is captured between ticks: all that it has applied is committed. */
        SNAPSHOTS_BETWEEN_TICKS,
        /** A snapshot is committed only if the metadata store holds the one that its master knows of, and its master's epoch. */
        SNAPSHOTS_COMPARE,
        /** Output and log are synced before a snapshot that rests on them is committed. */
        SNAPSHOTS_SYNC_FIRST,
        /** After a loss of power the log ends before the first COMMIT whose frames are gone. */
        LOG_CUT_AT_LOST_FRAMES
    }

    private final Set<Rule> rules;
    private final int mostInput;

    Protocol(Set<Rule> without, int mostInput) {
        rules = EnumSet.complementOf(without.isEmpty() ? EnumSet.noneOf(Rule.class) : EnumSet.copyOf(without));
        this.mostInput = mostInput;
    }

    List<World> next(World world) {
        List<World> out = new ArrayList<>();
        if (world.input() < mostInput) {
            out.add(world.withInput(world.input() + 1));
        }
        for (int m = 0; m < world.masters().size(); m++) {
            step(world, m, out);
        }
        if (world.faults() > 0) {
            for (int m = 0; m < world.masters().size(); m++) {
                if (world.masters().get(m).phase() != Phase.DEAD) {
                    out.add(world.oneFaultLess().with(m, Master.DEAD));
                }
            }
            out.add(world.afterPowerLoss(false));
            out.add(world.afterPowerLoss(true));
        }
        return out;
    }

    private void step(World world, int m, List<World> out) {
        Master master = world.masters().get(m);
        switch (master.phase()) {
            case DEAD -> elect(world, m, out);
            case ELECTED -> {
                append(world, m, new Entry(Kind.OWNER, master.epoch(), 0, 0, -1), master.in(Phase.OWNER), out);
                if (!rules.contains(Rule.OWNER_BEFORE_READING)) {
                    takeOver(world, m, out);
                }
            }
            case OWNER -> takeOver(world, m, out);
            case IDLE -> {
                bind(world, m, out);
                capture(world, m, out);
                commitSnapshot(world, m, out);
            }
            case BOUND -> {
                Frame frame = new Frame(master.applied(), master.to());
                World bound = rules.contains(Rule.SYNC_BEFORE_EXTERNAL) ? world.allSynced() : world;
                World ran = bound.withFrame(frame).withExternal(master.tick() + 1, frame);
                out.add(ran.with(
                        m,
                        new Master(
                                Phase.RAN,
                                master.epoch(),
                                master.tick(),
                                master.applied(),
                                master.to(),
                                ran.frames().size() - 1,
                                master.seen(),
                                master.captured())));
                commitSnapshot(world, m, out);
            }
            case RAN -> {
                Master after = new Master(
                        Phase.IDLE,
                        master.epoch(),
                        master.tick() + 1,
                        master.to(),
                        0,
                        -1,
                        master.seen(),
                        master.captured());
                append(world, m, new Entry(Kind.COMMIT, master.epoch(), after.tick(), 0, master.frame()), after, out);
                if (!rules.contains(Rule.SNAPSHOTS_BETWEEN_TICKS)) {
                    Metadata early = new Metadata(
                            master.epoch(), after.tick(), world.log().size(), master.to());
                    captured(world, m, master, early, out);
                }
                commitSnapshot(world, m, out);
            }
        }
    }

    /** At most three masters come to be. */
    private void elect(World world, int m, List<World> out) {
        Metadata now = world.metadata();
        if (now.epoch() == 3) {
            return;
        }
        Metadata next = new Metadata(now.epoch() + 1, now.tick(), now.position(), now.applied());
        out.add(world.withMetadata(next).with(m, new Master(Phase.ELECTED, next.epoch(), 0, 0, 0, -1, next, null)));
    }

    private void append(World world, int m, Entry entry, Master after, List<World> out) {
        if (isReplaced(world, world.masters().get(m))) {
            // It learns so, and ends.
            out.add(world.with(m, Master.DEAD));
        } else {
            out.add(world.withLog(entry).with(m, after));
        }
    }

    private boolean isReplaced(World world, Master master) {
        int last = world.log().isEmpty()
                ? 0
                : world.log().get(world.log().size() - 1).epoch();
        return master.epoch() < last && rules.contains(Rule.LOG_REFUSES_OLD_EPOCHS);
    }

    private void takeOver(World world, int m, List<World> out) {
        Master master = world.masters().get(m);
        if (isReplaced(world, master)) {
            out.add(world.with(m, Master.DEAD));
            return;
        }
        World cut = world;
        for (int i = 0; i < world.log().size() && rules.contains(Rule.LOG_CUT_AT_LOST_FRAMES); i++) {
            Entry entry = world.log().get(i);
            if (entry.kind() == Kind.COMMIT && entry.frame() >= world.frames().size()) {
                // What is left of the log after it was never seen by anybody; the new OWNER stays.
                cut = world.cutLog(i).withLog(new Entry(Kind.OWNER, master.epoch(), 0, 0, -1));
                break;
            }
        }
        Metadata base = cut.metadata();
        int tick = base.tick();
        int applied = base.applied();
        int bound = -1;
        for (int i = base.position(); i < cut.log().size(); i++) {
            Entry entry = cut.log().get(i);
            if (entry.kind() == Kind.BIND) {
                bound = entry.to();
            } else if (entry.kind() == Kind.COMMIT) {
                tick = entry.tick();
                applied = bound >= 0 ? bound : applied;
                bound = -1;
            }
        }
        boolean again = bound >= 0 && rules.contains(Rule.BOUND_TICKS_RUN_AGAIN);
        out.add(cut.with(
                m,
                new Master(
                        again ? Phase.BOUND : Phase.IDLE,
                        master.epoch(),
                        tick,
                        applied,
                        again ? bound : 0,
                        -1,
                        base,
                        null)));
    }

    private void bind(World world, int m, List<World> out) {
        Master master = world.masters().get(m);
        if (world.input() > master.applied()) {
            Master after = new Master(
                    Phase.BOUND,
                    master.epoch(),
                    master.tick(),
                    master.applied(),
                    world.input(),
                    -1,
                    master.seen(),
                    master.captured());
            append(world, m, new Entry(Kind.BIND, master.epoch(), master.tick() + 1, world.input(), -1), after, out);
        }
    }

    private void capture(World world, int m, List<World> out) {
        Master master = world.masters().get(m);
        if (master.tick() > master.seen().tick()) {
            captured(
                    world,
                    m,
                    master,
                    new Metadata(master.epoch(), master.tick(), world.log().size(), master.applied()),
                    out);
        }
    }

    private static void captured(World world, int m, Master master, Metadata snapshot, List<World> out) {
        if (master.captured() == null) {
            out.add(world.with(
                    m,
                    new Master(
                            master.phase(),
                            master.epoch(),
                            master.tick(),
                            master.applied(),
                            master.to(),
                            master.frame(),
                            master.seen(),
                            snapshot)));
        }
    }

    /** Beside the ticks. */
    private void commitSnapshot(World world, int m, List<World> out) {
        Master master = world.masters().get(m);
        Metadata snapshot = master.captured();
        if (snapshot == null) {
            return;
        }
        World synced = rules.contains(Rule.SNAPSHOTS_SYNC_FIRST) ? world.allSynced() : world;
        boolean mine =
                world.metadata().epoch() == master.epoch() && world.metadata().equals(master.seen());
        if (!mine && rules.contains(Rule.SNAPSHOTS_COMPARE)) {
            out.add(world.with(m, Master.DEAD));
            return;
        }
        Metadata next =
                new Metadata(world.metadata().epoch(), snapshot.tick(), snapshot.position(), snapshot.applied());
        out.add(synced.withMetadata(next)
                .with(
                        m,
                        new Master(
                                master.phase(),
                                master.epoch(),
                                master.tick(),
                                master.applied(),
                                master.to(),
                                master.frame(),
                                next,
                                null)));
    }
}
