package io.tailwater.planner;

import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** What a wrong statement is answered with: state, position, words, hint. */
class ErrorsTest {
    private record Case(String sql, String state, int position, String message, String hint) {}

    private static final String NONE = "";

    private static final List<Case> CASES = List.of(
            new Case("", "42601", 0, "there is no statement", NONE),
            new Case("SELECT 1; SELECT 2", "42601", 10, "one statement at a time", "one after the other"),
            new Case("SELECT FROM bid", "42601", 7, "syntax error at or near \"FROM\"", NONE),
            new Case("SELEC 1", "42601", 0, "syntax error at or near \"SELEC\"", NONE),
            new Case("SELECT auction FROM bid WHERE", "42601", -2, "syntax error", NONE),
            new Case("SELECT\n  a b c FROM bid", "42601", 13, "syntax error at or near \"c\"", NONE),
            new Case("SELECT `auction` FROM bid", "42601", 7, "syntax error at or near \"`\"", "double quotes"),
            new Case("SELECT 'abc FROM bid", "42601", 7, "unterminated quoted string", NONE),
            new Case("CREATE STREAM s (order INT)", "42601", 17, "syntax error at or near \"order\"", "\"order\""),
            new Case("CREATE TABLE t (id INT PRIMARY KEY, user VARCHAR)", "42601", 36, "near \"user\"", "\"user\""),
            new Case("SELECT foo FROM bid", "42703", 7, "column \"foo\" does not exist", NONE),
            new Case("SELECT auctoin FROM bid", "42703", 7, "column \"auctoin\" does not exist", "\"auction\""),
            new Case("SELECT b.foo FROM bid b", "42703", 9, "column \"b.foo\" does not exist", NONE),
            new Case("SELECT \"AUCTION\" FROM bid", "42703", 7, "column \"AUCTION\" does not exist", "\"auction\""),
            new Case(
                    "SELECT id FROM accounts a JOIN events e ON a.id = e.id",
                    "42702",
                    7,
                    "column reference \"id\" is ambiguous",
                    "alias"),
            new Case("SELECT * FROM bidd", "42P01", 14, "relation \"bidd\" does not exist", "\"bid\""),
            new Case("SELECT * FROM sys.nothing", "42P01", 14, "relation \"sys.nothing\" does not exist", NONE),
            new Case("SELECT lowr(url) FROM bid", "42883", 7, "function lowr(TEXT) does not exist", "\"LOWER\""),
            new Case("SELECT SPLIT_INDEX(url) FROM bid", "42883", 7, "SPLIT_INDEX", NONE),
            new Case("SELECT url + 1 FROM bid", "42804", 7, "VARCHAR + INTEGER", NONE),
            new Case("SELECT * FROM bid WHERE url = 5", "42804", 24, "cannot compare VARCHAR with INTEGER", NONE),
            new Case("SELECT * FROM bid WHERE price", "42804", 24, "argument of WHERE must be type BOOLEAN", NONE),
            new Case("SELECT CAST(flag AS DATE) FROM numbers", "42804", 7, "cannot cast type BOOLEAN to DATE", NONE),
            new Case(
                    "SELECT t > 'abc' FROM numbers",
                    "22007",
                    11,
                    "invalid input syntax for type TIMESTAMP: \"abc\"",
                    "2020-01-31"),
            new Case("SELECT DATE '2020-13-01'", "22007", 7, "2020-13-01", NONE),
            new Case("SELECT auction, COUNT(*) FROM bid", "42803", 7, "must appear in the GROUP BY clause", NONE),
            new Case(
                    "SELECT * FROM bid WHERE COUNT(*) > 1",
                    "42803",
                    24,
                    "aggregate functions are not allowed in WHERE",
                    "HAVING"),
            new Case("SELECT SUM(COUNT(*)) FROM bid", "42803", 7, "cannot be nested", NONE),
            new Case(
                    "SELECT id FROM events UNION SELECT id, kind FROM events",
                    "42601",
                    35,
                    "same number of columns",
                    NONE),
            new Case("SELECT id AS one FROM events", "42601", 13, "near \"one\"", "quote it: \"one\""),
            new Case(
                    "CREATE JOB filter AS INSERT INTO sink SELECT auction, price FROM bid",
                    "42601",
                    11,
                    "near \"filter\"",
                    "quote it: \"filter\""),
            new Case(
                    "INSERT INTO sink /*+ JOB(filter) */ SELECT auction, price FROM bid",
                    "42601",
                    24,
                    "takes a string",
                    "JOB('name')"),
            new Case("SELECT id FROM events LIMIT -1", "42601", 22, "near \"LIMIT\"", NONE),
            new Case(
                    "ALTER STREAM events ADD COLUMN x INT",
                    "0A000",
                    0,
                    "ALTER STREAM is not supported yet",
                    "CREATE it anew"),
            new Case("ALTER JOB daily PAUSE", "42601", 16, "near \"PAUSE\"", NONE),
            new Case("ALTER JOB daily ROLLBACK TO RECOVERY POINT p", "42704", 10, "job \"daily\" does not exist", NONE),
            new Case(
                    "ALTER APPLICATION other ROLLBACK TO RECOVERY POINT p",
                    "42704",
                    18,
                    "application \"other\" does not exist",
                    "the only one is default"),
            new Case("CREATE RECOVERY POINT p FOR APPLICATION x", "42704", 40, "\"x\" does not exist", "default"),
            new Case("CREATE OR REPLACE RECOVERY POINT p", "0A000", 33, "cannot be replaced", "DROP RECOVERY POINT"),
            new Case("CREATE RECOVERY POINT", "42601", 21, "end of input", NONE),
            new Case(
                    "SELECT * FROM accounts FOR SYSTEM_TIME AS OF id",
                    "0A000",
                    45,
                    "must be a constant",
                    "CURRENT_TIMESTAMP - INTERVAL"),
            new Case("SELECT * FROM accounts FOR SYSTEM_TIME AS OF ?", "0A000", 45, "must be a constant", NONE),
            new Case(
                    "SELECT * FROM accounts FOR SYSTEM_TIME AS OF RECOVERY_POINT(p)", "42601", 45, "as a string", NONE),
            new Case(
                    "SELECT * FROM events FOR SYSTEM_TIME AS OF RECOVERY_POINT('p')",
                    "42809",
                    14,
                    "stream \"events\" cannot be read FOR SYSTEM_TIME",
                    "materialized views and tables"),
            new Case("SELECT * FROM nix FOR SYSTEM_TIME AS OF RECOVERY_POINT('p')", "42P01", 14, "\"nix\"", NONE),
            new Case(
                    "WITH accounts AS (SELECT 1) SELECT * FROM accounts FOR SYSTEM_TIME AS OF RECOVERY_POINT('p')",
                    "0A000",
                    42,
                    "only a materialized view or a table",
                    "inside"),
            new Case(
                    "SELECT * FROM accounts FOR SYSTEM_TIME AS OF RECOVERY_POINT('p') EMIT CHANGES",
                    "0A000",
                    45,
                    "FOR SYSTEM_TIME AS OF is not supported here",
                    "a SELECT that ends"),
            new Case(
                    "CREATE MATERIALIZED VIEW x AS SELECT * FROM accounts FOR SYSTEM_TIME AS OF RECOVERY_POINT('p')",
                    "0A000",
                    75,
                    "is not supported here",
                    "not kept under a name"),
            new Case(
                    "EXPLAIN UPGRADE SELECT id FROM events",
                    "0A000",
                    16,
                    "for a view that takes the place",
                    "CREATE OR REPLACE MATERIALIZED VIEW"),
            new Case(
                    "EXPLAIN UPGRADE CREATE OR REPLACE MATERIALIZED VIEW nix AS SELECT id FROM events",
                    "42P01",
                    52,
                    "\"nix\" does not exist",
                    NONE),
            new Case(
                    "EXPLAIN UPGRADE CREATE OR REPLACE JOB j AS INSERT INTO sink SELECT auction, price FROM bid",
                    "0A000",
                    38,
                    "not supported yet",
                    "DROP JOB"),
            new Case("/* hi */ BEGIN", "0A000", 9, "BEGIN", "takes effect by itself"),
            new Case("CREATE INDEX i ON accounts (owner)", "0A000", 0, "CREATE INDEX", "materialized view"),
            new Case("TRUNCATE TABLE accounts", "0A000", 0, "TRUNCATE", "DELETE FROM"),
            new Case("GRANT SELECT ON events TO x", "0A000", 0, "GRANT", "no users"),
            new Case(
                    "MERGE INTO accounts USING events ON id = id WHEN MATCHED THEN UPDATE SET id = 1",
                    "0A000",
                    0,
                    "MERGE",
                    "UPSERT"),
            new Case(
                    "SELECT COALESCE(i, s) FROM numbers",
                    "42804",
                    7,
                    "COALESCE types cannot be matched: INTEGER, VARCHAR",
                    "cast them"),
            new Case("SELECT COALESCE(i, dt) FROM numbers", "42804", 7, "cannot be matched", "cast them"),
            new Case(
                    "SELECT * FROM TABLE(TUMBLE(TABLE numbers, DESCRIPTOR(i), INTERVAL '1' MINUTE))",
                    "42804",
                    20,
                    "DESCRIPTOR of a TIMESTAMP column",
                    "TUMBLE(TABLE t"),
            new Case(
                    "SELECT * FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE))",
                    "42883",
                    20,
                    "number of arguments",
                    "INTERVAL '5' SECOND, INTERVAL '10' SECOND"),
            new Case(
                    "SELECT * FROM TABLE(TUMBLE(TABLE events PARTITION BY id, DESCRIPTOR(ts), INTERVAL '1' MINUTE))",
                    "42601",
                    20,
                    "takes no PARTITION BY",
                    "GROUP BY"),
            new Case("SELECT * FROM events JOIN numbers", "42601", 21, "JOIN needs ON or USING", "CROSS JOIN"),
            new Case("SELECT * FROM events WHERE (id, kind) IN (1, 2)", "42804", 27, "two sides of IN", NONE),
            new Case("SELECT (SELECT i, b FROM numbers)", "42601", 7, "must return one column", NONE),
            new Case("SELECT * FROM events LIMIT 99999999999999999999", "22003", -1, "out of range", NONE),
            new Case("SELECT MAX(*) FROM events", "42883", 11, "only COUNT takes *", NONE),
            new Case("SELECT CAST(ts AS TIMESTAMP(9)) FROM events", "22023", 18, "at most 6 fractional digits", NONE),
            new Case("CREATE STREAM s (t TIMESTAMP(9))", "22023", 19, "at most 6 fractional digits", NONE),
            new Case("SELECT CAST(id AS DECIMAL(50, 2)) FROM events", "22023", 18, "precision is 1 to 38", NONE),
            new Case("SELECT CAST(id AS DECIMAL(10, 20)) FROM events", "22023", 18, "scale 0 to precision", NONE),
            new Case("SELECT CAST(1 AS nope)", "42704", 17, "type \"nope\" does not exist", NONE),
            new Case("SELECT EXTRACT(NOPE FROM ts) FROM events", "22023", 15, "time unit", "HOUR"),
            new Case("INSERT INTO nope.public.accounts VALUES (1, 'a', 2, NULL)", "0A000", 12, "catalog", "tailwater"),
            new Case("SELECT * FROM nope.public.events", "42P01", 14, "nope", NONE),
            new Case("DROP STREAM clicks$late", "42809", 12, "cannot be dropped by itself", "clicks"),
            new Case("CREATE STREAM s$late (a INT)", "42601", 14, "kept for the system", NONE),
            new Case("SELECT DATE_TRUNC('nope', ts) FROM events", "22023", 7, "constant unit", "HOUR"),
            new Case(
                    "SELECT ROW_NUMBER() OVER (ORDER BY ts) FROM events",
                    "0A000",
                    7,
                    "where a constant bounds it",
                    NONE),
            new Case(
                    "SELECT i, RANK() OVER (PARTITION BY i ORDER BY d) FROM numbers",
                    "0A000",
                    10,
                    "RANK() OVER (...) is not supported yet",
                    "WHERE n <= a constant"),
            new Case("SELECT id FROM events OFFSET 3 EMIT CHANGES", "0A000", -1, "without LIMIT", NONE),
            new Case(
                    "SELECT * FROM events, (SELECT * FROM numbers OFFSET 3) x",
                    "0A000",
                    -1,
                    "OFFSET without LIMIT",
                    NONE),
            new Case(
                    "SELECT id FROM events ORDER BY id EMIT CHANGES",
                    "0A000",
                    -1,
                    "ORDER BY and OFFSET without LIMIT",
                    "sort when you read"),
            new Case(
                    "SELECT id FROM events WHERE ts > NOW() EMIT CHANGES",
                    "0A000",
                    -1,
                    "NOW is not supported in a continuous query",
                    "PROCTIME"),
            new Case(
                    "SELECT id FROM events EMIT ON WINDOW CLOSE",
                    "0A000",
                    -1,
                    "follows event time",
                    "group by window_start"),
            new Case("SELECT * FROM sys.jobs EMIT CHANGES", "42809", -1, "cannot be read continuously", NONE),
            new Case("SELECT * FROM sink", "42809", -1, "only a sink", NONE),
            new Case(
                    "SELECT /*+ OPTIONS('start'='never') */ * FROM bid EMIT CHANGES",
                    "22023",
                    -2,
                    "'latest' or 'earliest'",
                    NONE),
            new Case("SELECT /*+ FAST */ * FROM bid", "22023", -2, "hint fast is not known", NONE),
            new Case("INSERT INTO nowhere VALUES (1)", "42P01", 12, "relation \"nowhere\" does not exist", NONE),
            new Case(
                    "INSERT INTO accounts VALUES (1, 2, 3, 4, 5)",
                    "42601",
                    28,
                    "more expressions (5) than target columns (4)",
                    NONE),
            new Case(
                    "INSERT INTO accounts (id, owner) VALUES (1)",
                    "42601",
                    40,
                    "more target columns (2) than expressions (1)",
                    NONE),
            new Case(
                    "INSERT INTO accounts (id, nam) VALUES (1, 'x')",
                    "42703",
                    26,
                    "column \"nam\" does not exist",
                    NONE),
            new Case("INSERT INTO accounts (id, id) VALUES (1, 2)", "42701", 26, "specified more than once", NONE),
            new Case("INSERT INTO accounts (id) VALUES (1)", "23502", 34, "column \"owner\" is NOT NULL", NONE),
            new Case(
                    "INSERT INTO accounts (owner) SELECT channel FROM bid",
                    "23502",
                    29,
                    "column \"id\" is NOT NULL",
                    NONE),
            new Case(
                    "INSERT INTO accounts (id, owner) SELECT channel, channel FROM bid",
                    "42804",
                    33,
                    "column \"id\" is of type BIGINT but expression is of type VARCHAR",
                    "CAST"),
            new Case(
                    "INSERT INTO events (id) SELECT auction FROM bid GROUP BY auction, price HAVING COUNT(*) > 1",
                    "42P17",
                    -1,
                    "append-only stream \"events\" cannot take: its aggregates change",
                    "primary key"),
            new Case(
                    "INSERT INTO events (id) SELECT id FROM accounts",
                    "42P17",
                    -1,
                    "\"accounts\" changes",
                    "primary key"),
            new Case("INSERT INTO bid SELECT * FROM bid", "42809", 12, "only a source", NONE),
            new Case("INSERT INTO events SELECT * FROM events", "0A000", -1, "read and written by the same job", NONE),
            new Case("UPDATE events SET id = 3", "42809", 7, "cannot update stream \"events\"", "append-only"),
            new Case("UPDATE accounts SET nope = 3", "42703", 20, "column \"nope\" does not exist", NONE),
            new Case("UPDATE accounts SET balance = 1, balance = 2", "42701", 33, "multiple assignments", NONE),
            new Case("UPDATE accounts SET owner = NULL", "23502", -2, "\"owner\"", NONE),
            new Case("DELETE FROM bid", "42809", 12, "cannot delete from stream \"bid\"", NONE),
            new Case("CREATE STREAM events (id INT)", "42P07", 14, "stream \"events\" already exists", NONE),
            new Case("CREATE STREAM \"EVENTS\" (id INT)", "42P07", 14, "already exists", "differ only in case"),
            new Case(
                    "CREATE STREAM s (a INT, \"A\" INT)",
                    "42701",
                    24,
                    "specified more than once",
                    "differ only in case"),
            new Case("CREATE STREAM s", "42P16", 14, "has no columns", "connector"),
            new Case(
                    "CREATE STREAM s (id INT PRIMARY KEY)",
                    "42P16",
                    17,
                    "append-only and has no primary key",
                    "CREATE TABLE"),
            new Case(
                    "CREATE STREAM s (a INT) WITH (color = 'red')", "22023", 30, "option \"color\" is not known", NONE),
            new Case(
                    "CREATE STREAM s (a INT) WITH (partitions = 2, partitions = 3)",
                    "22023",
                    46,
                    "specified more than once",
                    NONE),
            new Case("CREATE STREAM s (a INT) WITH (partitions = 0)", "22023", -2, "between 1 and", NONE),
            new Case("CREATE STREAM s (a INT, WATERMARK FOR a AS a)", "42804", 38, "must be a TIMESTAMP", NONE),
            new Case(
                    "CREATE STREAM s (t TIMESTAMP, WATERMARK FOR x AS x)",
                    "42703",
                    44,
                    "column \"x\" does not exist",
                    NONE),
            new Case(
                    "CREATE STREAM s (t TIMESTAMP, WATERMARK FOR t AS t + INTERVAL '1' DAY)",
                    "0A000",
                    -2,
                    "column minus an interval",
                    "WATERMARK FOR"),
            new Case(
                    "CREATE STREAM s (t TIMESTAMP, WATERMARK FOR t AS t - INTERVAL '5' SECOND LATENESS INTERVAL '1' SECOND)",
                    "22023",
                    44,
                    "LATENESS",
                    NONE),
            new Case("CREATE STREAM s (a DECIMAL(50, 2))", "22023", 19, "DECIMAL(50, 2)", NONE),
            new Case("CREATE STREAM s (a FOO)", "42704", 19, "type \"foo\" does not exist", NONE),
            new Case("CREATE STREAM s (a INT ARRAY)", "0A000", 19, "not supported yet", NONE),
            new Case("CREATE STREAM nowhere.s (a INT)", "3F000", 14, "schema \"nowhere\" does not exist", NONE),
            new Case("CREATE STREAM sys.s (a INT)", "42809", 14, "system schema", NONE),
            new Case("CREATE TABLE t (a INT)", "42P16", 13, "has no primary key", "CREATE STREAM"),
            new Case("CREATE TABLE t (a INT PRIMARY KEY, b INT PRIMARY KEY)", "42P16", 35, "one primary key", NONE),
            new Case("CREATE TABLE t (a INT, PRIMARY KEY (b))", "42703", 36, "column \"b\" does not exist", NONE),
            new Case("CREATE VIEW v AS SELECT id, id FROM events", "42701", 12, "appears more than once", "AS"),
            new Case(
                    "CREATE VIEW v (a) AS SELECT id, kind FROM events",
                    "42601",
                    15,
                    "names 1 columns but its query has 2",
                    NONE),
            new Case("CREATE VIEW v AS SELECT id FROM events EMIT CHANGES", "42601", 12, "EMIT CHANGES belongs", NONE),
            new Case("CREATE MATERIALIZED VIEW v AS SELECT id FROM events ORDER BY id", "0A000", -1, "ORDER BY", NONE),
            new Case("CREATE MATERIALIZED VIEW v AS SELECT 1 AS x", "0A000", 25, "something to read", NONE),
            new Case("CREATE VIEW v AS SELECT id FROM events WHERE id = ?", "42601", 50, "parameters", NONE),
            new Case("DROP STREAM nothing", "42P01", 12, "relation \"nothing\" does not exist", NONE),
            new Case("DROP STREAM accounts", "42809", 12, "\"accounts\" is not a stream", "DROP TABLE"),
            new Case("DROP JOB nothing", "42704", 9, "job \"nothing\" does not exist", NONE),
            new Case("DESCRIBE nothing", "42P01", 9, "does not exist", NONE),
            new Case("WAIT FOR nothing", "42P01", 9, "does not exist", NONE),
            new Case("WAIT FOR events TIMEOUT 'x'", "22023", 24, "TIMEOUT", NONE),
            new Case("PAUSE JOB nothing", "42704", 10, "does not exist", NONE),
            new Case("EXPLAIN ANALYZE SELECT id FROM events EMIT CHANGES", "0A000", -1, "EXPLAIN ANALYZE", NONE),
            new Case(
                    "SELECT * FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(id), INTERVAL '1' DAY))",
                    "42804",
                    -2,
                    "TUMBLE",
                    NONE),
            new Case(
                    "SELECT * FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(nope), INTERVAL '1' DAY))",
                    "42703",
                    -2,
                    "\"nope\"",
                    NONE),
            new Case(
                    "SELECT * FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '0' SECOND, INTERVAL '1' DAY))",
                    "22023",
                    -1,
                    "must be positive",
                    NONE),
            new Case(
                    "MERGE INTO accounts USING events ON accounts.id = events.id WHEN MATCHED THEN UPDATE SET owner = 'x'",
                    "0A000",
                    0,
                    "MERGE is not supported yet",
                    NONE));

    @TestFactory
    Stream<DynamicTest> wrongStatementsAreExplained() {
        return CASES.stream()
                .map(c -> DynamicTest.dynamicTest(c.sql().isBlank() ? "nothing" : c.sql(), () -> {
                    StreamException e = catchThrowableOfType(StreamException.class, () -> new Fixture().plan(c.sql()));
                    assertThat(e).as("an error").isNotNull();
                    assertThat(e.getMessage() + " / " + e.hint().orElse("no hint"))
                            .contains(c.message())
                            .contains(c.hint())
                            .doesNotContainIgnoringCase("calcite")
                            .doesNotContain("SqlValidator")
                            .doesNotContain("Exception");
                    assertThat(e.code().sqlState()).as(e.getMessage()).isEqualTo(c.state());
                    if (c.position() != -2) {
                        assertThat(e.position())
                                .as("position: " + e.getMessage())
                                .isEqualTo(c.position());
                    } else {
                        assertThat(e.position())
                                .as("position: " + e.getMessage())
                                .isPositive();
                    }
                }));
    }

    /** However a statement is nested, it exhausts a stack and no more. */
    @TestFactory
    List<DynamicTest> deepNestingIsTooComplex() {
        int depth = 5_000;
        return Stream.of(
                        "SELECT " + "(".repeat(depth) + "1" + ")".repeat(depth),
                        "SELECT " + "ABS(".repeat(depth) + "1" + ")".repeat(depth),
                        "SELECT " + "NOT ".repeat(4 * depth) + "TRUE",
                        "SELECT " + "1 + ".repeat(4 * depth) + "1",
                        "SELECT * FROM " + "(SELECT * FROM ".repeat(depth) + "events" + ")".repeat(depth),
                        "SELECT 1 " + "UNION ALL SELECT 1 ".repeat(depth),
                        "CREATE VIEW v AS SELECT " + "(".repeat(depth) + "1" + ")".repeat(depth))
                .map(sql -> DynamicTest.dynamicTest(sql.substring(0, 30), () -> {
                    StreamException e = org.junit.jupiter.api.Assertions.assertThrows(
                            StreamException.class, () -> new Fixture().plan(sql));
                    assertThat(e.code().sqlState()).isEqualTo("54001");
                }))
                .toList();
    }

    @Test
    void wordsThatOthersReserveAreNames() {
        assertThatCode(
                        () -> new Fixture()
                                .plan(
                                        "CREATE STREAM s (value INT, year INT, month INT, day INT, hour INT, key INT, name INT, type INT, result INT, method INT,"
                                                + " text TEXT, data INT, job INT, start INT, datetime INT, wait INT, changes INT)"))
                .doesNotThrowAnyException();
    }

    @Test
    void quotedReservedWordsAreNames() {
        assertThatCode(() -> {
                    Fixture fixture = new Fixture();
                    fixture.execute("CREATE STREAM s (\"order\" INT, \"user\" INT, \"group\" INT, \"Select\" INT)");
                    fixture.plan(
                            "SELECT \"order\", s.\"user\", \"group\" AS \"from\", \"Select\" FROM s WHERE \"order\" > 1");
                })
                .doesNotThrowAnyException();
    }

    @Test
    void aBrokenViewIsNamed() {
        Fixture fixture = new Fixture();
        fixture.execute("CREATE VIEW v AS SELECT id FROM events");
        fixture.execute("CREATE VIEW w AS SELECT id FROM v");
        Fixture broken = new Fixture();
        fixture.catalog()
                .find(io.tailwater.api.catalog.ObjectName.inPublic("w"))
                .ifPresent(broken::add);
        StreamException e = catchThrowableOfType(StreamException.class, () -> broken.plan("SELECT * FROM w"));
        assertThat(e).hasMessageContaining("view \"w\" cannot be used: relation \"v\" does not exist");
        assertThat(e.position()).isEqualTo(-1);
    }
}
