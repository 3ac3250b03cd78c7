package io.tailwater.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs a command to its end. */
final class Command {
    /** The project's root. */
    static final Path HOME =
            Path.of(System.getProperty("tailwater.home", "..")).toAbsolutePath().normalize();

    static final String LAUNCHER = HOME.resolve("bin/tailwater").toString();

    private static final long TIMEOUT_SECONDS = 120;

    private Command() {}

    /** What a command did. */
    record Result(int status, String out, String err) {}

    static Result tailwater(String... args) {
        List<String> command = new ArrayList<>(List.of(LAUNCHER));
        command.addAll(List.of(args));
        return run(HOME, Map.of(), "", command);
    }

    /** Runs {@code command} with {@code input} as its standard input; it is killed if it takes longer than two minutes. */
    static Result run(Path directory, Map<String, String> environment, String input, List<String> command) {
        try {
            ProcessBuilder builder = builder(directory, command);
            builder.environment().putAll(environment);
            Process process = builder.start();
            CompletableFuture<String> out = CompletableFuture.supplyAsync(() -> text(process.getInputStream()));
            CompletableFuture<String> err = CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
            try (var stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            }
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                // Its children too: one that lives on holds the pipes open, and the reads below would never end.
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new AssertionError(command + " does not end; it printed " + out.join() + err.join());
            }
            return new Result(process.exitValue(), out.join(), err.join());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A process of the launcher that does not build. */
    static ProcessBuilder builder(Path directory, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().put("TAILWATER_BUILT", "1");
        // Servers that live for a second or two: their start counts, not their speed. Benchmarks run as a user's would.
        if (!command.contains("bench")) {
            builder.environment().put("TAILWATER_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m");
        }
        return builder;
    }

    private static String text(InputStream in) {
        try (in) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
