package io.tailwater.endtoend;

import io.tailwater.endtoend.Command.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The answers of the Nexmark queries over 100,000 events equal those of another engine (Flink SQL 2.3.0, confirmed by a plain recomputation), kept as
 * digests of the sorted rows.
 */
final class NexmarkAnswersTest {
    @TempDir
    Path dir;

    @Test
    void everyQueryGivesExactlyTheExpectedRows() throws IOException {
        TreeMap<String, String> expected = new TreeMap<>();
        TreeMap<String, String> actual = new TreeMap<>();
        List<String> lines = Files.readAllLines(
                Command.HOME.resolve("end-to-end/src/test/resources/nexmark-digests.tsv"), StandardCharsets.UTF_8);
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split("\t");
            expected.put(cells[0], cells[1] + " rows " + cells[2]);
        }
        Result result = Command.tailwater(
                "bench",
                "nexmark",
                "--query",
                String.join(",", expected.keySet()),
                "--events",
                "100000",
                "--verify",
                dir.toString());
        for (String query : expected.keySet()) {
            Path file = dir.resolve(query + ".csv");
            actual.put(query, Files.exists(file) ? digest(file) : "missing");
        }
        assertThat(actual).as(result.out() + result.err()).isEqualTo(expected);
        assertThat(result.status()).isZero();
    }

    @Test
    void aQueryThatDoesNotExistIsNamedAndTheOthersStillRun() {
        Result result = Command.tailwater(
                "bench", "nexmark", "--query", "q99,q2", "--events", "1000", "--verify", dir.toString());
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("q99").contains("q0, q1");
        assertThat(dir.resolve("q2.csv")).exists();
    }

    private static String digest(Path file) throws IOException {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
            for (String line : lines.subList(1, lines.size())) {
                sha.update((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
            return (lines.size() - 1) + " rows " + HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
