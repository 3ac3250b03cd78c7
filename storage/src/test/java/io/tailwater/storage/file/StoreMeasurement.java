package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Times both kinds of segments on a directory, by hand: run {@code main} with the test class path of this module and the flags of {@code bin/tailwater}. Each
 * figure comes from a second run in the same process.
 */
final class StoreMeasurement {
    private static final PartitionName P = new PartitionName("orders", 0, 0);
    private static final FrameHeader HEADER = FrameHeader.data(1, 1, 1, 0, 0);

    private StoreMeasurement() {}

    /** Measures in {@code args[0]}, a directory on the disk in question. */
    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        System.out.println(
                "| segments | frame | appends/s | MB/s | append + sync, p50 / p99 ms | reads/s | MB/s | start after a kill, ms | new segment, ms |");
        System.out.println("|---|---|---|---|---|---|---|---|---|");
        for (int round = 0; round < 2; round++) {
            for (int bytes : new int[] {256, 4096, 65_536}) {
                for (SegmentFormat format : SegmentFormat.values()) {
                    String line = measure(directory, format, bytes);
                    if (round == 1) {
                        System.out.println(line);
                    }
                }
            }
        }
    }

    private static String measure(Path directory, SegmentFormat format, int bytes) throws Exception {
        FileIo.DISK.delete(directory.resolve("measured"));
        FileSegmentStore.Options options = new FileSegmentStore.Options(1L << 30, 1 << 20, 0).with(format);
        FileSegmentStore store = new FileSegmentStore(FileIo.DISK, directory.resolve("measured"), options);
        PartitionLog log = store.open(P);
        ByteBuffer body = ByteBuffer.allocateDirect(bytes);
        int frames = Math.min(200_000, (256 << 20) / bytes);
        log.append(HEADER, body.duplicate());
        long begun = System.nanoTime();
        for (int i = 0; i < frames; i++) {
            log.append(HEADER, body.duplicate());
        }
        double append = seconds(begun);
        log.sync();
        long[] syncs = new long[300];
        for (int i = 0; i < syncs.length; i++) {
            long from = System.nanoTime();
            log.append(HEADER, body.duplicate());
            log.sync();
            syncs[i] = System.nanoTime() - from;
        }
        Arrays.sort(syncs);
        begun = System.nanoTime();
        long[] read = {0};
        log.read(0, log.end(), (header, address, length) -> read[0] += length);
        double reading = seconds(begun);
        begun = System.nanoTime();
        FileSegmentStore again = new FileSegmentStore(FileIo.DISK, directory.resolve("measured"), options);
        long end = again.open(P).end();
        double start = seconds(begun);
        again.close();
        store.close();
        double fresh = newSegments(directory, format);
        return String.format(
                Locale.ROOT,
                "| %s | %d B | %,.0f | %,.0f | %.2f / %.2f | %,.0f | %,.0f | %.0f | %.1f |",
                format.name().toLowerCase(Locale.ROOT),
                bytes,
                frames / append,
                frames / append * bytes / 1e6,
                syncs[syncs.length / 2] / 1e6,
                syncs[syncs.length * 99 / 100] / 1e6,
                end / reading,
                read[0] / reading / 1e6,
                start * 1e3,
                fresh * 1e3);
    }

    private static double newSegments(Path directory, SegmentFormat format) throws Exception {
        FileIo.DISK.delete(directory.resolve("fresh"));
        try (FileSegmentStore store = new FileSegmentStore(
                FileIo.DISK, directory.resolve("fresh"), new FileSegmentStore.Options(1, 1, 0).with(format))) {
            PartitionLog log = store.open(P);
            log.append(HEADER, ByteBuffer.allocate(100));
            long begun = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                log.append(HEADER, ByteBuffer.allocate(100));
            }
            return seconds(begun) / 20;
        }
    }

    private static double seconds(long begun) {
        return (System.nanoTime() - begun) / 1e9;
    }
}
