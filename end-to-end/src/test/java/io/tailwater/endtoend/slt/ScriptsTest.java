package io.tailwater.endtoend.slt;

import io.tailwater.endtoend.slt.Script.Query;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every script of {@code src/test/slt}, every {@link Way}; those in {@code src/test/slt/sql} on DuckDB too. A failure names file and line.
 *
 * <p>{@code -Dslt.accept=true} writes into the scripts what a batch run gives, {@code -Dslt.only=NAME} runs the scripts whose path contains the name.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ScriptsTest {
    private static final Path ROOT = Path.of(System.getProperty("tailwater.home", ".."))
            .toAbsolutePath()
            .normalize()
            .resolve("end-to-end/src/test/slt");
    private static final boolean ACCEPT = Boolean.getBoolean("slt.accept");
    private static final String ONLY = System.getProperty("slt.only", "");
    private static final int LEAST_RECORDS = 400;

    @TempDir
    private static @Nullable Path dir;

    /** Servers with nothing on them, for whichever script comes next. */
    private final Queue<Host> idle = new ConcurrentLinkedQueue<>();

    private final AtomicInteger started = new AtomicInteger();

    @AfterAll
    void stop() throws SQLException {
        for (Host host : idle) {
            host.close();
        }
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> scripts() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Path file : files(ROOT)) {
            for (Way way : Way.values()) {
                if (!ACCEPT || way == Way.BATCH) {
                    tests.add(DynamicTest.dynamicTest(name(file) + " " + way, file.toUri(), () -> run(file, way)));
                }
            }
            if (!ACCEPT && file.startsWith(ROOT.resolve("sql"))) {
                tests.add(DynamicTest.dynamicTest(
                        name(file) + " DUCKDB", file.toUri(), () -> check(new DuckRun(read(file)).run())));
            }
        }
        return tests.stream();
    }

    @Test
    void thereAreScriptsEnough() throws IOException {
        int records = 0;
        for (Path file : files(ROOT)) {
            records += read(file).entries().size();
        }
        assertThat(ONLY.isEmpty() ? records : LEAST_RECORDS).isGreaterThanOrEqualTo(LEAST_RECORDS);
    }

    private void run(Path file, Way way) throws IOException, SQLException {
        Script script = read(file);
        // A server that restarts replays all it ever did: each script has its own.
        if (way == Way.RESTART) {
            try (Host host = start()) {
                check(new ScriptRun(script, way, host).run());
            }
            return;
        }
        @Nullable Host waiting = idle.poll();
        Host host = waiting == null ? start() : waiting;
        try {
            ScriptRun run = new ScriptRun(script, way, host);
            List<String> failures = run.run();
            host.clear();
            if (ACCEPT) {
                accept(file, script, run.results());
                failures = new ScriptRun(read(file), way, host).run();
                host.clear();
            }
            check(failures);
        } finally {
            idle.add(host);
        }
    }

    private Host start() throws SQLException {
        return Host.start(directory().resolve("server" + started.incrementAndGet()));
    }

    private static Path directory() {
        return Objects.requireNonNull(dir);
    }

    private static void check(List<String> failures) {
        assertThat(failures).as("%s", String.join("\n", failures)).isEmpty();
    }

    /** A query only for DuckDB says the query before it in other words: it gets the same rows. */
    private static void accept(Path file, Script script, Map<Query, Rows> results) throws IOException {
        Map<Query, Rows> all = new HashMap<>(results);
        @Nullable Rows last = null;
        for (Script.Entry entry : script.entries()) {
            if (entry instanceof Query query) {
                if (last != null && query.conditions().all().contains("duckdb")) {
                    all.put(query, last);
                }
                last = results.get(query);
            }
        }
        List<String> lines = new ArrayList<>(script.lines());
        // From the end, so that the places of those before stay right.
        for (int i = script.entries().size() - 1; i >= 0; i--) {
            if (script.entries().get(i) instanceof Query query && all.containsKey(query)) {
                Rows rows = all.get(query);
                boolean hash = Comparison.isHash(query);
                List<String> old = lines.subList(
                        query.firstExpected(),
                        query.firstExpected() + query.expected().size());
                old.clear();
                old.addAll(hash ? List.of(rows.hash(query.sort())) : rows.lines(query.sort()));
                String head = lines.get(query.line() - 1);
                lines.set(query.line() - 1, head.replaceFirst("^query \\S+", "query " + rows.types()));
            }
        }
        Files.write(file, lines, StandardCharsets.UTF_8);
    }

    private static Script read(Path file) throws IOException {
        return ScriptParser.parse(name(file), Files.readAllLines(file, StandardCharsets.UTF_8));
    }

    private static String name(Path file) {
        return ROOT.relativize(file).toString();
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".slt"))
                    .filter(file -> name(file).contains(ONLY))
                    .sorted(Comparator.comparing(Path::toString))
                    .toList();
        }
    }
}
