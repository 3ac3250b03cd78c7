package io.tailwater.server.flight;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.ResultStream;
import io.tailwater.server.sql.SqlService;
import io.tailwater.server.sql.SqlSession;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A SQL service that knows a few statements by heart, and counts what it has open. */
final class FakeSql implements SqlService {
    static final MemoryAccount MEMORY = MemoryAccount.unlimited("fake");

    static final Schema ALL_TYPES = Schema.of(
            new Column("c_bool", DataType.BOOLEAN),
            new Column("c_tiny", DataType.TINYINT),
            new Column("c_small", DataType.SMALLINT),
            new Column("c_int", DataType.INTEGER.notNull()),
            new Column("c_big", DataType.BIGINT),
            new Column("c_dec", DataType.decimal(12, 2)),
            new Column("c_real", DataType.REAL),
            new Column("c_dbl", DataType.DOUBLE),
            new Column("c_name", DataType.varchar(20)),
            new Column("c_bin", DataType.VARBINARY),
            new Column("c_date", DataType.DATE),
            new Column("c_time", DataType.TIME),
            new Column("c_ts", DataType.timestamp(6)),
            new Column("c_ts3", DataType.timestamp(3)),
            new Column("c_ltz", DataType.TIMESTAMP_LTZ),
            new Column("c_day", new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, true)),
            new Column("c_year", new DataType(TypeKind.INTERVAL_YEAR_MONTH, 0, 0, true)),
            new Column("c_null", new DataType(TypeKind.NULL, 0, 0, true)));

    /** 2024-07-01 12:34:56.789012. */
    static final long MICROS = 1_719_837_296_789_012L;

    static final List<@Nullable Object> VALUES = Arrays.asList(
            true,
            -7L,
            -300L,
            42L,
            9007199254740993L,
            new BigDecimal("10.50"),
            1.5f,
            -2.25,
            "größer als zwölf",
            new byte[] {0, 1, (byte) 0xFF},
            19905L,
            45_296_789_012L,
            MICROS,
            1_719_837_296_789_000L,
            MICROS,
            -93_784_000_005L,
            14L,
            null);

    static final String INSERT = "INSERT INTO t VALUES (?, ?)";

    final Gauge openSessions = new Gauge();
    final Gauge openStreams = new Gauge();
    /** Threads that wait in "SLEEP" or for a row of a push query. */
    final Gauge waiting = new Gauge();

    final AtomicInteger executions = new AtomicInteger();
    /** Rows of "SELECT n FROM series" that were handed out. */
    final AtomicLong rowsPulled = new AtomicLong();

    final List<List<@Nullable Object>> inserted = new CopyOnWriteArrayList<>();
    final List<String> opened = new CopyOnWriteArrayList<>();
    final Map<String, String> settings = new ConcurrentHashMap<>();
    /** What "SELECT n FROM pushed EMIT CHANGES" gives, in order. */
    final BlockingQueue<Long> pushed = new LinkedBlockingQueue<>();

    /** A number that tests can wait for. */
    static final class Gauge {
        private int value;

        synchronized void add(int change) {
            value += change;
            notifyAll();
        }

        synchronized int get() {
            return value;
        }

        synchronized void await(int wanted) throws InterruptedException {
            while (value != wanted) {
                wait();
            }
        }
    }

    @Override
    public SqlSession open(String user, String schema, ZoneId zone) {
        if (schema.equals("nowhere")) {
            throw new StreamException(ErrorCode.INVALID_SCHEMA_NAME, "schema \"nowhere\" does not exist");
        }
        openSessions.add(1);
        opened.add(user + "/" + schema + "/" + zone);
        return new Session(schema.isEmpty() ? "public" : schema);
    }

    private final class Session implements SqlSession {
        private String schema;
        private boolean closed;

        Session(String schema) {
            this.schema = schema;
        }

        @Override
        public Prepared prepare(String sql) {
            return describe(sql);
        }

        @Override
        public Outcome execute(String sql, List<@Nullable Object> parameters, Duration timeout, CancelSignal cancel) {
            executions.incrementAndGet();
            return FakeSql.this.execute(sql, parameters, timeout, cancel);
        }

        @Override
        public long ingest(String table, ColumnBatch rows, Schema rowSchema) {
            try (rows) {
                for (int row = 0; row < rows.rows(); row++) {
                    List<@Nullable Object> values = new ArrayList<>();
                    for (int column = 0; column < rows.columns(); column++) {
                        values.add(Values.get(rows, column, row));
                    }
                    inserted.add(values);
                }
                return rows.rows();
            }
        }

        @Override
        public String schema() {
            return schema;
        }

        @Override
        public void set(String key, String value) {
            if (key.equals("schema") && value.equals("nowhere")) {
                throw new StreamException(ErrorCode.INVALID_SCHEMA_NAME, "schema \"nowhere\" does not exist");
            }
            settings.put(key, value);
            schema = key.equals("schema") ? value : schema;
        }

        @Override
        public void close() {
            if (closed) {
                throw new AssertionError("a session was closed twice");
            }
            closed = true;
            openSessions.add(-1);
        }
    }

    private static SqlSession.Prepared describe(String sql) {
        if (sql.equals(INSERT)) {
            return new SqlSession.Prepared(Schema.of(), false, false, List.of(DataType.INTEGER, DataType.timestamp(6)));
        } else if (sql.startsWith("SELECT ? ")) {
            return new SqlSession.Prepared(
                    Schema.of(new Column("x", DataType.decimal(10, 2)), new Column("y", DataType.VARCHAR)),
                    true,
                    false,
                    List.of(DataType.decimal(10, 2), DataType.VARCHAR));
        } else if (sql.startsWith("INSERT") || sql.startsWith("CREATE")) {
            return new SqlSession.Prepared(Schema.of(), false, false, List.of());
        }
        return new SqlSession.Prepared(schemaOf(sql), true, sql.endsWith("EMIT CHANGES"), List.of());
    }

    private static Schema schemaOf(String sql) {
        if (sql.equals("SELECT 1")) {
            return Schema.of(new Column("EXPR$0", DataType.INTEGER.notNull()));
        } else if (sql.startsWith("SELECT n FROM ")) {
            return Schema.of(new Column("n", DataType.BIGINT));
        } else if (sql.startsWith("SELECT * FROM all_types") || sql.equals("SELECT * FROM \"public\".\"all_types\"")) {
            return ALL_TYPES;
        } else if (sql.startsWith("SELECT pad FROM ")) {
            return Schema.of(new Column("pad", DataType.VARCHAR));
        } else if (sql.contains("information_schema")) {
            return texts(FakeCatalog.columns(sql));
        } else if (sql.equals("SLEEP")) {
            return Schema.of();
        } else if (sql.equals("SELECT broken FROM inside")) {
            return Schema.of(new Column("n", DataType.BIGINT));
        }
        if (sql.startsWith("SELEKT")) {
            throw new StreamException(
                    ErrorCode.SYNTAX_ERROR, "syntax error at \"SELEKT\"", 0, "Did you mean SELECT?", null);
        }
        throw new StreamException(
                ErrorCode.UNDEFINED_COLUMN,
                "column \"größe\" does not exist",
                sql.indexOf("größe"),
                "Did you mean \"grösse\"?",
                null);
    }

    private static Schema texts(List<Column> columns) {
        return new Schema(columns);
    }

    private SqlSession.Outcome execute(
            String sql, List<@Nullable Object> parameters, Duration timeout, CancelSignal cancel) {
        SqlSession.Prepared prepared = describe(sql);
        if (sql.equals(INSERT)) {
            if (Long.valueOf(13).equals(parameters.get(0))) {
                throw new StreamException(ErrorCode.UNIQUE_VIOLATION, "13 is there already");
            }
            inserted.add(parameters);
            return new SqlSession.Outcome.Done(1, null, List.of());
        } else if (sql.startsWith("INSERT INTO s SELECT")) {
            return new SqlSession.Outcome.Done(0, "job_7", List.of("first notice", "second notice"));
        } else if (!prepared.query()) {
            return new SqlSession.Outcome.Done(0, null, List.of());
        } else if (sql.equals("SLEEP")) {
            return sleep(timeout, cancel);
        }
        Schema schema = prepared.result();
        if (sql.startsWith("SELECT n FROM pushed")) {
            return new SqlSession.Outcome.Rows(schema, true, new Stream(schema, cancel) {
                @Override
                Next produce(long timeoutNanos) throws InterruptedException {
                    Long value = pushed.poll(timeoutNanos, TimeUnit.NANOSECONDS);
                    ticks++;
                    return value == null ? new Next.Quiet(ticks, MICROS) : rows(List.of(List.of(value)));
                }
            });
        } else if (sql.startsWith("SELECT n FROM quiet")) {
            return new SqlSession.Outcome.Rows(schema, true, new Stream(schema, cancel) {
                @Override
                Next produce(long timeoutNanos) throws InterruptedException {
                    new java.util.concurrent.CountDownLatch(1).await(timeoutNanos, TimeUnit.NANOSECONDS);
                    return new Next.Quiet(++ticks, MICROS);
                }
            });
        } else if (sql.startsWith("SELECT n FROM series") || sql.startsWith("SELECT pad FROM series")) {
            long count = Long.parseLong(sql.replaceAll("\\D", ""));
            boolean pad = sql.startsWith("SELECT pad");
            return new SqlSession.Outcome.Rows(schema, false, series(schema, count, pad, cancel));
        } else if (sql.equals("SELECT broken FROM inside")) {
            return new SqlSession.Outcome.Rows(schema, false, new Stream(schema, cancel) {
                @Override
                Next produce(long timeoutNanos) {
                    if (ticks++ == 0) {
                        return rows(List.of(List.of(1L)));
                    }
                    throw new StreamException(ErrorCode.DIVISION_BY_ZERO, "division by zero");
                }
            });
        }
        return new SqlSession.Outcome.Rows(schema, false, fixed(schema, rowsOf(sql, parameters), cancel));
    }

    private static List<List<@Nullable Object>> rowsOf(String sql, List<@Nullable Object> parameters) {
        if (sql.equals("SELECT 1")) {
            return List.of(List.of(1L));
        } else if (sql.startsWith("SELECT ? ")) {
            return List.of(parameters);
        } else if (sql.contains("information_schema")) {
            return FakeCatalog.rows(sql);
        } else if (sql.endsWith("WHERE 1=0")) {
            return List.of();
        }
        List<@Nullable Object> nulls = new ArrayList<>();
        VALUES.forEach(value -> nulls.add(null));
        nulls.set(3, 43L);
        return List.of(VALUES, nulls);
    }

    private SqlSession.Outcome sleep(Duration timeout, CancelSignal cancel) {
        java.util.concurrent.CountDownLatch woken = new java.util.concurrent.CountDownLatch(1);
        cancel.onCancel(woken::countDown);
        waiting.add(1);
        try {
            if (!woken.await(timeout.isZero() ? 60_000 : timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new StreamException(ErrorCode.TIMEOUT, "the statement took longer than " + timeout);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            waiting.add(-1);
        }
        throw new StreamException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request");
    }

    private Stream series(Schema schema, long count, boolean pad, CancelSignal cancel) {
        return new Stream(schema, cancel) {
            private long given;

            @Override
            Next produce(long timeoutNanos) {
                if (given == count) {
                    return new Next.End();
                }
                int rows = (int) Math.min(ColumnBatch.TARGET_ROWS, count - given);
                try (BatchBuilder builder = new BatchBuilder(schema, rows, false, MEMORY)) {
                    for (int row = 0; row < rows; row++, given++) {
                        Values.set(
                                builder, 0, row, pad ? "a string longer than twelve bytes " + given : (Object) given);
                    }
                    rowsPulled.addAndGet(rows);
                    return new Next.Rows(builder.finish(rows), 1, MICROS);
                }
            }
        };
    }

    private Stream fixed(Schema schema, List<List<@Nullable Object>> rows, CancelSignal cancel) {
        return new Stream(schema, cancel) {
            @Override
            Next produce(long timeoutNanos) {
                return ticks++ == 0 && !rows.isEmpty() ? rows(rows) : new Next.End();
            }
        };
    }

    private abstract class Stream implements ResultStream {
        private final Schema schema;
        private @Nullable Thread thread;
        private volatile boolean cancelled;
        private boolean closed;
        long ticks;

        Stream(Schema schema, CancelSignal cancel) {
            this.schema = schema;
            openStreams.add(1);
            cancel.onCancel(this::cancel);
        }

        abstract Next produce(long timeoutNanos) throws InterruptedException;

        Next rows(List<List<@Nullable Object>> rows) {
            try (BatchBuilder builder = new BatchBuilder(schema, rows.size(), false, MEMORY)) {
                for (int row = 0; row < rows.size(); row++) {
                    for (int column = 0; column < schema.size(); column++) {
                        Values.set(builder, column, row, rows.get(row).get(column));
                    }
                }
                return new Next.Rows(builder.finish(rows.size()), ticks, MICROS);
            }
        }

        @Override
        public Next next(long timeoutNanos) {
            synchronized (this) {
                thread = Thread.currentThread();
            }
            waiting.add(1);
            try {
                if (!cancelled) {
                    return produce(timeoutNanos);
                }
            } catch (InterruptedException e) {
                if (!cancelled) {
                    throw new AssertionError(e);
                }
            } finally {
                waiting.add(-1);
                synchronized (this) {
                    thread = null;
                    boolean unused = Thread.interrupted();
                }
            }
            throw new StreamException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request");
        }

        @Override
        public synchronized void cancel() {
            cancelled = true;
            Thread taker = thread;
            if (taker != null) {
                taker.interrupt();
            }
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                openStreams.add(-1);
            }
        }
    }
}
