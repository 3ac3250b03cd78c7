package io.tailwater.storage;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.FileSegmentStore;
import io.tailwater.storage.file.SegmentFormat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Appends until the file system is full, then has {@code ballast} removed and appends again: {@code refused frames message}, {@code again frames}. Arguments:
 * directory, format, reserve.
 */
final class FillingProcess {
    private FillingProcess() {}

    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        FileSegmentStore store = new FileSegmentStore(
                FileIo.DISK,
                directory.resolve("streams"),
                new FileSegmentStore.Options(3 << 20, 1000, Long.parseLong(args[2]))
                        .with(SegmentFormat.valueOf(args[1])));
        PartitionLog log = store.open(new PartitionName("orders", 0, 0));
        System.out.println("refused " + fill(log));
        System.out.println("refused " + fill(log));
        Files.delete(directory.resolve("ballast"));
        for (int i = 0; i < 10; i++) {
            append(log);
        }
        log.sync();
        System.out.println("again " + log.end());
        store.close();
    }

    private static void append(PartitionLog log) {
        log.append(FrameHeader.data(1, 1, 1, 0, 0), ByteBuffer.allocate(50_000));
    }

    private static String fill(PartitionLog log) {
        while (true) {
            try {
                append(log);
            } catch (StreamException e) {
                if (e.code() != ErrorCode.DISK_FULL) {
                    throw e;
                }
                log.sync();
                return log.end() + " " + e.getMessage();
            }
        }
    }
}
