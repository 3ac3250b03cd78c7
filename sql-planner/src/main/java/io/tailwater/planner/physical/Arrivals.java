package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Carries the place of a row in its source up to an operator that breaks ties by it. Rows have one where they come from one scan of a stream, through filters,
 * projections and windows.
 *
 * <pre>
 * Calc($0 + 1, Scan(a))   becomes  Calc($0 + 1, $1, Scan(a, arrival))
 * </pre>
 */
final class Arrivals {
    static final Column COLUMN = new Column("arrival", DataType.BIGINT.notNull());

    private Arrivals() {}

    /** A node, where the columns of its former self are, and where the arrival column is. */
    private record Placed(PlanNode node, int[] positions, int arrival) {}

    /** The same rows with the arrival column after all others, if they have one. */
    static Optional<Built> append(Built input) {
        Schema schema = input.schema();
        return placed(input.node()).map(p -> {
            List<Expr> projections = new ArrayList<>();
            List<String> names = new ArrayList<>();
            for (int i = 0; i < schema.size(); i++) {
                projections.add(new Expr.Input(p.positions()[i], schema.type(i)));
                names.add(schema.column(i).name());
            }
            projections.add(new Expr.Input(p.arrival(), COLUMN.type()));
            names.add(COLUMN.name());
            return Calcs.isIdentity(projections, p.node().schema().size())
                    ? Built.of(p.node())
                    : Calcs.calc(Built.of(p.node()), null, projections, names);
        });
    }

    private static Optional<Placed> placed(PlanNode node) {
        if (node instanceof PlanNode.Scan scan) {
            return scan.kind() == PlanNode.ScanKind.STREAM || scan.kind() == PlanNode.ScanKind.CONNECTOR
                    ? Optional.of(scan(scan))
                    : Optional.empty();
        }
        if (node instanceof PlanNode.Calc calc) {
            return placed(calc.input()).map(p -> calc(calc, p));
        }
        if (node instanceof PlanNode.WindowAssign window) {
            return placed(window.input()).map(p -> window(window, p));
        }
        return Optional.empty();
    }

    private static Placed scan(PlanNode.Scan scan) {
        int width = scan.schema().size();
        List<Integer> columns = new ArrayList<>(scan.columns());
        columns.add(PlanNode.Scan.ARRIVAL);
        return new Placed(
                new PlanNode.Scan(
                        scan.reader(), scan.kind(), scan.object(), columns, plus(scan.schema(), COLUMN), scan.traits()),
                IntStream.range(0, width).toArray(),
                width);
    }

    private static Placed calc(PlanNode.Calc calc, Placed input) {
        int width = calc.schema().size();
        Expr condition = calc.condition();
        List<Expr> projections = new ArrayList<>();
        calc.projections().forEach(p -> projections.add(Exprs.renumber(p, input.positions())));
        projections.add(new Expr.Input(input.arrival(), COLUMN.type()));
        return new Placed(
                new PlanNode.Calc(
                        input.node(),
                        condition == null ? null : Exprs.renumber(condition, input.positions()),
                        projections,
                        plus(calc.schema(), COLUMN),
                        calc.traits()),
                IntStream.range(0, width).toArray(),
                width);
    }

    private static Placed window(PlanNode.WindowAssign window, Placed input) {
        int start = window.schema().size() - 2;
        int width = input.node().schema().size();
        int[] positions = java.util.Arrays.copyOf(input.positions(), start + 2);
        positions[start] = width;
        positions[start + 1] = width + 1;
        Schema schema = plus(
                plus(input.node().schema(), window.schema().column(start)),
                window.schema().column(start + 1));
        return new Placed(
                new PlanNode.WindowAssign(
                        input.node(),
                        window.kind(),
                        positions[window.timeColumn()],
                        window.sizeMicros(),
                        window.slideMicros(),
                        window.offsetMicros(),
                        schema,
                        Pruner.move(window.traits(), positions)),
                positions,
                input.arrival());
    }

    private static Schema plus(Schema schema, Column column) {
        List<Column> columns = new ArrayList<>(schema.columns());
        columns.add(column);
        return new Schema(columns);
    }
}
