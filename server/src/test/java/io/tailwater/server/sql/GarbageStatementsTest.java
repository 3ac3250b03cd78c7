package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** Statements that are nearly right fail in an orderly way, or work: never with an internal error. */
final class GarbageStatementsTest {
    private static final int MUTANTS = 400;

    private static final List<String> STATEMENTS = List.of(
            "SELECT id , v + 1 AS w FROM t WHERE s = 'a' AND v BETWEEN 1 AND 10 ORDER BY id DESC LIMIT 3",
            "SELECT s , COUNT ( * ) , SUM ( v ) FROM t GROUP BY s HAVING COUNT ( * ) > 1",
            "SELECT x . id , y . n FROM t AS x LEFT JOIN st AS y ON x . id = y . n WHERE x . v IS NOT NULL",
            "SELECT window_start , COUNT ( * ) FROM TABLE ( TUMBLE ( TABLE st , DESCRIPTOR ( ts ) , INTERVAL '10' SECOND ) ) GROUP BY window_start , window_end",
            "SELECT id FROM t WHERE id IN ( SELECT n FROM st ) UNION ALL SELECT n FROM st",
            "SELECT CASE WHEN v > 1 THEN 'x' ELSE s END , CAST ( v AS VARCHAR ) , EXTRACT ( HOUR FROM TIMESTAMP '2020-01-01 00:00:00' ) FROM t",
            "WITH q AS ( SELECT s , MAX ( v ) AS m FROM t GROUP BY s ) SELECT * FROM q WHERE m > 0",
            "INSERT INTO t ( id , v , s ) VALUES ( 1 , 2 , 'c' ) , ( 3 , NULL , NULL )",
            "INSERT INTO st SELECT id , ts FROM t , st",
            "UPDATE t SET v = v * 2 , s = 'q' WHERE id = 1",
            "DELETE FROM t WHERE id > 100",
            "CREATE STREAM zz ( n BIGINT NOT NULL , ts TIMESTAMP ( 3 ) , WATERMARK FOR ts AS ts - INTERVAL '5' SECOND ) WITH ( partitions = 2 )",
            "CREATE TABLE zz ( id BIGINT , d DECIMAL ( 10 , 2 ) , PRIMARY KEY ( id ) )",
            "CREATE MATERIALIZED VIEW zz AS SELECT s , AVG ( v ) AS a FROM t GROUP BY s",
            "CREATE OR REPLACE VIEW zz AS SELECT * FROM t",
            "EXPLAIN SELECT * FROM t JOIN st ON t . id = st . n",
            "SHOW CREATE TABLE t",
            "SHOW TABLES LIKE 'a%'",
            "DESCRIBE t",
            "SET timezone = 'UTC'",
            "WAIT FOR mv TIMEOUT INTERVAL '1' SECOND",
            "DROP VIEW IF EXISTS zz CASCADE");

    private static final List<List<String>> KINDS = List.of(
            List.of(
                    "id",
                    "v",
                    "s",
                    "n",
                    "ts",
                    "c",
                    "m",
                    "nothing",
                    "NULL",
                    "1",
                    "0",
                    "2.5",
                    "'a'",
                    "''",
                    "TRUE",
                    "DATE '2020-01-01'",
                    "-9223372036854775808"),
            List.of("t", "st", "mv", "zz", "sys.jobs", "nowhere"),
            List.of("=", "<", "<>", ">", "+", "-", "/", "||", "LIKE", "AND", "OR", "IS DISTINCT FROM", "IN"),
            List.of("COUNT", "SUM", "MAX", "MIN", "AVG", "ABS", "LOWER", "STDDEV_POP", "BOOL_AND", "nofunction"),
            List.of(
                    "BIGINT",
                    "VARCHAR",
                    "DATE",
                    "TIMESTAMP",
                    "DOUBLE",
                    "BOOLEAN",
                    "DECIMAL",
                    "TINYINT",
                    "NOTYPE",
                    "VARBINARY"),
            List.of("LEFT", "RIGHT", "FULL", "INNER", "CROSS"),
            List.of("'10'", "'5'", "'1'", "'-1'", "'0'", "'x'", "'99999999999'"),
            List.of("SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "YEAR", "WEEK"),
            List.of("UNION", "EXCEPT", "INTERSECT"));

    private static final List<String> TOKENS = List.of(
            "(",
            ")",
            ",",
            "*",
            ".",
            "SELECT",
            "FROM",
            "WHERE",
            "t",
            "st",
            "mv",
            "id",
            "nothing",
            "NULL",
            "1",
            "-1",
            "'x'",
            "1e400",
            "99999999999999999999999999999999999999999",
            "AND",
            "NOT",
            "=",
            "<",
            "GROUP",
            "BY",
            "ORDER",
            "JOIN",
            "ON",
            "AS",
            "VALUES",
            "INTERVAL",
            "DATE",
            "'2020-13-45'",
            "TABLE",
            "STREAM",
            "VIEW",
            "EMIT",
            "CHANGES",
            "?",
            "\"",
            "'",
            ";",
            "--",
            "/*",
            "ä",
            "\u0000",
            "COUNT",
            "SUM",
            "CAST",
            "BIGINT",
            "DISTINCT",
            "OVER",
            "PARTITION",
            "EXISTS",
            "ALL",
            "LIMIT",
            "UNION",
            "ROW",
            "ARRAY",
            "[",
            "]",
            "||");

    @TempDir
    private Path directory;

    @Test
    void noMutantEndsInAnInternalError() {
        try (TestServer server = TestServer.open(directory);
                TestSession session = server.session()) {
            session.all(
                    "CREATE TABLE t (id BIGINT PRIMARY KEY, v BIGINT, s VARCHAR)",
                    "CREATE STREAM st (n BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)",
                    "CREATE MATERIALIZED VIEW mv AS SELECT COUNT(*) AS c FROM t",
                    "INSERT INTO t VALUES (1, 1, 'a'), (2, NULL, NULL)");
            Random random = new Random(20261201);
            List<String> wrong = new ArrayList<>();
            Map<String, Integer> codes = new TreeMap<>();
            for (int i = 0; i < MUTANTS; i++) {
                String sql = mutate(STATEMENTS.get(random.nextInt(STATEMENTS.size())), random);
                codes.merge(check(session.raw(), sql, wrong), 1, Integer::sum);
            }
            assertThat(wrong).isEmpty();
            // Neither all right nor all wrong, or the mutants test nothing.
            assertThat(codes.getOrDefault("worked", 0)).isGreaterThan(MUTANTS / 20);
            assertThat(codes.size()).isGreaterThan(6);
        }
    }

    /** Mostly another word of the same kind, so that the statement is still one, but means something else; else anything anywhere. */
    private static String mutate(String statement, Random random) {
        List<String> tokens = new ArrayList<>(Arrays.asList(statement.split(" ")));
        if (random.nextInt(5) > 0) {
            for (int changes = random.nextInt(4); changes > 0; changes--) {
                int at = random.nextInt(tokens.size());
                for (List<String> kind : KINDS) {
                    if (kind.contains(tokens.get(at))) {
                        tokens.set(at, kind.get(random.nextInt(kind.size())));
                        break;
                    }
                }
            }
            return String.join(" ", tokens);
        }
        for (int changes = 1 + random.nextInt(3); changes > 0 && !tokens.isEmpty(); changes--) {
            int at = random.nextInt(tokens.size());
            switch (random.nextInt(5)) {
                case 0 -> tokens.remove(at);
                case 1 -> tokens.add(at, tokens.get(random.nextInt(tokens.size())));
                case 2 -> tokens.set(at, TOKENS.get(random.nextInt(TOKENS.size())));
                case 3 -> Collections.swap(tokens, at, random.nextInt(tokens.size()));
                default -> tokens.add(at, TOKENS.get(random.nextInt(TOKENS.size())));
            }
        }
        return String.join(" ", tokens);
    }

    private static String check(SqlSession session, String sql, List<String> wrong) {
        try {
            SqlSession.Prepared prepared = session.prepare(sql);
            if (prepared.unbounded() || !prepared.parameters().isEmpty()) {
                return "prepared";
            }
            SqlSession.Outcome outcome = session.execute(sql, List.of(), Duration.ofSeconds(20), new CancelSignal());
            if (outcome instanceof SqlSession.Outcome.Rows rows) {
                drain(rows);
            } else if (outcome instanceof SqlSession.Outcome.Done done && done.jobName() != null) {
                session.execute("DROP JOB " + done.jobName(), List.of(), Duration.ZERO, new CancelSignal());
            }
            return "worked";
        } catch (StreamException e) {
            if (e.code() == ErrorCode.INTERNAL_ERROR || e.code() == ErrorCode.TIMEOUT) {
                wrong.add(e.code() + " " + e.getMessage() + " <- " + sql);
            }
            return e.code().name();
        } catch (RuntimeException | AssertionError e) {
            wrong.add(e + " <- " + sql);
            return "wrong";
        }
    }

    private static void drain(SqlSession.Outcome.Rows rows) {
        try (ResultStream stream = rows.stream()) {
            while (true) {
                ResultStream.Next next = stream.next(100_000_000);
                if (next instanceof ResultStream.Next.End) {
                    return;
                }
                if (next instanceof ResultStream.Next.Rows batch) {
                    assertThat(batch.batch().columns()).isEqualTo(rows.schema().size());
                    batch.batch().close();
                }
            }
        }
    }
}
