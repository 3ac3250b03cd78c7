package io.tailwater.planner.physical;

import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.logical.TopNRel;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelFieldCollation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Bounded row numbers, and ORDER BY .. LIMIT anywhere but at the root of a query that ends.
 *
 * <pre>
 * TopNRel(partition k, x)   becomes  TopN(partition k, Exchange(hash(k), x)), without the exchange where x lies so already
 * Sort(limit 3, x)          becomes  TopN(Exchange(single, x))
 * </pre>
 *
 * <p>Rows that the sort keys do not tell apart are told apart by arrival where they have one: the earlier comes first, but where one row with the greatest event
 * time is kept, it is the last of that time.
 */
final class TopNs {
    private static final Column ROW_NUMBER = new Column("row_number", DataType.BIGINT.notNull());

    private final EventTime eventTime;

    TopNs(EventTime eventTime) {
        this.eventTime = eventTime;
    }

    Built topN(TopNRel rel, Built input) {
        return first(input, rel.partitionKeys(), keys(rel.collation()), rel.offset(), rel.limit(), true);
    }

    /** The first rows of all. */
    Built limit(Built input, RelCollation order, long offset, long limit) {
        return first(input, List.of(), keys(order), offset, limit, false);
    }

    static List<SortKey> keys(RelCollation order) {
        List<SortKey> keys = new ArrayList<>();
        for (RelFieldCollation c : order.getFieldCollations()) {
            boolean nullsFirst = c.nullDirection == RelFieldCollation.NullDirection.FIRST
                    || c.nullDirection == RelFieldCollation.NullDirection.UNSPECIFIED && c.direction.isDescending();
            keys.add(new SortKey(c.getFieldIndex(), c.direction.isDescending(), nullsFirst));
        }
        return keys;
    }

    private Built first(
            Built input, List<Integer> partition, List<SortKey> keys, long offset, long limit, boolean rowNumber) {
        int width = input.schema().size();
        Optional<Built> arrived = Arrivals.append(input);
        List<SortKey> order = new ArrayList<>(keys);
        if (arrived.isPresent()) {
            boolean last = limit == 1 && offset == 0 && latestFirst(keys, input.traits());
            order.add(new SortKey(width, last, false));
        }
        Built source = arrived.orElse(input);
        List<Integer> by = partition;
        if (partition.isEmpty()) {
            source = source.single();
        } else if (!source.isSingle()) {
            Optional<List<Integer>> present = source.hashOver(partition);
            by = present.orElse(partition);
            source = present.isPresent() ? source : source.hashed(partition);
        }
        List<Column> columns = new ArrayList<>(source.schema().columns());
        if (rowNumber) {
            columns.add(ROW_NUMBER);
        }
        Traits traits = traits(source, by, limit, rowNumber);
        Built top = Built.of(new PlanNode.TopN(
                source.node(),
                by,
                order,
                offset,
                limit,
                rowNumber,
                new Schema(columns),
                traits,
                eventTime.retention(traits.watermarked(), by)));
        return arrived.isPresent() ? withoutArrival(top, width) : top;
    }

    private static boolean latestFirst(List<SortKey> keys, Traits input) {
        return !keys.isEmpty()
                && keys.get(0).descending()
                && input.watermarked().stream()
                        .anyMatch(w -> w.column() == keys.get(0).column());
    }

    /** A group's rows may be put out anew whenever one comes: only what all of them share is bounded. */
    private static Traits traits(Built source, List<Integer> partition, long limit, boolean rowNumber) {
        Traits input = source.traits();
        List<List<Integer>> unique = new ArrayList<>(input.uniqueKeys());
        if (limit == 1) {
            unique.add(partition);
        } else if (rowNumber) {
            List<Integer> numbered = new ArrayList<>(partition);
            numbered.add(source.schema().size());
            unique.add(numbered);
        }
        Distribution distribution = source.isSingle() ? new Distribution.Single() : new Distribution.Hash(partition);
        return new Traits(
                distribution,
                false,
                unique.stream().distinct().toList(),
                input.watermarked().stream()
                        .filter(w -> partition.contains(w.column()))
                        .toList());
    }

    private static Built withoutArrival(Built top, int arrival) {
        List<Expr> projections = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < top.schema().size(); i++) {
            if (i != arrival) {
                projections.add(new Expr.Input(i, top.schema().type(i)));
                names.add(top.schema().column(i).name());
            }
        }
        return Calcs.calc(top, null, projections, names);
    }
}
