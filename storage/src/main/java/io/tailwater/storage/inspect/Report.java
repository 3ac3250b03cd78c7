package io.tailwater.storage.inspect;

import io.tailwater.common.error.StreamException;
import io.tailwater.storage.file.DirectoryNames;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.IoErrors;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Indented lines, and the damages among them. Owned by one thread; not thread-safe. */
final class Report {
    private final PrintWriter out;
    private int damages;

    Report(PrintWriter out) {
        this.out = out;
    }

    int damages() {
        return damages;
    }

    void line(int depth, String text) {
        out.println("  ".repeat(depth) + text);
    }

    void damaged(int depth, String what) {
        damages++;
        line(depth, "DAMAGED " + what);
    }

    void damaged(int depth, StreamException damage) {
        damaged(depth, String.valueOf(damage.getMessage()));
    }

    /** Looks at something; a failure is told, unless what was looked at is gone: a running server removes what it no longer needs. */
    void look(int depth, Path path, Runnable look) {
        try {
            look.run();
        } catch (StreamException e) {
            if (Files.exists(path)) {
                damaged(depth, e);
            } else {
                line(depth, path.getFileName() + " has just been removed");
            }
        }
    }

    static List<String> list(Path directory) {
        try {
            return FileIo.DISK.list(directory);
        } catch (IOException e) {
            throw IoErrors.of("cannot list " + directory, e);
        }
    }

    /** The name that a directory stands for; the directory's own if it stands for none. */
    static String decoded(String directory) {
        return DirectoryNames.isEncoded(directory)
                ? DirectoryNames.decode(directory)
                : directory + " (no name of ours)";
    }

    static String time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }
}
