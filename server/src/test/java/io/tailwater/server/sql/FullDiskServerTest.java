package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** A server on a file system that fills up. Needs the right to mount one. */
class FullDiskServerTest {
    private static final String INSERT = "INSERT INTO s VALUES (%d, '" + "x".repeat(60_000) + "')";

    @TempDir
    Path directory;

    private static int run(String... command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(List.of(command))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            // No such program: the assumption fails and says so.
            return -1;
        }
    }

    /** Returns once the server must have noticed: it looks at the volume once a second. */
    private static void fill(Path ballast, Path mount, long left) throws IOException, InterruptedException {
        byte[] block = new byte[1 << 16];
        try (var out = Files.newOutputStream(ballast)) {
            while (mount.toFile().getUsableSpace() > left) {
                out.write(block);
            }
        }
        Thread.sleep(1_100);
    }

    /** Returns how many inputs were taken in all. */
    private static int insertUntilRefused(TestSession session, int acknowledged) {
        int n = acknowledged;
        while (n < acknowledged + 100) {
            try {
                session.run(INSERT.formatted(n));
                n++;
            } catch (StreamException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL);
                return n;
            }
        }
        throw new AssertionError("never refused");
    }

    private static String eventually(TestSession session, String sql, String wanted) throws InterruptedException {
        long end = System.nanoTime() + 30_000_000_000L;
        while (true) {
            String found = String.join(",", session.rows(sql));
            if (found.equals(wanted) || System.nanoTime() > end) {
                return found;
            }
            Thread.sleep(50);
        }
    }

    @Test
    void writesAreRefusedThenTakenAgainAndNothingAcknowledgedIsMissing() throws IOException, InterruptedException {
        Path mount = Files.createDirectory(directory.resolve("small"));
        assumeThat(run("mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", mount.toString()))
                .as("mounting a tmpfs takes privileges that this user lacks")
                .isZero();
        try {
            Path data = mount.resolve("data");
            Path ballast = mount.resolve("ballast");
            int acknowledged = 0;
            try (TestServer server = TestServer.open(data);
                    TestSession session = server.session()) {
                session.all(
                        "CREATE STREAM s (n BIGINT, filler VARCHAR)",
                        "CREATE STREAM t (n BIGINT, filler VARCHAR)",
                        "CREATE STREAM spare (n BIGINT)",
                        "INSERT INTO t SELECT n, filler FROM s",
                        "CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS c, SUM(n) AS total FROM t");
                session.run(INSERT.formatted(acknowledged++));
                assertThat(eventually(session, "SELECT c FROM v", "1")).isEqualTo("1");
                // The reserve is 4 MB, half of it for what jobs put out.
                fill(ballast, mount, 2_300_000);
                acknowledged = insertUntilRefused(session, acknowledged);
                StreamException refused = session.fails(INSERT.formatted(-1));
                assertThat(refused).hasMessageContaining("disk full").hasMessageContaining("in reserve");
                String before = Integer.toString(acknowledged);
                assertThat(eventually(session, "SELECT c FROM v", before)).isEqualTo(before);
                assertThat(session.fails("CREATE STREAM another (n BIGINT)").code())
                        .isEqualTo(ErrorCode.DISK_FULL);
                assertThat(session.rows("SELECT c FROM v")).containsExactly(before);
                session.run("DROP STREAM spare");

                Files.delete(ballast);
                while (mount.toFile().getUsableSpace() > 5_000_000) {
                    session.run(INSERT.formatted(acknowledged++));
                }
                // Now the job falls behind: it stands still, the server does not.
                fill(ballast, mount, 1_000_000);
                acknowledged = insertUntilRefused(session, acknowledged);
                assertThat(session.rows("SELECT COUNT(*) FROM s")).containsExactly(Integer.toString(acknowledged));

                Files.delete(ballast);
                session.run(INSERT.formatted(acknowledged++));
                String sums = acknowledged + "|" + (long) acknowledged * (acknowledged - 1) / 2;
                assertThat(eventually(session, "SELECT c, total FROM v", sums)).isEqualTo(sums);
            }
            try (TestServer server = TestServer.open(data);
                    TestSession session = server.session()) {
                String sums = acknowledged + "|" + (long) acknowledged * (acknowledged - 1) / 2;
                assertThat(session.rows("SELECT COUNT(*), SUM(n) FROM s")).containsExactly(sums);
                assertThat(session.rows("SELECT COUNT(*), SUM(n) FROM t")).containsExactly(sums);
                assertThat(eventually(session, "SELECT c, total FROM v", sums)).isEqualTo(sums);
            }
        } finally {
            run("umount", mount.toString());
        }
    }

    @Test
    void aJobWhoseOutputFindsNoRoomPausesAndGoesOnWithoutARestart() throws IOException, InterruptedException {
        Path mount = Files.createDirectory(directory.resolve("small"));
        assumeThat(run("mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", mount.toString()))
                .as("mounting a tmpfs takes privileges that this user lacks")
                .isZero();
        try {
            Path data = mount.resolve("data");
            Path ballast = mount.resolve("ballast");
            try (TestServer server = TestServer.open(data);
                    TestSession session = server.session()) {
                session.all("CREATE STREAM s (n BIGINT, filler VARCHAR)", "CREATE STREAM t (n BIGINT, filler VARCHAR)");
                for (int i = 0; i < 100; i++) {
                    session.run(INSERT.formatted(i));
                }
                fill(ballast, mount, 4_500_000);
                // Definitions still fit, six megabytes of output do not.
                session.run("INSERT INTO t SELECT n, filler FROM s");
                assertThat(eventually(session, "SELECT state FROM sys.jobs", "PAUSED"))
                        .isEqualTo("PAUSED");
                assertThat(session.rows("SELECT error FROM sys.jobs").get(0))
                        .startsWith("waits for disk space: disk full");
                Files.delete(ballast);
                assertThat(eventually(session, "SELECT COUNT(*), SUM(n) FROM t", "100|4950"))
                        .isEqualTo("100|4950");
                assertThat(session.rows("SELECT state FROM sys.jobs")).containsExactly("RUNNING");
                fill(ballast, mount, 4_500_000);
                session.all("CREATE STREAM u (n BIGINT, filler VARCHAR)", "INSERT INTO u SELECT n, filler FROM t");
                assertThat(eventually(session, "SELECT DISTINCT state FROM sys.jobs", "PAUSED"))
                        .isEqualTo("PAUSED");
            }
            // Stopped while it stood still, and started while there is still no room: the tick goes on as it was bound.
            Files.delete(ballast);
            try (TestServer server = TestServer.open(data);
                    TestSession session = server.session()) {
                assertThat(eventually(session, "SELECT COUNT(*), SUM(n) FROM u", "100|4950"))
                        .isEqualTo("100|4950");
                assertThat(session.rows("SELECT COUNT(*), SUM(n) FROM t")).containsExactly("100|4950");
            }
        } finally {
            run("umount", mount.toString());
        }
    }
}
