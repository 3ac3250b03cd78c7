package io.tailwater.planner;

import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plans as EXPLAIN shows them: {@code src/test/resources/golden/*.plan}, statements and their plans. {@code -Dgolden.update=true} writes what the planner
 * yields now; read the difference before you commit it.
 */
class GoldenPlanTest {
    private static final Path DIRECTORY = Path.of("src/test/resources/golden");
    private static final String CASE_END = "\n====\n";
    private static final String PLAN_START = "\n----\n";

    @TestFactory
    List<DynamicTest> plansAreAsWritten() throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            return files.filter(f -> f.toString().endsWith(".plan"))
                    .sorted()
                    .map(f -> DynamicTest.dynamicTest(f.getFileName().toString(), () -> check(f)))
                    .toList();
        }
    }

    private static void check(Path file) throws IOException {
        String expected = Files.readString(file);
        String actual =
                Stream.of(expected.split(CASE_END)).map(GoldenPlanTest::planned).collect(Collectors.joining(CASE_END));
        if (Boolean.getBoolean("golden.update")) {
            write(file, actual);
        }
        assertThat(actual).isEqualTo(Boolean.getBoolean("golden.update") ? actual : expected);
    }

    private static String planned(String text) {
        String sql = text.substring(0, text.indexOf(PLAN_START));
        return sql + PLAN_START + String.join("\n", lines(sql)) + "\n";
    }

    private static List<String> lines(String sql) {
        try {
            return new Fixture().explain(sql);
        } catch (StreamException e) {
            String error = "ERROR " + e.code().sqlState() + ": " + e.getMessage();
            return e.hint().map(hint -> List.of(error, "HINT: " + hint)).orElse(List.of(error));
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
