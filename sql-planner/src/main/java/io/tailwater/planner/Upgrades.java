package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.plan.PlanCodec;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.planner.Statement.ExplainUpgrade.Change;
import io.tailwater.planner.Statement.ExplainUpgrade.Part;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compares the state of two plans. */
final class Upgrades {
    private Upgrades() {}

    static Statement.ExplainUpgrade of(CatalogObject.MaterializedView was, CatalogObject.MaterializedView now) {
        Map<String, PlanNode> before = stateful(was.plan().root());
        Map<String, PlanNode> after = stateful(now.plan().root());
        List<Part> parts = new ArrayList<>();
        after.forEach((id, node) ->
                parts.add(part(now.plan().root(), node, before.containsKey(id) ? Change.BOTH : Change.ONLY_NOW)));
        before.forEach((id, node) -> {
            if (!after.containsKey(id)) {
                parts.add(part(was.plan().root(), node, Change.ONLY_BEFORE));
            }
        });
        return new Statement.ExplainUpgrade(was, now, parts);
    }

    /** Operators with state by the id of what they compute, in the order of the plan. */
    private static Map<String, PlanNode> stateful(PlanNode root) {
        Map<String, PlanNode> out = new LinkedHashMap<>();
        Queries.walk(root, node -> {
            if (keepsState(node)) {
                out.putIfAbsent(PlanCodec.stableId(node), node);
            }
        });
        return out;
    }

    private static boolean keepsState(PlanNode node) {
        return node instanceof PlanNode.Aggregate
                || node instanceof PlanNode.Join
                || node instanceof PlanNode.SetOperation
                || node instanceof PlanNode.TopN
                || node instanceof PlanNode.SessionAssign
                || node instanceof PlanNode.WindowClose
                || node instanceof PlanNode.Keyed;
    }

    private static Part part(PlanNode root, PlanNode node, Change change) {
        List<PlanNode.Scan> reads = new ArrayList<>();
        Queries.walk(node, below -> {
            if (below instanceof PlanNode.Scan scan
                    && reads.stream().noneMatch(s -> s.object().equals(scan.object()))) {
                reads.add(scan);
            }
        });
        return new Part(PlanPrinter.line(root, node), change, reads);
    }
}
