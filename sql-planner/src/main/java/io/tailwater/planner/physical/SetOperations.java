package io.tailwater.planner.physical;

import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.SetKind;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * INTERSECT and EXCEPT: equal rows of both sides meet on one worker.
 *
 * <pre>
 * Intersect(a, b, c)   becomes  SetOperation(SetOperation(Exchange(hash(all), a), Exchange(hash(all), b)), Exchange(hash(all), c))
 * </pre>
 */
final class SetOperations {
    private SetOperations() {}

    /** @param inputs with the columns of {@code schema} */
    static Built of(List<Built> inputs, SetKind kind, boolean all, Schema schema) {
        Built result = inputs.get(0);
        for (Built right : inputs.subList(1, inputs.size())) {
            result = of(result, right, kind, all, schema);
        }
        return result;
    }

    private static Built of(Built first, Built second, SetKind kind, boolean all, Schema schema) {
        Built left = first;
        Built right = second;
        List<Integer> columns = IntStream.range(0, schema.size()).boxed().toList();
        Distribution distribution = new Distribution.Single();
        if (!(left.isSingle() && right.isSingle())) {
            Optional<List<Integer>> alike =
                    left.hashes().stream().filter(right.hashes()::contains).findFirst();
            List<Integer> by = alike.orElse(columns);
            left = left.hashed(by);
            right = right.hashed(by);
            distribution = new Distribution.Hash(by);
        }
        return Built.of(new PlanNode.SetOperation(
                left.node(),
                right.node(),
                kind,
                all,
                schema,
                new Traits(
                        distribution,
                        appendOnly(left, right, kind),
                        uniqueKeys(left, right, kind, all, columns),
                        Watermarks.both(
                                left.traits().watermarked(), right.traits().watermarked(), columns, columns))));
    }

    /** Rows that both sides keep stay common. */
    private static boolean appendOnly(Built left, Built right, SetKind kind) {
        return kind == SetKind.INTERSECT
                && left.traits().appendOnly()
                && right.traits().appendOnly();
    }

    private static List<List<Integer>> uniqueKeys(
            Built left, Built right, SetKind kind, boolean all, List<Integer> columns) {
        List<List<Integer>> out = new ArrayList<>(left.traits().uniqueKeys());
        if (kind == SetKind.INTERSECT) {
            out.addAll(right.traits().uniqueKeys());
        }
        if (!all && out.isEmpty()) {
            out.add(columns);
        }
        return out.stream().distinct().toList();
    }
}
