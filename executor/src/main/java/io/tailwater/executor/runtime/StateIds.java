package io.tailwater.executor.runtime;

import io.tailwater.api.plan.PlanCodec;
import io.tailwater.api.plan.PlanNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Ids of the state of a plan's operators. Who asks for them in the order of a depth-first walk, inputs before what reads them, gets the same ids whatever the number of
 * workers. Owned by one thread.
 */
final class StateIds {
    private final Map<String, List<PlanNode>> identified = new HashMap<>();

    /** Numbered where nodes that differ in what they read would share one: each reader is at a position of its own. */
    String of(PlanNode node) {
        String id = PlanCodec.stableId(node);
        List<PlanNode> sharing = identified.computeIfAbsent(id, i -> new ArrayList<>());
        int number = sharing.indexOf(node);
        if (number < 0) {
            number = sharing.size();
            sharing.add(node);
        }
        return number == 0 ? id : id + "#" + number;
    }
}
