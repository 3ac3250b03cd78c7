package io.tailwater.planner;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;

/** Says which operators of a continuous plan keep state that grows as long as the query runs, and why. */
final class StateNotes {
    private StateNotes() {}

    static void add(PlanNode node, List<String> out) {
        if (readsStream(node)) {
            String note = note(node);
            if (note != null && !out.contains(note)) {
                out.add(note);
            }
            node.inputs().forEach(input -> add(input, out));
        }
    }

    private static boolean readsStream(PlanNode node) {
        return node instanceof PlanNode.Scan scan
                ? scan.kind() == PlanNode.ScanKind.STREAM || scan.kind() == PlanNode.ScanKind.CONNECTOR
                : node.inputs().stream().anyMatch(StateNotes::readsStream);
    }

    private static @Nullable String note(PlanNode node) {
        if (node instanceof PlanNode.Join join) {
            return "Note: the " + join.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                    + " join keeps all rows of both inputs: its state grows without bound because no time bounds its match.";
        }
        if (node instanceof PlanNode.SetOperation set) {
            return "Note: " + set.kind() + " keeps all rows of both inputs: its state grows without bound.";
        }
        if (node instanceof PlanNode.Aggregate aggregate
                && aggregate.retention() == null
                && !aggregate.groupKeys().isEmpty()) {
            return "Note: the aggregate by ("
                    + PlanPrinter.names(aggregate.input().schema(), aggregate.groupKeys())
                    + ") keeps a row for each group for ever: "
                    + why(aggregate.input().traits(), aggregate.groupKeys(), "group");
        }
        if (node instanceof PlanNode.TopN top
                && top.retention() == null
                && !top.partitionKeys().isEmpty()) {
            return "Note: the top " + top.limit() + " by (" + PlanPrinter.names(top.schema(), top.partitionKeys())
                    + ") keeps rows of each group for ever: "
                    + why(top.input().traits(), top.partitionKeys(), "partition");
        }
        if (node instanceof PlanNode.SessionAssign session && session.retention() == null) {
            return "Note: the sessions on "
                    + session.schema().column(session.timeColumn()).name() + " keep all rows for ever: "
                    + why(session.input().traits(), List.of(session.timeColumn()), "time");
        }
        return null;
    }

    private static String why(Traits input, List<Integer> columns, String what) {
        return input.watermarked().stream().anyMatch(w -> columns.contains(w.column()))
                ? "late rows are welcome without end, as the stream has no LATENESS and the query no EMIT ON WINDOW CLOSE."
                : "no " + what + (what.equals("time") ? " column" : " key") + " is bounded by a watermark.";
    }
}
