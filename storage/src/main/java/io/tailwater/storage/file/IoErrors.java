package io.tailwater.storage.file;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.io.IOException;
import java.util.Locale;

/** Failures of the disk as clients see them. */
public final class IoErrors {
    private IoErrors() {}

    /** 53100 if the disk is full, else 58030. {@code what} says what could not be done, and names the file. */
    public static StreamException of(String what, IOException e) {
        String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        String lower = reason.toLowerCase(Locale.ROOT);
        if (lower.contains("no space left") || lower.contains("quota exceeded")) {
            return diskFull(what + ": " + reason, e);
        }
        return new StreamException(ErrorCode.IO_ERROR, what + ": " + reason, -1, null, e);
    }

    static StreamException diskFull(String message, @org.jspecify.annotations.Nullable IOException cause) {
        return new StreamException(
                ErrorCode.DISK_FULL,
                message,
                -1,
                "Nothing was written. Free space on the volume, or drop streams that are no longer needed.",
                cause);
    }

    /** XX001: {@code file} is not what was acknowledged. */
    public static StreamException corrupt(java.nio.file.Path file, long offset, String what) {
        return new StreamException(
                ErrorCode.DATA_CORRUPTED,
                file + " is corrupt at offset " + offset + ": " + what,
                -1,
                "Acknowledged data is damaged. Restore the file from a copy; nothing was changed.",
                null);
    }
}
