package io.tailwater.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A PostgreSQL server of the machine's own package, in a directory and on a port of its own. It does not run as root, so root runs it as another user. Owned by one
 * test.
 */
public final class Postgres implements AutoCloseable {
    public static final String USER = "tailwater";
    public static final String PASSWORD = "opensesame";

    private static final Path PACKAGES = Path.of("/usr/lib/postgresql");

    private final Path programs = programs();
    private final List<String> asOther = asOther();
    private final Path directory;
    private final int port = freePort();
    private final Thread atExit = new Thread(() -> stop("immediate"));
    private boolean running;

    private Postgres() {
        try {
            directory = Files.createTempDirectory("tailwater-postgres");
            Path password = Files.writeString(directory.resolve("password"), PASSWORD);
            if (!asOther.isEmpty()) {
                UserPrincipal owner = otherUser();
                Files.setOwner(directory, owner);
                Files.setOwner(password, owner);
            }
            run(
                    "initdb",
                    "-D",
                    data(),
                    "-U",
                    USER,
                    "-A",
                    "scram-sha-256",
                    "--pwfile=" + password,
                    "-E",
                    "UTF8",
                    "--locale=C",
                    "--no-sync");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** An empty server that runs. */
    public static Postgres start() {
        Postgres made = new Postgres();
        made.restart();
        return made;
    }

    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    public int port() {
        return port;
    }

    /** Starts it again after {@link #stop}; returns when it takes connections. */
    public void restart() {
        // Processes die here, never machines: what was written is there without fsync.
        run(
                "pg_ctl",
                "start",
                "-w",
                "-D",
                data(),
                "-l",
                directory.resolve("log").toString(),
                "-o",
                "-p " + port + " -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
                        + " -c shared_buffers=16MB -c max_connections=30");
        running = true;
    }

    /**
     * Ends it.
     *
     * @param mode {@code fast}: transactions are rolled back; {@code immediate}: as if it crashed
     */
    public void stop(String mode) {
        if (running) {
            running = false;
            run("pg_ctl", "stop", "-w", "-D", data(), "-m", mode);
        }
    }

    private String data() {
        return directory.resolve("data").toString();
    }

    private void run(String program, String... arguments) {
        List<String> command = new ArrayList<>(asOther);
        command.add(programs.resolve(program).toString());
        command.addAll(List.of(arguments));
        try {
            Path out = Files.createTempFile("tailwater-postgres", ".out");
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    // Not a pipe: the server that pg_ctl leaves behind would hold it open.
                    .redirectOutput(out.toFile())
                    .start();
            int status = process.waitFor();
            String said = Files.readString(out);
            Files.delete(out);
            if (status != 0) {
                throw new AssertionError(program + " failed: " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Where {@code initdb} and {@code pg_ctl} are: Debian keeps them out of the path. */
    private static Path programs() {
        List<Path> found = new ArrayList<>();
        if (Files.isDirectory(PACKAGES)) {
            try (Stream<Path> versions = Files.list(PACKAGES)) {
                versions.sorted(Comparator.comparing((Path version) ->
                                        version.getFileName().toString().length())
                                .thenComparing(Comparator.naturalOrder())
                                .reversed())
                        .forEach(version -> found.add(version.resolve("bin")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        Arrays.stream(System.getenv("PATH").split(":", -1)).map(Path::of).forEach(found::add);
        return found.stream()
                .filter(place ->
                        Files.isExecutable(place.resolve("initdb")) && Files.isExecutable(place.resolve("pg_ctl")))
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        "PostgreSQL is missing. Install it, on Debian with: apt-get install postgresql"));
    }

    private static List<String> asOther() {
        if (!System.getProperty("user.name").equals("root")) {
            return List.of();
        }
        String user = String.valueOf(otherUser().getName());
        return List.of("setpriv", "--reuid=" + user, "--regid=nogroup", "--clear-groups", "--");
    }

    private static UserPrincipal otherUser() {
        return Stream.of("postgres", "nobody")
                .flatMap(name -> user(name).stream())
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        "root needs another user to run PostgreSQL as, and there is neither postgres nor nobody"));
    }

    private static Optional<UserPrincipal> user(String name) {
        try {
            return Optional.of(
                    FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(name));
        } catch (UserPrincipalNotFoundException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        stop("immediate");
        Runtime.getRuntime().removeShutdownHook(atExit);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
