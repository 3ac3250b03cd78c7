package io.tailwater.server.control.model;

import io.tailwater.server.control.model.Protocol.Rule;
import io.tailwater.server.control.model.World.Kind;
import io.tailwater.server.control.model.World.Metadata;
import io.tailwater.server.control.model.World.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Visits every state that two masters, two rows of input, two crashes or losses of power and three elections can lead to. In each, readers see each row of input once at
 * most and so does a database outside, the snapshot has what was committed before it, and a master that takes over alone brings everything to its end.
 */
final class ProtocolTest {
    private static final int INPUT = 2;

    @Test
    void everyRowIsSeenOnceInEveryState() {
        assertThat(explore(new Protocol(Set.of(), INPUT))).isEqualTo("");
    }

    /** The explorer has teeth, and the protocol no rule too many. */
    @ParameterizedTest
    @EnumSource(Rule.class)
    void withoutAnyOfItsRulesItIsWrong(Rule rule) {
        assertThat(explore(new Protocol(Set.of(rule), INPUT))).isNotEqualTo("");
    }

    /** What is wrong with the first bad state that is found, or an empty text. */
    private static String explore(Protocol protocol) {
        Set<World> seen = new HashSet<>();
        Deque<World> left = new ArrayDeque<>();
        World first = World.first(2, 2);
        seen.add(first);
        left.add(first);
        while (!left.isEmpty()) {
            World world = left.remove();
            String wrong = wrong(world, protocol);
            if (!wrong.isEmpty()) {
                return wrong + " in " + world;
            }
            for (World next : protocol.next(world)) {
                if (seen.add(next)) {
                    left.add(next);
                }
            }
        }
        assertThat(seen.size()).isGreaterThan(10_000);
        return "";
    }

    private static String wrong(World world, Protocol protocol) {
        if (world.visible() < 0) {
            return "a row is seen twice or not at all";
        }
        if (world.delivered() < 0) {
            return "the database has a row twice, or has missed one";
        }
        if (world.visible() > world.input()) {
            return "a row is seen that was never written";
        }
        Metadata snapshot = world.metadata();
        if (snapshot.position() > world.log().size()) {
            return "the snapshot goes on from a record that is not there";
        }
        int committed = 0;
        for (World.Entry entry : world.log().subList(0, snapshot.position())) {
            if (entry.kind() == Kind.COMMIT && entry.frame() < world.frames().size()) {
                committed = world.frames().get(entry.frame()).to();
            }
        }
        if (snapshot.applied() != committed) {
            return "the snapshot has " + snapshot.applied() + " rows, committed before it are " + committed;
        }
        return world.metadata().epoch() < 3 ? unfinished(world, protocol) : "";
    }

    /** A new master, left alone, makes all input visible. */
    private static String unfinished(World world, Protocol protocol) {
        World at = world;
        for (int m = 0; m < at.masters().size(); m++) {
            at = at.with(m, World.Master.DEAD);
        }
        for (int step = 0; step < 20; step++) {
            World from = at;
            List<World> own = protocol.next(at).stream()
                    .filter(w -> w.input() == from.input()
                            && w.faults() == from.faults()
                            && w.masters().get(1).phase() == Phase.DEAD
                            && !w.masters().get(0).equals(from.masters().get(0)))
                    .toList();
            if (own.isEmpty()) {
                break;
            }
            at = own.get(0);
            if (at.masters().get(0).phase() == Phase.IDLE && isDone(at)) {
                return "";
            }
        }
        return isDone(at)
                ? ""
                : "a new master leaves readers with " + at.visible() + " of " + at.input() + " rows, the database with "
                        + at.delivered();
    }

    private static boolean isDone(World world) {
        return world.visible() == world.input() && world.delivered() == world.input();
    }
}
