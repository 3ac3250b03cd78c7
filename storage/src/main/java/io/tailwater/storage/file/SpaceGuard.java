package io.tailwater.storage.file;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Refuses new data while the volume is nearly full, so that logs, metadata and the operating system keep room to work. The reserve is a tenth of the
 * volume, but not more than {@code maxReserve}; see {@link Share} for who may use how much of it. Looks at the volume once per {@link #CHECK_BYTES} appended,
 * once a second because others fill it too, and at every append while full. Thread-safe.
 */
public final class SpaceGuard {
    /** What large volumes keep free: enough for a few segments and a compaction. */
    public static final long DEFAULT_MAX_RESERVE = 2L << 30;

    /** Who may write how far into the reserve: what clients bring is refused first, so that what it led to can still be finished. */
    public enum Share {
        /** Rows and definitions of clients. */
        INPUT(8),
        /** What jobs put out. */
        OUTPUT(4),
        /** Application logs: dropping a stream, which frees space, is a record there. */
        LOG(1);

        private final int eighths;

        Share(int eighths) {
            this.eighths = eighths;
        }
    }

    private static final long CHECK_BYTES = 4L << 20;
    private static final long CHECK_NANOS = 1_000_000_000L;
    private static final long FULL_BYTES = 1L << 16;

    private final FileIo io;
    private final Path directory;
    private final long maxReserve;
    private final Share share;
    private final Clock clock;
    private long allowance;
    private long checked;

    public SpaceGuard(FileIo io, Path directory, long maxReserve, Share share, Clock clock) {
        this.io = io;
        this.directory = directory;
        this.maxReserve = maxReserve;
        this.share = share;
        this.clock = clock;
    }

    /** Returns if {@code bytes} more may be written, else fails with 53100. */
    public synchronized void admit(long bytes) {
        allowance -= bytes;
        long now = clock.nanoTime();
        if (allowance >= 0 && now - checked < CHECK_NANOS) {
            return;
        }
        allowance = 0;
        checked = now;
        FileIo.Space space = space();
        long reserve = Math.min(space.total() / 10, maxReserve) / 8 * share.eighths;
        long left = space.usable() - bytes - reserve;
        if (left < 0) {
            throw IoErrors.diskFull(
                    "disk full: the volume of %s has %d MB left and keeps %d MB in reserve"
                            .formatted(directory, space.usable() >> 20, reserve >> 20),
                    null);
        }
        allowance = Math.min(left, CHECK_BYTES);
    }

    /** What a failed write means: 53100 if the volume is full, whatever the system's language calls it, else 58030. */
    public StreamException failure(String what, IOException e) {
        StreamException seen = IoErrors.of(what, e);
        if (seen.code() == ErrorCode.IO_ERROR && space().usable() < FULL_BYTES) {
            return IoErrors.diskFull(what + ": the volume is full", e);
        }
        return seen;
    }

    private FileIo.Space space() throws StreamException {
        try {
            return io.space(directory);
        } catch (IOException e) {
            throw IoErrors.of("cannot tell the free space of " + directory, e);
        }
    }
}
