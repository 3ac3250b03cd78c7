package io.tailwater.connector.files;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files that a path names: one file, the files of a directory, or those that match a pattern with {@code *}, {@code ?}, {@code [..]} or {@code {..}}
 * ({@code **} crosses directories). Hidden files, and those whose names begin with {@code _}, are never among several: writers use such names for files that are
 * not complete yet. Immutable.
 *
 * @param path absolute
 */
record FileSet(Path path) {
    /** More are refused: each costs a split's bookkeeping in every tick. */
    static final int MOST_FILES = 10_000;

    private static final int MOST_DEPTH = 32;

    /** Whether it names a file that may have any name, or several. */
    boolean isSet() {
        return Files.isDirectory(path) || isPattern();
    }

    private boolean isPattern() {
        return isPattern(path) && !Files.exists(path);
    }

    private static boolean isPattern(Path path) {
        return path.toString().chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '{');
    }

    /** The deepest directory that all of the files are below. */
    Path root() {
        Path root = path;
        while (root.getParent() != null && (isPattern(root) || !Files.isDirectory(root))) {
            root = root.getParent();
        }
        return root;
    }

    /** Those that are there now, in the order of their names. */
    List<Path> files() {
        if (!isSet()) {
            return Files.isRegularFile(path) ? List.of(path) : List.of();
        }
        boolean directory = Files.isDirectory(path);
        PathMatcher matcher =
                directory ? file -> true : FileSystems.getDefault().getPathMatcher("glob:" + path);
        try (Stream<Path> all = Files.walk(root(), depth(directory))) {
            List<Path> out = all.filter(FileSet::isVisible)
                    .filter(matcher::matches)
                    .filter(Files::isRegularFile)
                    .sorted()
                    .limit(MOST_FILES + 1L)
                    .toList();
            if (out.size() > MOST_FILES) {
                throw new StreamException(
                        ErrorCode.INVALID_PARAMETER_VALUE,
                        "\"" + path + "\" names more than " + MOST_FILES + " files",
                        -1,
                        "Name fewer with a narrower pattern.",
                        null);
            }
            return out;
        } catch (IOException e) {
            throw FileIdentity.failure(path, e);
        } catch (UncheckedIOException e) {
            // A file that goes while the directory is listed.
            throw FileIdentity.failure(path, java.util.Objects.requireNonNull(e.getCause()));
        }
    }

    private int depth(boolean directory) {
        if (directory) {
            return 1;
        }
        return path.toString().contains("**") ? MOST_DEPTH : path.getNameCount() - root().getNameCount();
    }

    private static boolean isVisible(Path file) {
        String name = String.valueOf(file.getFileName());
        return !name.startsWith(".") && !name.startsWith("_");
    }

    /** As {@link #files}, but at least one. */
    List<Path> someFiles() {
        List<Path> found = files();
        if (found.isEmpty()) {
            throw new StreamException(
                    ErrorCode.UNDEFINED_FILE,
                    isSet() ? "no file matches \"" + path + "\"" : "file \"" + path + "\" does not exist",
                    -1,
                    "The path is one of the server's machine, relative to the directory that it was started in.",
                    null);
        }
        return found;
    }
}
