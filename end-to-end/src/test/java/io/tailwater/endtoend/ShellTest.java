package io.tailwater.endtoend;

import io.tailwater.endtoend.Command.Result;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ShellTest {
    private Server server;

    @BeforeAll
    void start(@TempDir Path data) {
        server = Server.start(data);
        Result made = server.sql(
                "-e",
                "CREATE STREAM kinds (id INT NOT NULL, b BOOLEAN, l BIGINT, d DECIMAL(10, 3), f DOUBLE, r REAL, s VARCHAR,"
                        + " dt DATE, tm TIME(3), ts TIMESTAMP(3), ts0 TIMESTAMP(0))",
                "-e",
                "INSERT INTO kinds VALUES (1, TRUE, 9223372036854775807, 1.5, 0.1, 0.1, 'a,\"b\"', DATE '2001-01-01',"
                        + " TIME '01:02:03.004', TIMESTAMP '2001-01-01 00:01:02.5', TIMESTAMP '2001-01-01 00:01:02'),"
                        + " (2, FALSE, -1, -0.001, 1e300, 3.4e38, '', DATE '1969-12-31', TIME '00:00:00',"
                        + " TIMESTAMP '1969-12-31 23:59:59.999', TIMESTAMP '1969-12-31 23:59:59'),"
                        + " (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);");
        assertThat(made.err()).doesNotContain("ERROR");
        assertThat(made.status()).isZero();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Test
    void csvIsExact() {
        Result result = server.sql("--format", "csv", "-e", "SELECT * FROM kinds ORDER BY id");
        assertThat(result.out())
                .isEqualTo("id,b,l,d,f,r,s,dt,tm,ts,ts0\n"
                        + "1,true,9223372036854775807,1.500,0.1,0.1,\"a,\"\"b\"\"\",2001-01-01,01:02:03.004,"
                        + "2001-01-01 00:01:02.500,2001-01-01 00:01:02\n"
                        + "2,false,-1,-0.001,1.0E300,3.4E38,\"\",1969-12-31,00:00:00.000,"
                        + "1969-12-31 23:59:59.999,1969-12-31 23:59:59\n"
                        + "3,,,,,,,,,,\n");
        assertThat(result.status()).isZero();
    }

    @Test
    void onlyRowsGoToStandardOutput() {
        Result result =
                server.sql("--format", "csv", "-e", "CREATE STREAM quiet (a INT); INSERT INTO quiet VALUES (1), (2)");
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("CREATE STREAM\n", "INSERT 0 2\n");
        assertThat(result.status()).isZero();
    }

    @Test
    void anErrorStopsTheScriptShowsItsPlaceAndExitsWithOne(@TempDir Path dir) throws IOException {
        Path script = Files.writeString(
                dir.resolve("s.sql"), "SELECT 1 AS a;\n\nSELECT\n  nonsense\nFROM kinds;\nSELECT 2;\n");
        Result result = server.sql("--format", "csv", "-f", script.toString());
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEqualTo("a\n1\n");
        assertThat(result.err())
                .contains("ERROR: ")
                .contains("[42703]")
                .contains("LINE 2:   nonsense\n" + " ".repeat(10) + "^")
                .contains("s.sql, line 3")
                .doesNotContain("\tat ");
    }

    @Test
    void aRefusedConnectionSaysHowToStartAServer() {
        Result result = Command.tailwater("sql", "-u", "jdbc:tailwater://localhost:1/", "-e", "SELECT 1");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("[08").contains("bin/tailwater standalone --data-dir DIR");
    }

    @Test
    void wrongUsageExitsWithTwo() {
        assertThat(Command.tailwater("sql", "--format", "xml").status()).isEqualTo(2);
        assertThat(Command.tailwater("sql", "-u", "http://localhost").status()).isEqualTo(2);
        assertThat(Command.tailwater("sql", "stray").status()).isEqualTo(2);
    }

    @Test
    void standardInputIsAScript() {
        Result result = Command.run(
                Command.HOME,
                Map.of(),
                "\\format csv\nSELECT ';' AS a; -- ; comment\nSELECT 2 AS b",
                List.of(Command.LAUNCHER, "sql", "-u", server.url()));
        assertThat(result.out()).isEqualTo("a\n;\nb\n2\n");
        assertThat(result.status()).isZero();
    }

    @Test
    void shellCommandsDescribeTheCatalog() {
        assertThat(server.sql("-e", "\\d").out()).contains("kinds");
        assertThat(server.sql("-e", "\\d kinds").out())
                .contains("DECIMAL(10, 3)")
                .contains("ts0");
        assertThat(server.sql("-e", "\\jobs").status()).isZero();
        assertThat(server.sql("-e", "\\ds", "-e", "\\dt", "-e", "\\dv").status())
                .isZero();
        assertThat(server.sql("-e", "\\nonsense").status()).isEqualTo(1);
    }

    @Test
    @Timeout(120)
    void aPushQueryShowsEachChangeWhenItHappens() throws IOException {
        assertThat(server.sql("-e", "CREATE STREAM live (a INT)").status()).isZero();
        Process process = Command.builder(
                        Command.HOME,
                        List.of(
                                Command.LAUNCHER,
                                "sql",
                                "-u",
                                server.url(),
                                "--format",
                                "csv",
                                "-e",
                                "SELECT COUNT(*) AS n FROM live HAVING COUNT(*) > 0 EMIT CHANGES"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(out.readLine()).isEqualTo("op,n");
            assertThat(server.sql("-e", "INSERT INTO live VALUES (1)").status()).isZero();
            assertThat(out.readLine()).isEqualTo("+I,1");
            assertThat(server.sql("-e", "INSERT INTO live VALUES (2)").status()).isZero();
            assertThat(out.readLine()).isEqualTo("-U,1");
            assertThat(out.readLine()).isEqualTo("+U,2");
        } finally {
            process.destroyForcibly();
        }
    }
}
