package io.tailwater.executor.runtime;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a plan reads. */
public final class PlanReaders {
    private PlanReaders() {}

    /** A scan for each reader of the plan, by number; where several scans share a reader, one with the columns of all of them. */
    public static List<PlanNode.Scan> of(PlanNode root) {
        SortedMap<Integer, PlanNode.Scan> out = new TreeMap<>();
        collect(root, out);
        if (!out.isEmpty() && out.lastKey() != out.size() - 1) {
            throw new AssertionError("the readers of a plan are not numbered through: " + out.keySet());
        }
        return List.copyOf(out.values());
    }

    private static void collect(PlanNode node, SortedMap<Integer, PlanNode.Scan> out) {
        if (node instanceof PlanNode.Scan scan) {
            out.merge(scan.reader(), scan, PlanReaders::merged);
        }
        node.inputs().forEach(input -> collect(input, out));
    }

    private static PlanNode.Scan merged(PlanNode.Scan first, PlanNode.Scan second) {
        if (first.kind() != second.kind() || !first.object().equals(second.object())) {
            throw new AssertionError("one reader for two things: " + first + " and " + second);
        }
        if (first.columns().containsAll(second.columns())) {
            return first;
        }
        List<Integer> columns = new ArrayList<>(first.columns());
        List<Column> schema = new ArrayList<>(first.schema().columns());
        for (int c = 0; c < second.columns().size(); c++) {
            if (!columns.contains(second.columns().get(c))) {
                columns.add(second.columns().get(c));
                schema.add(second.schema().column(c));
            }
        }
        return new PlanNode.Scan(
                first.reader(), first.kind(), first.object(), columns, new Schema(schema), first.traits());
    }

    /** Where the columns of {@code scan} are among those of its {@code reader}; null if they are the same. */
    static int @org.jspecify.annotations.Nullable [] positions(PlanNode.Scan scan, PlanNode.Scan reader) {
        return scan.columns().equals(reader.columns())
                ? null
                : scan.columns().stream()
                        .mapToInt(c -> reader.columns().indexOf(c))
                        .toArray();
    }
}
