package io.tailwater.planner.physical;

import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.logical.SessionRel;
import io.tailwater.planner.validate.Types;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * SESSION: rows of one key meet on one worker.
 *
 * <pre>
 * SessionRel(partition k, x)   becomes  SessionAssign(partition k, Exchange(hash(k), x)), without the exchange where x lies so already
 * SessionRel(x)                becomes  SessionAssign(Exchange(single, x))
 * </pre>
 */
final class Sessions {
    private final EventTime eventTime;

    Sessions(EventTime eventTime) {
        this.eventTime = eventTime;
    }

    Built session(SessionRel session, Built rows) {
        List<Integer> keys = session.partitionKeys();
        Built input = rows;
        if (keys.isEmpty()) {
            input = rows.single();
        } else if (!rows.isSingle()) {
            Optional<List<Integer>> present = rows.hashOver(keys);
            keys = present.orElse(keys);
            input = present.isPresent() ? rows : rows.hashed(keys);
        }
        int start = input.schema().size();
        Schema bounds = Types.schema(session.getRowType());
        List<Column> columns = new ArrayList<>(input.schema().columns());
        columns.add(bounds.column(start));
        columns.add(bounds.column(start + 1));
        List<Traits.Watermarked> watermarked = watermarked(input.traits(), session.timeColumn(), keys, start + 1);
        return Built.of(new PlanNode.SessionAssign(
                input.node(),
                keys,
                session.timeColumn(),
                session.gapMicros(),
                new Schema(columns),
                new Traits(
                        input.isSingle() ? new Distribution.Single() : new Distribution.Hash(keys),
                        false,
                        input.traits().uniqueKeys(),
                        watermarked),
                eventTime.retention(watermarked, List.of(start + 1))));
    }

    /**
     * A row that comes moves rows of the session it joins, whose times may lie far back. But that session ends after the row's time, or the row would not
     * join it; so does the session that it makes, and what is left of one that it leaves.
     */
    private static List<Traits.Watermarked> watermarked(Traits input, int time, List<Integer> keys, int end) {
        List<Traits.Watermarked> out = new ArrayList<>();
        for (Traits.Watermarked w : input.watermarked()) {
            if (w.column() == time) {
                out.add(new Traits.Watermarked(end, w.reader(), w.lagMicros() - 1));
            } else if (keys.contains(w.column())) {
                out.add(w);
            }
        }
        return out;
    }
}
