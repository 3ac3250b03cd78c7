package io.tailwater.server.launch;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.io.PrintWriter;
import java.net.BindException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** Tells a user what went wrong. */
public final class Failures {
    private Failures() {}

    /**
     * Prints the message and the hint of a failure, never its stack trace.
     *
     * @param log file that holds the details, or null before there is one
     */
    public static void print(PrintWriter err, Throwable failure, @Nullable Path log) {
        StreamException e = explain(failure);
        err.println("ERROR: " + e.getMessage());
        e.hint().ifPresent(hint -> err.println("HINT:  " + hint));
        if (log != null) {
            err.println("LOG:   " + log);
        }
        err.flush();
    }

    /** The failure as one with a message for users. */
    public static StreamException explain(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof StreamException e) {
                return e;
            }
        }
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof BindException) {
                return new StreamException(
                        ErrorCode.OBJECT_IN_USE,
                        "The port is in use by another program: " + t.getMessage(),
                        -1,
                        "Another Tailwater server may be running; choose another port with --port, or 0 for any free one.",
                        failure);
            }
            if (t instanceof AccessDeniedException denied) {
                return new StreamException(
                        ErrorCode.IO_ERROR, "No permission for " + denied.getFile() + ".", -1, null, failure);
            }
            if (t instanceof FileSystemException file) {
                String reason = file.getReason() == null ? file.getClass().getSimpleName() : file.getReason();
                return new StreamException(
                        ErrorCode.IO_ERROR, "Cannot use " + file.getFile() + ": " + reason + ".", -1, null, failure);
            }
        }
        return new StreamException(
                ErrorCode.INTERNAL_ERROR,
                "Internal error: " + failure,
                -1,
                "This is a fault of Tailwater. Please report it with the log file.",
                failure);
    }
}
