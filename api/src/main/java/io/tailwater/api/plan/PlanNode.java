package io.tailwater.api.plan;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A node of a physical plan over Z-sets: each yields, tick by tick, the change of its relation. Exchanges are explicit; everything between two
 * exchanges runs on one worker without hand-over. Immutable; a tree.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "node")
@JsonSubTypes({
    @JsonSubTypes.Type(value = PlanNode.Scan.class, name = "scan"),
    @JsonSubTypes.Type(value = PlanNode.Values.class, name = "values"),
    @JsonSubTypes.Type(value = PlanNode.Calc.class, name = "calc"),
    @JsonSubTypes.Type(value = PlanNode.WindowAssign.class, name = "windowAssign"),
    @JsonSubTypes.Type(value = PlanNode.Exchange.class, name = "exchange"),
    @JsonSubTypes.Type(value = PlanNode.Aggregate.class, name = "aggregate"),
    @JsonSubTypes.Type(value = PlanNode.Join.class, name = "join"),
    @JsonSubTypes.Type(value = PlanNode.Union.class, name = "union"),
    @JsonSubTypes.Type(value = PlanNode.Keyed.class, name = "keyed"),
    @JsonSubTypes.Type(value = PlanNode.Sort.class, name = "sort")
})
public sealed interface PlanNode {
    Schema schema();

    Traits traits();

    @JsonIgnore
    List<PlanNode> inputs();

    /** What kind of catalog object a scan reads. */
    enum ScanKind {
        /** A stored stream's frames. */
        STREAM,
        /** A definition whose connector is read afresh by each reader. */
        CONNECTOR,
        /** A keyed table's resolved changelog. */
        TABLE,
        /** A materialized view of the same application. */
        VIEW,
        /** Rows the server makes up: {@code sys} and {@code information_schema}. Bounded queries only. */
        SYSTEM
    }

    /**
     * Reads a catalog object.
     *
     * @param reader number of this scan within its plan, 0-based, in the order of a depth-first walk
     * @param columns of the object, in this order, that {@code schema} consists of
     */
    record Scan(int reader, ScanKind kind, ObjectName object, List<Integer> columns, Schema schema, Traits traits)
            implements PlanNode {
        public Scan {
            columns = List.copyOf(columns);
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of();
        }
    }

    /** Constant rows, emitted once at the first tick (worker 0). */
    record Values(List<List<Expr.Literal>> rows, Schema schema, Traits traits) implements PlanNode {
        public Values {
            rows = rows.stream().map(List::copyOf).toList();
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of();
        }
    }

    /** Keeps the rows whose condition is true and computes the projections. */
    record Calc(PlanNode input, @Nullable Expr condition, List<Expr> projections, Schema schema, Traits traits)
            implements PlanNode {
        public Calc {
            projections = List.copyOf(projections);
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    /**
     * HOP and CUMULATE: each row once for every window it falls in, with {@code window_start} and {@code window_end} (of the time column's type)
     * appended. TUMBLE is a Calc with {@link Function#TUMBLE_START}. Times in microseconds. A NULL time falls in no window.
     */
    record WindowAssign(
            PlanNode input,
            WindowKind kind,
            int timeColumn,
            long sizeMicros,
            long slideMicros,
            long offsetMicros,
            Schema schema,
            Traits traits)
            implements PlanNode {
        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    enum WindowKind {
        HOP,
        CUMULATE
    }

    /** Moves rows between workers. */
    record Exchange(PlanNode input, Distribution distribution, Traits traits) implements PlanNode {
        @Override
        public Schema schema() {
            return input.schema();
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    /**
     * Groups by {@code groupKeys} (NULLs group together); output is the keys in order, then a column per call. Without keys there is always one row,
     * also over no input; it lives on worker 0. Without calls it is DISTINCT. At tick end it emits the net change: minus the old row, plus the new.
     */
    record Aggregate(PlanNode input, List<Integer> groupKeys, List<AggregateCall> calls, Schema schema, Traits traits)
            implements PlanNode {
        public Aggregate {
            groupKeys = List.copyOf(groupKeys);
            calls = List.copyOf(calls);
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    /** SEMI and ANTI keep left columns only; NULL_AWARE_ANTI is SQL's NOT IN. */
    enum JoinKind {
        INNER,
        LEFT,
        RIGHT,
        FULL,
        SEMI,
        ANTI,
        NULL_AWARE_ANTI
    }

    /**
     * Equi-join on {@code leftKeys[i] = rightKeys[i]} with an optional residual condition over left ++ right columns. A NULL key matches nothing,
     * unless {@code nullSafe[i]} (IS NOT DISTINCT FROM). Without keys it is a cross join, on worker 0.
     */
    record Join(
            PlanNode left,
            PlanNode right,
            JoinKind kind,
            List<Integer> leftKeys,
            List<Integer> rightKeys,
            List<Boolean> nullSafe,
            @Nullable Expr residual,
            Schema schema,
            Traits traits)
            implements PlanNode {
        public Join {
            leftKeys = List.copyOf(leftKeys);
            rightKeys = List.copyOf(rightKeys);
            nullSafe = List.copyOf(nullSafe);
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(left, right);
        }
    }

    /** UNION ALL: the sum of its inputs. */
    record Union(List<PlanNode> inputs, Schema schema, Traits traits) implements PlanNode {
        public Union {
            inputs = List.copyOf(inputs);
        }

        @Override
        @JsonIgnore(false)
        public List<PlanNode> inputs() {
            return inputs;
        }
    }

    /**
     * Turns upserts and deletes by key into a changelog: an input row of weight +1 replaces the row of its key, one of weight -1 removes it
     * (columns past the key are ignored). Input order decides. Emits minus the old row, plus the new.
     */
    record Keyed(PlanNode input, List<Integer> key, Traits traits) implements PlanNode {
        public Keyed {
            key = List.copyOf(key);
        }

        @Override
        public Schema schema() {
            return input.schema();
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    /** ORDER BY, OFFSET and LIMIT at the root of a bounded query, on worker 0. {@code limit} is -1 for none. */
    record Sort(PlanNode input, List<SortKey> keys, long offset, long limit, Traits traits) implements PlanNode {
        public Sort {
            keys = List.copyOf(keys);
        }

        @Override
        public Schema schema() {
            return input.schema();
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }
}
