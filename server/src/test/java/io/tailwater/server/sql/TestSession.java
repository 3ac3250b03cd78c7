package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Values;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import io.tailwater.server.sql.SqlSession.Outcome;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** A session whose rows are lines of text: values joined by {@code |}, NULL as {@code NULL}. */
final class TestSession implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final SqlSession session;

    TestSession(SqlSession session) {
        this.session = session;
    }

    SqlSession raw() {
        return session;
    }

    Outcome execute(String sql, @Nullable Object... parameters) {
        return session.execute(sql, Arrays.asList(parameters), LIMIT, new CancelSignal());
    }

    /** Runs a statement that returns no rows. */
    Outcome.Done run(String sql, @Nullable Object... parameters) {
        Outcome outcome = execute(sql, parameters);
        assertThat(outcome).as(sql).isInstanceOf(Outcome.Done.class);
        return (Outcome.Done) outcome;
    }

    /** Runs statements in turn. */
    void all(String... statements) {
        for (String sql : statements) {
            run(sql);
        }
    }

    /** All rows of a bounded result. */
    List<String> rows(String sql, @Nullable Object... parameters) {
        Outcome outcome = execute(sql, parameters);
        assertThat(outcome).as(sql).isInstanceOf(Outcome.Rows.class);
        Outcome.Rows rows = (Outcome.Rows) outcome;
        assertThat(rows.unbounded()).as(sql).isFalse();
        List<String> out = new ArrayList<>();
        try (ResultStream stream = rows.stream()) {
            while (read(stream, out)) {
                assertThat(out).hasSizeLessThan(1_000_000);
            }
        }
        return out;
    }

    /** As {@link #rows}, sorted. */
    List<String> sorted(String sql, @Nullable Object... parameters) {
        List<String> out = rows(sql, parameters);
        Collections.sort(out);
        return out;
    }

    StreamException fails(String sql, @Nullable Object... parameters) {
        StreamException failure = catchThrowableOfType(StreamException.class, () -> {
            Outcome outcome = execute(sql, parameters);
            if (outcome instanceof Outcome.Rows rows) {
                try (ResultStream stream = rows.stream()) {
                    List<String> ignored = new ArrayList<>();
                    while (read(stream, ignored)) {
                        assertThat(ignored).hasSizeLessThan(1_000_000);
                    }
                }
            }
        });
        assertThat(failure).as(sql).isNotNull();
        return failure;
    }

    /** A push query, to be closed. */
    Push push(String sql) {
        Outcome.Rows rows = (Outcome.Rows) execute(sql);
        assertThat(rows.unbounded()).as(sql).isTrue();
        return new Push(rows);
    }

    static final class Push implements AutoCloseable {
        final Outcome.Rows rows;
        final List<String> lines = new ArrayList<>();

        Push(Outcome.Rows rows) {
            this.rows = rows;
        }

        /** Reads until the lines so far satisfy a condition. */
        List<String> until(Predicate<List<String>> enough) {
            long end = System.nanoTime() + LIMIT.toNanos();
            while (!enough.test(lines)) {
                assertThat(System.nanoTime())
                        .as("waited too long; have " + lines)
                        .isLessThan(end);
                assertThat(read(rows.stream(), lines)).as("ended").isTrue();
            }
            return lines;
        }

        List<String> until(int count) {
            return until(all -> all.size() >= count);
        }

        @Override
        public void close() {
            rows.stream().close();
        }
    }

    private static boolean read(ResultStream stream, List<String> out) {
        ResultStream.Next next = stream.next(100_000_000);
        if (next instanceof ResultStream.Next.Rows rows) {
            try (ColumnBatch batch = rows.batch()) {
                for (int row = 0; row < batch.rows(); row++) {
                    out.add(line(batch, row));
                }
            }
        }
        return !(next instanceof ResultStream.Next.End);
    }

    private static String line(ColumnBatch batch, int row) {
        StringBuilder out = new StringBuilder();
        for (int column = 0; column < batch.columns(); column++) {
            Object value = Values.get(batch, column, row);
            out.append(column == 0 ? "" : "|").append(value == null ? "NULL" : text(value, batch.type(column)));
        }
        return out.toString();
    }

    private static String text(Object value, DataType type) {
        return type.kind() == TypeKind.VARCHAR ? (String) value : SqlText.value(value, type);
    }

    @Override
    public void close() {
        session.close();
    }
}
