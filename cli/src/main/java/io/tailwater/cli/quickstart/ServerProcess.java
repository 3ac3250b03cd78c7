package io.tailwater.cli.quickstart;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A standalone server in a process of its own, on a free port, with a scratch directory that goes with it. Thread-safe. */
final class ServerProcess implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("(jdbc:tailwater:\\S+)");
    private static final long STOP_SECONDS = 10;

    private final Process process;
    private final Path dataDir;
    private final String url;
    private boolean closed;

    private ServerProcess(Process process, Path dataDir, String url) {
        this.process = process;
        this.dataDir = dataDir;
        this.url = url;
    }

    /** Where the server listens. */
    String url() {
        return url;
    }

    /**
     * Starts a server and waits until it is ready. What it says goes to standard error.
     *
     * @param home the project's root
     * @throws IOException if it ends before it is ready
     */
    static ServerProcess start(Path home) throws IOException {
        Path dataDir = Files.createTempDirectory("tailwater-quickstart-");
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        home.resolve("bin/tailwater").toString(),
                        "standalone",
                        "--data-dir",
                        dataDir.toString(),
                        "--port",
                        "0"))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        // Whoever runs this has been built.
        builder.environment().put("TAILWATER_BUILT", "1");
        Process process = builder.start();
        // A quickstart that ends while its server starts must not leave it behind.
        Thread end = new Thread(process::destroy, "end of the server");
        Runtime.getRuntime().addShutdownHook(end);
        try {
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                Matcher ready = READY.matcher(line);
                if (ready.find()) {
                    ServerProcess server = new ServerProcess(process, dataDir, ready.group(1));
                    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "clean-up"));
                    return server;
                }
            }
            delete(dataDir);
            throw new IOException("the server ended before it was ready");
        } finally {
            Runtime.getRuntime().removeShutdownHook(end);
        }
    }

    /** Waits until the server ends by itself. */
    void await() throws InterruptedException {
        process.waitFor();
    }

    /** Stops the server and removes its directory. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        try {
            delete(dataDir);
        } catch (IOException e) {
            System.err.println("Cannot remove " + dataDir + ": " + e.getMessage());
        }
    }

    private static void delete(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(directory)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.deleteIfExists(path);
        }
    }
}
