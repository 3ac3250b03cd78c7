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
    @JsonSubTypes.Type(value = PlanNode.Consolidate.class, name = "consolidate"),
    @JsonSubTypes.Type(value = PlanNode.Exchange.class, name = "exchange"),
    @JsonSubTypes.Type(value = PlanNode.Aggregate.class, name = "aggregate"),
    @JsonSubTypes.Type(value = PlanNode.Join.class, name = "join"),
    @JsonSubTypes.Type(value = PlanNode.Union.class, name = "union"),
    @JsonSubTypes.Type(value = PlanNode.Keyed.class, name = "keyed"),
    @JsonSubTypes.Type(value = PlanNode.Sort.class, name = "sort"),
    @JsonSubTypes.Type(value = PlanNode.SetOperation.class, name = "setOperation"),
    @JsonSubTypes.Type(value = PlanNode.SessionAssign.class, name = "sessionAssign"),
    @JsonSubTypes.Type(value = PlanNode.TopN.class, name = "topN"),
    @JsonSubTypes.Type(value = PlanNode.WindowClose.class, name = "windowClose"),
    @JsonSubTypes.Type(value = PlanNode.LateFilter.class, name = "lateFilter")
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
     * @param reader number within the plan, 0-based, in the order in which a depth-first walk meets them; scans of one stream share one reader, each with
     *     the columns it needs
     * @param columns of the object, in this order, that {@code schema} consists of; {@link #ARRIVAL} stands for the hidden arrival column
     */
    record Scan(int reader, ScanKind kind, ObjectName object, List<Integer> columns, Schema schema, Traits traits)
            implements PlanNode {
        /**
         * Instead of a column's number: the row's place in its source, a BIGINT NOT NULL that is unique within the reader and the same in every replay. It
         * ascends within a partition; of a stored stream it holds (partition, frame, row), of a generator the event number. STREAM and CONNECTOR only.
         */
        public static final int ARRIVAL = -1;

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

    /**
     * The same relation in fewer rows: within a tick, rows that are equal in all columns become one row with the sum of their weights, where that leaves less than half of
     * them. Below an exchange or an operator that multiplies rows; columns have a fixed width.
     */
    record Consolidate(PlanNode input, Traits traits) implements PlanNode {
        @Override
        public Schema schema() {
            return input.schema();
        }

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
    record Aggregate(
            PlanNode input,
            List<Integer> groupKeys,
            List<AggregateCall> calls,
            Schema schema,
            Traits traits,
            @Nullable Retention retention)
            implements PlanNode {
        public Aggregate {
            groupKeys = List.copyOf(groupKeys);
            calls = List.copyOf(calls);
        }

        /** Keeps every group. */
        public Aggregate(
                PlanNode input, List<Integer> groupKeys, List<AggregateCall> calls, Schema schema, Traits traits) {
            this(input, groupKeys, calls, schema, traits, null);
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

    /** Which rows a {@link SetOperation} yields. */
    enum SetKind {
        INTERSECT,
        EXCEPT
    }

    /**
     * INTERSECT and EXCEPT over whole rows, NULLs being equal; both inputs have the columns of {@code schema} and are distributed alike. With
     * {@code all} a row that occurs l times on the left and r times on the right occurs min(l, r) or max(l - r, 0) times, else once or not at all.
     */
    record SetOperation(PlanNode left, PlanNode right, SetKind kind, boolean all, Schema schema, Traits traits)
            implements PlanNode {
        @Override
        public List<PlanNode> inputs() {
            return List.of(left, right);
        }
    }

    /**
     * What event time bounds: values to come are at or above the watermark of {@code reader} less {@code lagMicros} (which may be negative: a row at or after
     * the watermark has a TUMBLE window that ends at least a microsecond after it).
     */
    record Bound(int reader, long lagMicros) {}

    /**
     * State that nothing can touch any more: rows or groups whose {@code column} (of the node's output, in microseconds) is less than every
     * bound are dropped at the end of a tick, by the watermarks of that tick, without emitting anything.
     */
    record Retention(int column, List<Bound> bounds) {
        public Retention {
            bounds = List.copyOf(bounds);
            if (bounds.isEmpty()) {
                throw new IllegalArgumentException("a retention without a bound");
            }
        }
    }

    /**
     * SESSION: the input's columns, then {@code window_start} and {@code window_end} (of the time column's type) of the session that each row belongs to.
     * Rows of one partition key (NULLs are equal) belong together while each is less than {@code gapMicros} after the one before; a session ends
     * {@code gapMicros} after its last row. A NULL time falls in no session. A row that joins sessions moves their rows: minus the old, plus the new.
     */
    record SessionAssign(
            PlanNode input,
            List<Integer> partitionKeys,
            int timeColumn,
            long gapMicros,
            Schema schema,
            Traits traits,
            @Nullable Retention retention)
            implements PlanNode {
        public SessionAssign {
            partitionKeys = List.copyOf(partitionKeys);
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    /**
     * The first rows of each group in an order: ROW_NUMBER() OVER (PARTITION BY .. ORDER BY ..) up to {@code limit}, deduplication, and ORDER BY .. LIMIT in a continuous
     * query (no partition keys; on worker 0). Rows equal in all sort keys are ordered by their canonical bytes, so where ties must break by
     * arrival the planner adds the scan's {@link Scan#ARRIVAL} column as a last sort key.
     *
     * @param offset rows of each group left out first
     * @param limit rows of each group after those, at least 1
     * @param rowNumber whether a last BIGINT column holds the row's number in its group, 1-based, counted before {@code offset}
     */
    record TopN(
            PlanNode input,
            List<Integer> partitionKeys,
            List<SortKey> keys,
            long offset,
            long limit,
            boolean rowNumber,
            Schema schema,
            Traits traits,
            @Nullable Retention retention)
            implements PlanNode {
        public TopN {
            partitionKeys = List.copyOf(partitionKeys);
            keys = List.copyOf(keys);
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    /**
     * EMIT ON WINDOW CLOSE: holds the input's net rows back until their {@code timeColumn} is less than every bound by the watermarks at the end of a
     * tick, then emits each once and forgets it, in ascending order of that column within a tick. Append-only. What arrives below the bound that was
     * already closed is dropped: a {@link LateFilter} further down has listed it. Rows with a NULL time are never released.
     */
    record WindowClose(PlanNode input, int timeColumn, List<Bound> bounds, Traits traits) implements PlanNode {
        public WindowClose {
            bounds = List.copyOf(bounds);
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

    /**
     * Takes late rows out: those whose {@code timeColumn} is less than the watermark of {@code reader} at the end of the tick before, less {@code slackMicros}. They are
     * counted and go to {@code <stream>$late}. Directly above the scan of {@code reader}, which reads all columns then.
     *
     * @param arrivalColumn the input's {@link Scan#ARRIVAL} column
     */
    record LateFilter(PlanNode input, int timeColumn, int arrivalColumn, int reader, long slackMicros, Traits traits)
            implements PlanNode {
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
