package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Streams over files through a whole server: dirty input, several files, files that grow, with restarts in between. */
class FileStreamsTest {
    @TempDir
    private Path directory;

    private Path data() {
        return directory.resolve("data");
    }

    private Path in() throws IOException {
        return Files.createDirectories(directory.resolve("in"));
    }

    @Test
    void malformedRecordsAreKeptOnceEachThroughARestart() throws Exception {
        Path file = in().resolve("dirty.csv");
        StringBuilder text = new StringBuilder("a,b\n");
        for (int i = 0; i < 3000; i++) {
            text.append(i % 100 == 50 ? "oops " + i + "\n" : i + ",x\n");
        }
        Files.writeString(file, text);
        List<String> before;
        try (TestServer server = TestServer.open(data());
                TestSession session = server.session()) {
            session.run("CREATE STREAM dirty (a BIGINT, b VARCHAR) WITH (connector = 'file', path = '" + file
                    + "', on_error = 'skip')");
            assertThat(session.rows("SELECT COUNT(*) FROM dirty$errors")).containsExactly("0");
            assertThat(session.rows("SELECT COUNT(*) FROM dirty")).containsExactly("2970");
            session.all(
                    "CREATE MATERIALIZED VIEW counts AS SELECT COUNT(*) AS n FROM dirty",
                    "CREATE STREAM reasons (reason VARCHAR)",
                    "INSERT INTO reasons SELECT reason FROM dirty$errors",
                    "WAIT FOR counts",
                    "WAIT FOR reasons");
            assertThat(session.rows("SELECT n FROM counts")).containsExactly("2970");
            before = session.rows("SELECT job, source, \"position\", reason FROM dirty$errors ORDER BY \"position\"");
            assertThat(before).hasSize(30);
            assertThat(before.get(0)).startsWith("counts|" + file + "|").endsWith("|2 fields expected, 1 found");
            assertThat(session.rows("SELECT COUNT(*) FROM reasons")).containsExactly("30");
            assertThat(session.rows("SELECT skipped FROM sys.jobs WHERE job_name = 'counts'"))
                    .containsExactly("30");
        }
        try (TestServer server = TestServer.open(data());
                TestSession session = server.session()) {
            session.run("WAIT FOR counts");
            assertThat(session.rows("SELECT job, source, \"position\", reason FROM dirty$errors ORDER BY \"position\""))
                    .isEqualTo(before);
            assertThat(session.rows("SELECT COUNT(*) FROM reasons")).containsExactly("30");
            assertThat(session.fails("DROP STREAM dirty").code()).isEqualTo(ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST);
            session.run("DROP STREAM dirty CASCADE");
            session.run("CREATE STREAM dirty (a BIGINT, b VARCHAR) WITH (connector = 'file', path = '" + file
                    + "', on_error = 'skip')");
            assertThat(session.rows("SELECT COUNT(*) FROM dirty$errors")).containsExactly("0");
        }
    }

    @Test
    void aDirectoryIsFollowedThroughRestartsAndRotationWithEachRowOnce() throws Exception {
        Path first = in().resolve("a.csv");
        Files.writeString(first, "x\n1\n2\n");
        try (TestServer server = TestServer.open(data());
                TestSession session = server.session()) {
            session.all(
                    "CREATE STREAM files (x BIGINT) WITH (connector = 'file', path = '" + in()
                            + "', format = 'csv', tail = true)",
                    "CREATE STREAM copy (x BIGINT)",
                    "CREATE JOB copying AS INSERT INTO copy SELECT x FROM files");
            awaitRows(session, "1", "2");
            append(first, "3\n4");
            Files.writeString(in().resolve("b.csv"), "x\n10\n");
            awaitRows(session, "1", "10", "2", "3");
            assertThat(session.fails("SELECT * FROM files").code()).isEqualTo(ErrorCode.FEATURE_NOT_SUPPORTED);
        }
        append(first, "2\n");
        Files.move(first, in().resolve("z.old"));
        Files.writeString(first, "x\n7\n");
        try (TestServer server = TestServer.open(data());
                TestSession session = server.session()) {
            awaitRows(session, "1", "10", "2", "3", "42", "7");
            append(in().resolve("b.csv"), "11\n");
            awaitRows(session, "1", "10", "11", "2", "3", "42", "7");
            try (TestSession.Push push = session.push("SELECT x FROM files EMIT CHANGES")) {
                push.until(7);
                Files.writeString(in().resolve("c.csv"), "x\n12\n");
                assertThat(push.until(8)).contains("12");
            }
        }
        Files.writeString(first, "x\n");
        try (TestServer server = TestServer.open(data());
                TestSession session = server.session()) {
            assertThat(session.rows("SELECT state FROM sys.jobs WHERE job_name = 'copying'"))
                    .containsExactly("FAILED");
        }
    }

    @Test
    void aPatternIsReadByAllWorkersToTheEnd() throws Exception {
        long sum = 0;
        for (int file = 0; file < 20; file++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 500; i++) {
                sum += (long) i * file;
                text.append("{\"x\": ").append(i * file).append("}\n");
            }
            Files.writeString(in().resolve("f" + file + ".json"), text);
        }
        try (TestServer server = TestServer.open(data());
                TestSession session = server.session()) {
            session.all(
                    "CREATE STREAM files (x BIGINT) WITH (connector = 'file', path = '" + in().resolve("f*.json")
                            + "')",
                    "CREATE MATERIALIZED VIEW total AS SELECT COUNT(*) AS n, SUM(x) AS s FROM files",
                    "WAIT FOR total");
            assertThat(session.rows("SELECT * FROM total")).containsExactly("10000|" + sum);
            assertThat(session.rows("SELECT COUNT(*), SUM(x) FROM files")).containsExactly("10000|" + sum);
            assertThat(session.rows("SELECT state FROM sys.jobs")).containsExactly("FINISHED");
        }
    }

    @Test
    void madeUpRowsGoIntoParquetFilesThatReadBackTheSame() throws Exception {
        Path out = directory.resolve("out");
        try (TestServer server = TestServer.open(data());
                TestSession session = server.session()) {
            session.all(
                    "CREATE STREAM clicks (id BIGINT, page VARCHAR, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1'"
                            + " SECOND) WITH (connector = 'datagen', events = 1000, 'fields.id.kind' = 'sequence',"
                            + " 'fields.page.values' = 'home,help,buy', 'fields.page.distribution' = 'zipf',"
                            + " 'fields.page.nulls' = '0.1', 'fields.ts.step' = 100, idle_timeout = '5 s')",
                    "CREATE STREAM files (id BIGINT, page VARCHAR, ts TIMESTAMP(3)) WITH (connector = 'file', path = '"
                            + out + "', format = 'parquet')",
                    "INSERT INTO files SELECT id, page, ts FROM clicks",
                    "WAIT FOR files");
            assertThat(session.rows("SELECT COUNT(*), MAX(id) FROM clicks")).containsExactly("1000|999");
            assertThat(session.sorted("SELECT * FROM files")).isEqualTo(session.sorted("SELECT * FROM clicks"));
            assertThat(session.rows("SELECT COUNT(*) FROM clicks$errors")).containsExactly("0");
            assertThat(session.fails(
                                    "CREATE STREAM x (id BIGINT) WITH (connector = 'datagen', 'fields.id.knd' = 'random')")
                            .getMessage())
                    .contains("no option 'fields.id.knd'");
            assertThat(session.fails("CREATE STREAM x (id BIGINT) WITH (idle_timeout = '5 s')")
                            .getMessage())
                    .contains("needs a watermark");
        }
    }

    private static void append(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }

    /** Follows the copy, and then sees that nothing is there twice. */
    private static void awaitRows(TestSession session, String... expected) {
        try (TestSession.Push push = session.push("SELECT CAST(x AS VARCHAR) FROM copy EMIT CHANGES")) {
            push.until(expected.length);
        }
        List<String> rows = new ArrayList<>(session.sorted("SELECT x FROM copy"));
        assertThat(rows).containsExactly(expected);
    }
}
