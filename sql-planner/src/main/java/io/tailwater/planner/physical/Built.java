package io.tailwater.planner.physical;

import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A plan under construction. Above an equi-join a row's place follows from the left keys and from the right ones alike; a plan's traits can say only one
 * of these, so all are kept here.
 *
 * @param hashes column lists by each of which the rows are distributed
 */
record Built(PlanNode node, List<List<Integer>> hashes) {
    Built {
        hashes = hashes.stream().map(List::copyOf).toList();
    }

    static Built of(PlanNode node) {
        return node.traits().distribution() instanceof Distribution.Hash hash
                ? new Built(node, List.of(hash.columns()))
                : new Built(node, List.of());
    }

    Schema schema() {
        return node.schema();
    }

    Traits traits() {
        return node.traits();
    }

    boolean isSingle() {
        return node.traits().distribution() instanceof Distribution.Single;
    }

    /** The distribution over exactly these columns, in whatever order, if there is one. */
    java.util.Optional<List<Integer>> hashOver(List<Integer> columns) {
        Set<Integer> wanted = new TreeSet<>(columns);
        return hashes.stream()
                .filter(h -> h.size() == wanted.size() && wanted.equals(new TreeSet<>(h)))
                .findFirst();
    }

    /** All rows on worker 0. */
    Built single() {
        return isSingle() ? this : exchange(new Distribution.Single());
    }

    /** Rows where {@code columns} hash to, in this order. */
    Built hashed(List<Integer> columns) {
        if (hashes.contains(columns)) {
            return this;
        }
        return exchange(new Distribution.Hash(columns));
    }

    private Built exchange(Distribution distribution) {
        Traits t = node.traits();
        return Built.of(new PlanNode.Exchange(
                node, distribution, new Traits(distribution, t.appendOnly(), t.uniqueKeys(), t.watermarked())));
    }

    /** Column lists that survive a projection; {@code positions[i]} is where column i went, or -1. */
    static List<List<Integer>> move(List<List<Integer>> lists, int[] positions) {
        List<List<Integer>> out = new ArrayList<>();
        for (List<Integer> list : lists) {
            List<Integer> moved = new ArrayList<>();
            for (int column : list) {
                if (positions[column] < 0) {
                    break;
                }
                moved.add(positions[column]);
            }
            if (moved.size() == list.size()) {
                out.add(moved);
            }
        }
        return out;
    }
}
