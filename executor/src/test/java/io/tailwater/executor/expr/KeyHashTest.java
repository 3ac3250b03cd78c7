package io.tailwater.executor.expr;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.Scratch;
import io.tailwater.testing.ZSet;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

final class KeyHashTest {
    private static final Schema SCHEMA = allTypes();

    @Test
    void columnWiseHashesEqualTheRowWiseOnesForEveryTypeWithAndWithoutNulls() {
        MemoryAccount memory = MemoryAccount.unlimited("test");
        Random random = new Random(7);
        for (double nulls : new double[] {0, 0.3}) {
            List<List<Object>> rows = new ArrayList<>();
            for (int row = 0; row < 200; row++) {
                rows.add(RandomValues.row(SCHEMA, random, nulls));
            }
            try (ColumnBatch batch = ZSet.batch(SCHEMA, memory, rows, null)) {
                for (int column = 0; column < SCHEMA.size(); column++) {
                    check(batch, column);
                    check(batch, column, (column + 1) % SCHEMA.size());
                }
                check(batch);
                check(batch, IntStream.range(0, SCHEMA.size()).toArray());
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    private static void check(ColumnBatch batch, int... columns) {
        long[] hashes = new long[batch.rows() + 1];
        KeyHash.hash(batch, columns, hashes);
        for (int row = 0; row < batch.rows(); row++) {
            assertThat(hashes[row]).isEqualTo(Hashing.hashKey(batch, columns, row));
        }
        assertThat(hashes[batch.rows()]).isZero();
        checkEncoded(batch, columns, hashes);
    }

    /** A row of state tells the same hash, also after its trip through a snapshot. */
    private static void checkEncoded(ColumnBatch batch, int[] columns, long[] hashes) {
        MemoryAccount memory = MemoryAccount.unlimited("rows");
        RowLayout layout = new RowLayout(BatchBuilder.types(SCHEMA));
        try (Scratch encoded = new Scratch(memory);
                Scratch flat = new Scratch(memory);
                Scratch read = new Scratch(memory)) {
            int width = layout.width();
            long rows = encoded.atLeast((long) batch.rows() * width + 8);
            layout.encode(batch, IntStream.range(0, SCHEMA.size()).toArray(), batch.rows(), rows, width);
            for (int row = 0; row < batch.rows(); row++) {
                long from = rows + (long) row * width;
                long bytes = flat.atLeast(layout.flatBytes(from));
                layout.flatten(from, bytes);
                long to = read.atLeast(width + 8L);
                layout.unflatten(bytes, to);
                assertThat(layout.hashKey(to, columns)).isEqualTo(hashes[row]);
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    private static Schema allTypes() {
        List<Column> columns = new ArrayList<>();
        for (TypeKind kind : TypeKind.values()) {
            if (kind != TypeKind.NULL) {
                DataType type = RandomValues.type(kind);
                columns.add(new Column(kind.name(), type));
            }
        }
        return new Schema(columns);
    }
}
