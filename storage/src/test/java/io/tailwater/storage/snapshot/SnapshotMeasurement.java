package io.tailwater.storage.snapshot;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.file.FileIo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Times state files on a directory, by hand: run {@code main} with the test class path of this module and the flags of {@code bin/tailwater}. Batches are written
 * several times over, so that their memory does not count.
 */
final class SnapshotMeasurement {
    private static final int BATCH_ROWS = 1 << 13;
    private static final int KEY_BYTES = 24;
    private static final int VALUE_BYTES = 44;

    private SnapshotMeasurement() {}

    /** Measures in {@code args[0]}, a directory on the disk in question, with {@code args[1]} million rows. */
    public static void main(String[] args) {
        int rows = Integer.parseInt(args[1]) * 1_000_000;
        MemoryAccount memory = MemoryAccount.unlimited("measurement");
        List<ColumnBatch> some = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            some.add(batch(i * BATCH_ROWS, memory));
        }
        List<ColumnBatch> all = new ArrayList<>();
        for (int i = 0; (long) i * BATCH_ROWS < rows; i++) {
            all.add(some.get(i % some.size()));
        }
        StateRows state = new StateRows(1, 0, List.of("aggregate"), all);
        FileSnapshotStore store =
                new FileSnapshotStore(FileIo.DISK, Path.of(args[0]).resolve("snapshots"), Clock.SYSTEM, 0);
        for (int round = 0; round < 4; round++) {
            long begun = System.nanoTime();
            SnapshotFile file = store.write("measured", 1, round, VnodeRange.ALL, List.of(state));
            double write = seconds(begun);
            begun = System.nanoTime();
            store.verify(file);
            double verify = seconds(begun);
            begun = System.nanoTime();
            long[] seen = {0};
            store.read(file, 1, 0, part -> seen[0] += part.rows());
            double read = seconds(begun);
            System.out.printf(
                    Locale.ROOT,
                    "%,d rows, %,d MB: write with fsync %.2f s (%,.0f MB/s), verify %.2f s (%,.0f MB/s), read %.2f s (%,.0f MB/s, %,.1f M rows/s)%n",
                    seen[0],
                    file.bytes() / 1_000_000,
                    write,
                    file.bytes() / write / 1e6,
                    verify,
                    file.bytes() / verify / 1e6,
                    read,
                    file.bytes() / read / 1e6,
                    seen[0] / read / 1e6);
            store.collect("measured", java.util.Set.of(), Long.MAX_VALUE);
        }
    }

    private static ColumnBatch batch(int first, MemoryAccount memory) {
        try (BatchBuilder out = new BatchBuilder(BatchBuilder.types(StateRows.SCHEMA), BATCH_ROWS, false, memory)) {
            byte[] key = new byte[KEY_BYTES];
            byte[] value = new byte[VALUE_BYTES];
            for (int row = 0; row < BATCH_ROWS; row++) {
                long id = (long) first + row;
                Mem.putInt(out.data(StateRows.OPERATOR) + 4L * row, 0);
                Mem.putInt(out.data(StateRows.PART) + 4L * row, 0);
                Mem.putLong(out.data(StateRows.HASH) + 8L * row, Hashing.hashLong(id));
                Mem.putLong(out.data(StateRows.WEIGHT) + 8L * row, 1);
                java.nio.ByteBuffer.wrap(key).putLong(0, id);
                out.putBytes(StateRows.KEY, row, key, 0, key.length);
                out.putBytes(StateRows.VALUE, row, value, 0, value.length);
            }
            return out.finish(BATCH_ROWS);
        }
    }

    private static double seconds(long begun) {
        return (System.nanoTime() - begun) / 1e9;
    }
}
