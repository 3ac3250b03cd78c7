package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.Bound;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * EMIT ON WINDOW CLOSE: holds rows back by a column that event time bounds. Where only a column below the last projection is bounded, that is carried along.
 *
 * <pre>
 * Aggregate(window_start, a, COUNT)              becomes  WindowClose(window_start, Aggregate(..))
 * Calc($1, Aggregate(window_start, a, COUNT))    becomes  Calc($0, WindowClose($1, Calc($1, $0, Aggregate(..))))
 * </pre>
 */
final class WindowCloses {
    private WindowCloses() {}

    /** @throws StreamException if nothing says when a row is final */
    static Built close(Built root, EventTime eventTime) {
        List<Traits.Watermarked> at = root.traits().watermarked();
        Optional<Integer> column = eventTime.bounded(at, columns(root.node()));
        if (root.node() instanceof PlanNode.Calc calc) {
            List<Traits.Watermarked> below = calc.input().traits().watermarked();
            Optional<Integer> source = eventTime.bounded(below, columns(calc.input()));
            boolean better = source.isPresent()
                    && (column.isEmpty() || eventTime.lag(below, source.get()) < eventTime.lag(at, column.get()));
            if (better) {
                return carried(calc, source.get(), eventTime);
            }
        }
        return column.map(c -> closeBy(root, c, eventTime)).orElseThrow(() -> refused(eventTime));
    }

    private static Built carried(PlanNode.Calc calc, int column, EventTime eventTime) {
        int width = calc.schema().size();
        List<Expr> projections = new ArrayList<>(calc.projections());
        projections.add(new Expr.Input(column, calc.input().schema().type(column)));
        List<String> names = new ArrayList<>(
                calc.schema().columns().stream().map(Column::name).toList());
        names.add(calc.input().schema().column(column).name());
        Built wide = Calcs.calc(Built.of(calc.input()), calc.condition(), projections, names);
        Built closed = closeBy(wide, width, eventTime);
        List<Expr> kept = IntStream.range(0, width)
                .<Expr>mapToObj(i -> new Expr.Input(i, closed.schema().type(i)))
                .toList();
        return Calcs.calc(closed, null, kept, names.subList(0, width));
    }

    private static Built closeBy(Built rows, int column, EventTime eventTime) {
        Traits t = rows.traits();
        List<Bound> bounds = eventTime.bounds(t.watermarked(), column);
        Traits closed = new Traits(t.distribution(), true, t.uniqueKeys(), t.watermarked());
        return new Built(new PlanNode.WindowClose(rows.node(), column, bounds, closed), rows.hashes());
    }

    private static List<Integer> columns(PlanNode node) {
        return IntStream.range(0, node.schema().size()).boxed().toList();
    }

    private static StreamException refused(EventTime eventTime) {
        return eventTime.isEmpty()
                ? new StreamException(
                        ErrorCode.FEATURE_NOT_SUPPORTED,
                        "EMIT ON WINDOW CLOSE needs event time, but nothing that this query reads has a watermark",
                        -1,
                        "declare one on the stream: WATERMARK FOR ts AS ts - INTERVAL '5' SECOND; or leave the clause out and keep the result in a materialized view or a table with a primary key",
                        null)
                : new StreamException(
                        ErrorCode.FEATURE_NOT_SUPPORTED,
                        "EMIT ON WINDOW CLOSE cannot tell when a row of this query is final: no column of the result follows event time",
                        -1,
                        "group by window_start and window_end of TUMBLE, HOP, CUMULATE or SESSION over the watermark's column, and join windows on them; or leave the clause out and keep the result in a materialized view or a table with a primary key",
                        null);
    }
}
