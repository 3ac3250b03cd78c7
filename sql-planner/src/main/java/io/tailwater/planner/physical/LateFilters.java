package io.tailwater.planner.physical;

import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.Bound;
import io.tailwater.api.plan.PlanNode.Retention;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Puts late filters above the scans whose event time some state of the finished plan relies on. They read all columns, for the rows they take out.
 *
 * <pre>
 * Calc($0 + 1, Scan(b))   becomes  Calc($1 + 1, LateFilter(Scan(a, b, c, arrival)))
 * </pre>
 */
final class LateFilters {
    private final EventTime eventTime;
    private final SortedSet<Integer> readers;

    private LateFilters(EventTime eventTime, SortedSet<Integer> readers) {
        this.eventTime = eventTime;
        this.readers = readers;
    }

    static PlanNode add(PlanNode root, EventTime eventTime) {
        SortedSet<Integer> readers = new TreeSet<>();
        collect(root, readers);
        return readers.isEmpty() ? root : new LateFilters(eventTime, readers).visit(root);
    }

    private static void collect(PlanNode node, SortedSet<Integer> readers) {
        bounds(node).forEach(b -> readers.add(b.reader()));
        node.inputs().forEach(input -> collect(input, readers));
    }

    private static Stream<Bound> bounds(PlanNode node) {
        if (node instanceof PlanNode.WindowClose close) {
            return close.bounds().stream();
        }
        return Stream.ofNullable(Inputs.retention(node)).map(Retention::bounds).flatMap(List::stream);
    }

    private PlanNode visit(PlanNode node) {
        if (node instanceof PlanNode.Scan scan && readers.contains(scan.reader())) {
            return calc(scan, null);
        }
        if (node instanceof PlanNode.Calc calc
                && calc.input() instanceof PlanNode.Scan scan
                && readers.contains(scan.reader())) {
            return calc(scan, calc);
        }
        List<PlanNode> inputs = node.inputs().stream().map(this::visit).toList();
        return inputs.equals(node.inputs()) ? node : Inputs.replace(node, inputs);
    }

    /** {@code above}, or a mere choice of columns, over the rows of {@code scan} that are not late. */
    private PlanNode calc(PlanNode.Scan scan, PlanNode.@org.jspecify.annotations.Nullable Calc above) {
        EventTime.Source source = eventTime.source(scan.reader());
        List<Column> columns = new ArrayList<>(source.stream().schema().columns());
        int arrival = columns.size();
        columns.add(Arrivals.COLUMN);
        List<Integer> all = new ArrayList<>(IntStream.range(0, arrival).boxed().toList());
        all.add(PlanNode.Scan.ARRIVAL);
        Traits traits = new Traits(
                new Distribution.Any(),
                true,
                List.of(),
                List.of(new Traits.Watermarked(source.timeColumn(), scan.reader(), source.slackMicros())));
        PlanNode filter = new PlanNode.LateFilter(
                new PlanNode.Scan(scan.reader(), scan.kind(), scan.object(), all, new Schema(columns), traits),
                source.timeColumn(),
                arrival,
                scan.reader(),
                source.slackMicros(),
                traits);
        int[] positions = scan.columns().stream()
                .mapToInt(c -> c == PlanNode.Scan.ARRIVAL ? arrival : c)
                .toArray();
        if (above == null) {
            List<Expr> projections = Exprs.identity(scan.schema()).stream()
                    .map(e -> Exprs.renumber(e, positions))
                    .toList();
            return new PlanNode.Calc(filter, null, projections, scan.schema(), scan.traits());
        }
        Expr condition = above.condition();
        return new PlanNode.Calc(
                filter,
                condition == null ? null : Exprs.renumber(condition, positions),
                above.projections().stream()
                        .map(p -> Exprs.renumber(p, positions))
                        .toList(),
                above.schema(),
                above.traits());
    }
}
