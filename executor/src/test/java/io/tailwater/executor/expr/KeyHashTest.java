package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
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
