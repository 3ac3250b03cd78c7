package io.tailwater.storage.snapshot;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.SnapshotStore;
import io.tailwater.api.snapshot.StateRows;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** Made-up state, and state as text: {@code job/worker operator#part hash weight key value}, a line per row. */
public final class States {
    private static final HexFormat HEX = HexFormat.of();

    private States() {}

    /** State of a job on a worker; batches of up to {@code rows} rows, none if it is 0. */
    public static StateRows random(long job, int worker, int batches, int rows, Random random, MemoryAccount memory) {
        List<String> operators = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(3); i++) {
            operators.add("op-" + job + "-" + i + "-İ");
        }
        List<ColumnBatch> out = new ArrayList<>();
        for (int i = 0; i < batches && rows > 0; i++) {
            out.add(batch(1 + random.nextInt(rows), operators.size(), random, memory));
        }
        return new StateRows(job, worker, operators, out);
    }

    private static ColumnBatch batch(int rows, int operators, Random random, MemoryAccount memory) {
        try (BatchBuilder out = new BatchBuilder(StateRows.SCHEMA, rows, false, memory)) {
            for (int row = 0; row < rows; row++) {
                Values.set(out, StateRows.OPERATOR, row, (long) random.nextInt(operators));
                Values.set(out, StateRows.PART, row, (long) random.nextInt(3));
                Values.set(out, StateRows.HASH, row, random.nextLong());
                Values.set(out, StateRows.WEIGHT, row, random.nextInt(5) - 2L);
                Values.set(out, StateRows.KEY, row, bytes(random));
                Values.set(out, StateRows.VALUE, row, random.nextInt(4) == 0 ? null : bytes(random));
            }
            return out.finish(rows);
        }
    }

    private static byte[] bytes(Random random) {
        byte[] out = new byte[random.nextInt(10) == 0 ? random.nextInt(300) : random.nextInt(30)];
        random.nextBytes(out);
        return out;
    }

    public static List<String> lines(List<StateRows> state) {
        List<String> out = new ArrayList<>();
        state.forEach(part -> lines(part, out));
        return out;
    }

    private static void lines(StateRows part, List<String> out) {
        for (ColumnBatch batch : part.batches()) {
            for (int row = 0; row < batch.rows(); row++) {
                int operator = Mem.getInt(batch.data(StateRows.OPERATOR) + 4L * row);
                Object value = Values.get(batch, StateRows.VALUE, row);
                out.add("%d/%d %s#%s %s %s %s %s"
                        .formatted(
                                part.job(),
                                part.worker(),
                                part.operators().get(operator),
                                Values.get(batch, StateRows.PART, row),
                                Values.get(batch, StateRows.HASH, row),
                                Values.get(batch, StateRows.WEIGHT, row),
                                HEX.formatHex((byte[]) Values.get(batch, StateRows.KEY, row)),
                                value == null ? "gone" : HEX.formatHex((byte[]) value)));
            }
        }
    }

    /** What a store reads of a job. */
    public static List<String> read(SnapshotStore store, SnapshotFile file, long job, int worker) {
        List<String> out = new ArrayList<>();
        store.read(file, job, worker, part -> lines(part, out));
        return out;
    }
}
