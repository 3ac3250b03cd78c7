package io.tailwater.connector.files;

import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A window on a file's bytes that moves forward and grows as a record asks for it, up to {@link #MAX_RECORD}. Borrows the channel, by absolute positions
 * only, so that several windows may share it. Owned by one thread.
 */
final class FileBytes {
    /** A longer record is malformed. */
    static final int MAX_RECORD = 16 << 20;

    private static final int READ = 1 << 18;

    private final Path path;
    private final FileChannel channel;
    private final long end;
    private final boolean growing;
    private byte[] buffer = new byte[READ];
    private long start;
    private int length;

    /**
     * @param end the file is taken to end here
     * @param growing whether more will follow: a record that reaches {@code end} is then not complete
     */
    FileBytes(Path path, FileChannel channel, long end, boolean growing) {
        this.path = path;
        this.channel = channel;
        this.end = end;
        this.growing = growing;
    }

    /** Valid until the next call of {@link #seek}, {@link #more} or {@link #afterLine}. */
    byte[] array() {
        return buffer;
    }

    /** Index after the last byte that is there. */
    int limit() {
        return length;
    }

    /** Whether no byte of the file follows {@link #limit}, now or later. */
    boolean atEnd() {
        return !growing && start + length == end;
    }

    /** Whether the bytes that would follow {@link #limit} are still to be written. */
    boolean atGrowingEnd() {
        return growing && start + length == end;
    }

    /** The file position of an index. */
    long position(int index) {
        return start + index;
    }

    /** Makes the byte at {@code position} available. Returns its index, which is {@link #limit} at the end of the file. */
    int seek(long position) {
        if (position < start || position > start + length) {
            start = position;
            length = 0;
        }
        if (position == start + length && position < end) {
            start = position;
            length = 0;
            fill();
        }
        return (int) (position - start);
    }

    /** Keeps the bytes from {@code index} on, at index 0 from now on, and reads more behind them. False if the record is too long. */
    boolean more(int index) {
        int kept = length - index;
        if (kept >= MAX_RECORD) {
            return false;
        }
        byte[] target = kept > buffer.length / 2 ? new byte[buffer.length * 2] : buffer;
        System.arraycopy(buffer, index, target, 0, kept);
        buffer = target;
        start += index;
        length = kept;
        fill();
        return true;
    }

    private void fill() {
        ByteBuffer target = ByteBuffer.wrap(buffer);
        target.position(length).limit((int) Math.min(buffer.length, end - start));
        try {
            while (target.hasRemaining()) {
                if (channel.read(target, start + target.position()) < 0) {
                    throw new StreamException(
                            ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                            "file \"%s\" was truncated while it was read: it had %d bytes and ends after %d now"
                                    .formatted(path, end, start + target.position()),
                            -1,
                            "Restore the file, or drop the query and start it again.",
                            null);
                }
            }
        } catch (IOException e) {
            throw FileIdentity.failure(path, e);
        }
        length = target.position();
    }

    /** The position after the first line break at or after {@code position}, or the file's end; {@link TextSource#INCOMPLETE} if that is to come. */
    long afterLine(long position) {
        long at = position;
        while (at < end) {
            for (int i = seek(at); i < length; i++) {
                if (buffer[i] == '\n') {
                    return position(i + 1);
                }
            }
            at = start + length;
        }
        return growing ? TextSource.INCOMPLETE : end;
    }

    /** Number of the line, from 1, that {@code position} is in. Reads the file up to there. */
    long lineAt(long position) {
        long line = 0;
        long at = 0;
        while (at <= position) {
            line++;
            at = afterLine(at);
            if (at == end || at == TextSource.INCOMPLETE) {
                break;
            }
        }
        return line;
    }

    /** A malformed record that is skipped, with its bytes. */
    SplitReader.Malformed skipped(long position, long after, BadRecord problem) {
        int wanted = (int) Math.min(after - position, SplitReader.Malformed.MOST_RAW);
        int index = seek(position);
        while (length - index < wanted && more(index)) {
            index = 0;
        }
        int there = Math.min(wanted, length - index);
        while (after - position == there
                && there > 0
                && (buffer[index + there - 1] == '\n' || buffer[index + there - 1] == '\r')) {
            there--;
        }
        String column = problem.column() == null ? "" : "column \"" + problem.column() + "\": ";
        return new SplitReader.Malformed(
                path.toString(), position, column + problem.reason(), Arrays.copyOfRange(buffer, index, index + there));
    }

    /** The error for a malformed record that begins at {@code position}. */
    StreamException malformed(long position, BadRecord problem) {
        int index = seek(position);
        int shown = Math.min(length - index, 100);
        String raw = new String(buffer, index, shown, StandardCharsets.UTF_8)
                .lines()
                .findFirst()
                .orElse("");
        String column = problem.column() == null ? "" : ", column \"" + problem.column() + "\"";
        return new StreamException(
                ErrorCode.BAD_RECORD,
                "file \"%s\", line %d%s: %s; the record begins: %s"
                        .formatted(path, lineAt(position), column, problem.reason(), raw),
                -1,
                "Correct the file, or add on_error = 'skip' to the stream's WITH clause to skip and count such records.",
                null);
    }
}
