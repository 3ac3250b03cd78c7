package io.tailwater.server.sql;

import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * One client's session: its settings, and the positions it wrote, so that it reads its own writes. Thread-safe; statements of one session may run at
 * the same time. All methods throw {@link io.tailwater.common.error.StreamException} with SQLSTATE, position and hint.
 */
public interface SqlSession extends AutoCloseable {
    /** Parses and validates. Starts nothing and waits for no row. The text must hold one statement. */
    Prepared prepare(String sql);

    /**
     * Runs one statement.
     *
     * @param parameters values for {@code ?}, in the form of {@code api.batch.Values}
     * @param timeout until the first row or the effect; {@link Duration#ZERO} for none; past it the statement fails with HYT00
     * @param cancel the statement ends with 57014 soon after this fires
     */
    Outcome execute(String sql, List<@Nullable Object> parameters, Duration timeout, CancelSignal cancel);

    /**
     * Appends rows to a stream or table (bulk ingest): all or nothing per partition, durable when this returns.
     *
     * @param rows owned
     * @return rows appended
     */
    long ingest(String table, io.tailwater.api.batch.ColumnBatch rows, Schema schema);

    String schema();

    /** Changes a session setting, as SET does; used for Flight's session options. */
    void set(String key, String value);

    @Override
    void close();

    /**
     * What a statement will give.
     *
     * @param result columns of the rows; empty for a statement that returns none
     * @param query whether it returns rows
     * @param unbounded whether the rows never end by themselves
     * @param parameters types of the {@code ?}
     */
    record Prepared(Schema result, boolean query, boolean unbounded, List<DataType> parameters) {}

    /** What a statement gave. */
    sealed interface Outcome {
        /** Rows to be fetched; close the stream. */
        record Rows(Schema schema, boolean unbounded, ResultStream stream) implements Outcome {}

        /**
         * An effect.
         *
         * @param updateCount rows written; 0 for DDL
         * @param jobName name of the job that an INSERT ... SELECT started, or null
         * @param notices for the user, as PostgreSQL's NOTICE
         */
        record Done(long updateCount, @Nullable String jobName, List<String> notices) implements Outcome {}
    }
}
