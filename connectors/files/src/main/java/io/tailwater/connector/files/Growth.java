package io.tailwater.connector.files;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that is followed as it grows: how far it can be read now. It stays open, so a rename or a removal does not take away what is not read yet. A file that
 * shrank or whose beginning changed fails the reader. Owned by one reader.
 */
final class Growth implements AutoCloseable {
    static final long CHECK_NANOS = 50_000_000;
    private static final long GONE_NANOS = 5_000_000_000L;

    private final TailedFile file;
    private final Clock clock;
    private @Nullable FileChannel channel;
    private long size;
    /** Size up to which all complete records were delivered. */
    private long drained = -1;

    private long checkedAt;
    private long grewAt;
    private boolean checked;
    private boolean gone;

    Growth(TailedFile file, Clock clock) {
        this.file = file;
        this.clock = clock;
    }

    /** Bytes there are, if there may be new records; -1 if not, or if it was looked at a moment ago. */
    long grownTo(long from) {
        long now = clock.nanoTime();
        if (gone || (checked && now - checkedAt < CHECK_NANOS)) {
            return -1;
        }
        checkedAt = now;
        checked = true;
        if (channel == null && file.locate() == null) {
            gone = true;
            return -1;
        }
        long there = size(from);
        if (there == drained) {
            if (now - grewAt > GONE_NANOS) {
                grewAt = now;
                gone = file.locate() == null;
            }
            return -1;
        }
        grewAt = now;
        return there;
    }

    /** The file's size, which is at least {@code from}. */
    long size(long from) {
        FileChannel open = channel();
        try {
            long there = open.size();
            if (there < Math.max(from, size) || !file.startsTheSame(open)) {
                throw new StreamException(
                        ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "file \"%s\" has changed while it was followed: %s"
                                .formatted(
                                        file.path(),
                                        there < Math.max(from, size)
                                                ? "it had " + Math.max(from, size) + " bytes and has " + there + " now"
                                                : "its beginning differs"),
                        -1,
                        "A followed file may only grow, be renamed or removed. Rotate it by renaming; drop the query and start it again.",
                        null);
            }
            size = there;
            return there;
        } catch (IOException e) {
            throw FileIdentity.failure(file.path(), e);
        }
    }

    /** All complete records below the size last told are read. */
    void drained() {
        drained = size;
    }

    /** Whether the file was removed and nothing more can come from it. */
    boolean gone() {
        return gone;
    }

    FileChannel channel() {
        FileChannel open = channel;
        if (open != null) {
            return open;
        }
        Path path = file.locate();
        if (path == null) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "file \"" + file.path() + "\", which this query has read, is gone",
                    -1,
                    "A restart reads followed files again: keep them, or drop the query and start it again.",
                    null);
        }
        try {
            open = FileChannel.open(path, StandardOpenOption.READ);
            channel = open;
            return open;
        } catch (IOException e) {
            throw FileIdentity.failure(path, e);
        }
    }

    @Override
    public void close() {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                throw FileIdentity.failure(file.path(), e);
            }
        }
    }
}
