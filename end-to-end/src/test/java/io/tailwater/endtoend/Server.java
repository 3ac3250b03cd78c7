package io.tailwater.endtoend;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server started by {@code bin/tailwater standalone} in the project's directory, on a free port. */
final class Server implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("^Tailwater is ready: (jdbc:tailwater://localhost:(\\d+)/)$");
    private static final long STOP_SECONDS = 30;

    private final Process process;
    private final String url;
    private final int port;

    private Server(Process process, String url, int port) {
        this.process = process;
        this.url = url;
        this.port = port;
    }

    /** Starts a server and returns when it is ready. */
    static Server start(Path dataDir, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(Command.LAUNCHER, "standalone", "--data-dir", dataDir.toString(), "--port", "0"));
        command.addAll(List.of(arguments));
        try {
            Process process = Command.builder(Command.HOME, command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            String line = out.readLine();
            Matcher ready = READY.matcher(String.valueOf(line));
            if (!ready.find()) {
                process.destroyForcibly();
                throw new AssertionError("the server printed: " + line);
            }
            return new Server(process, ready.group(1), Integer.parseInt(ready.group(2)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a server and kills it after some time, whether it is ready or not. */
    static void startAndKill(Path dataDir, long micros, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(Command.LAUNCHER, "standalone", "--data-dir", dataDir.toString(), "--port", "0"));
        command.addAll(List.of(arguments));
        try {
            Process process = Command.builder(Command.HOME, command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            LockSupport.parkNanos(micros * 1_000);
            new Server(process, "", 0).kill();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url() {
        return url;
    }

    int port() {
        return port;
    }

    /** Sends SIGTERM and returns the exit code. */
    int stop() {
        process.destroy();
        return exitCode();
    }

    /** Sends SIGKILL and waits for the end. */
    void kill() {
        process.destroyForcibly();
        exitCode();
    }

    private int exitCode() {
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("the server does not stop");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs the shell with {@code arguments} against this server. */
    Command.Result sql(String... arguments) {
        List<String> command = new ArrayList<>(List.of("sql", "-u", url));
        command.addAll(List.of(arguments));
        return Command.tailwater(command.toArray(String[]::new));
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }
}
