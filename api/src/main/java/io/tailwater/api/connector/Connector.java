package io.tailwater.api.connector;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;

import java.nio.file.Path;
import java.util.List;

/** A kind of source or sink, found through {@link java.util.ServiceLoader}. Implementations are thread-safe and stateless. */
public interface Connector {
    /** The value of {@code WITH (connector = '...')}. */
    String name();

    /** Options it understands, {@code connector} aside. Others are refused with a hint before {@link #resolve} is called. */
    List<ConnectorOption> options();

    boolean readable();

    boolean writable();

    /**
     * Whether writers take weights of -1, that is, queries that update or retract. A sink of plain lines cannot: the planner refuses such a query
     * with 42P17 before a writer is opened.
     */
    default boolean acceptsUpdates(CatalogObject.Stream stream) {
        return false;
    }

    /**
     * Columns by which a writer puts and deletes rows, or none. All rows of a key then come to one writer, and a query that updates must have one row for
     * each key.
     */
    default List<Integer> upsertKey(CatalogObject.Stream stream) {
        return List.of();
    }

    /** The best delivery of a writer of this stream, which was {@link #resolve}d: what is asked for beyond it is refused. */
    default Delivery delivery(CatalogObject.Stream stream) {
        return Delivery.atLeastOnce("does not know a tick that runs again");
    }

    /**
     * Checks a definition and completes it: implied columns, absolute paths. Called when the stream is created; may look at files.
     *
     * @param workingDirectory what relative paths are relative to
     * @throws io.tailwater.common.error.StreamException if the options or columns do not fit
     */
    CatalogObject.Stream resolve(CatalogObject.Stream declared, Path workingDirectory);

    /** Whether reading it ends by itself. */
    boolean bounded(CatalogObject.Stream stream);

    /** The independent parts of the input, at most about {@code parallelism} where the input can be cut at will. At least one, unless {@link #growing}. */
    List<String> splits(CatalogObject.Stream stream, int parallelism);

    /** Whether splits may come while the stream is read: files of a directory that is followed. Only such a stream may have none at first. */
    default boolean growing(CatalogObject.Stream stream) {
        return false;
    }

    /** Splits that are there now and not among {@code known}, of a {@link #growing} stream. May look at files; not called by workers. */
    default List<String> newSplits(CatalogObject.Stream stream, List<String> known) {
        return List.of();
    }

    /** Opens one of {@link #splits} or {@link #newSplits}. */
    SplitReader open(CatalogObject.Stream stream, String split, ReadContext context);

    /** Opens a worker's writer. Does not wait for a target that is away. */
    SinkWriter write(CatalogObject.Stream stream, WriteContext context);

    /**
     * What a writer needs.
     *
     * @param installation names the data directory, and so tells ticks of one server from those of another
     * @param jobId no other job of the application ever has it, also if it bears the same name
     * @param worker one of {@code workers}, each with a writer of its own
     * @param resumeAt the last position that {@link SinkWriter#endTick} returned and a COMMIT holds, or -1
     */
    record WriteContext(
            String installation,
            String application,
            String job,
            long jobId,
            int worker,
            int workers,
            long resumeAt,
            MemoryAccount memory) {
        /** Where the target does not remember who wrote. */
        public WriteContext(int worker, int workers, long resumeAt, MemoryAccount memory) {
            this("none", "default", "none", 1, worker, workers, resumeAt, memory);
        }
    }

    /**
     * What a reader needs.
     *
     * @param columns of the stream's schema to deliver, in this order; others need not be made or parsed. {@link PlanNode.Scan#ARRIVAL} stands for a BIGINT that
     *     is {@code arrivalBase} plus a number less than 2^48, unique in the split, ascending, and the same however the split is cut into ranges
     * @param timeColumn of the stream's schema whose least and greatest value {@link SplitReader.Ready} reports, or -1
     */
    record ReadContext(List<Integer> columns, int timeColumn, long arrivalBase, MemoryAccount memory, Clock clock) {
        public ReadContext {
            columns = List.copyOf(columns);
        }

        /** Of the first split. */
        public ReadContext(List<Integer> columns, int timeColumn, MemoryAccount memory, Clock clock) {
            this(columns, timeColumn, 0, memory, clock);
        }

        /** What arrival columns of split number {@code split} of a reader begin at. */
        public static long arrivalBase(int split) {
            return (long) split << 48;
        }

        /** Types of {@link #columns} in a stream of this schema. */
        public DataType[] types(Schema schema) {
            return columns.stream()
                    .map(c -> c == PlanNode.Scan.ARRIVAL ? DataType.BIGINT.notNull() : schema.type(c))
                    .toArray(DataType[]::new);
        }
    }
}
