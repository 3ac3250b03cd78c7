package io.tailwater.executor.state;

import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.DataType;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

final class StateTableTest {
    /** Finds what was inserted and not removed, whatever the hashes: good ones, a few vnodes only, a few homes only, or all the same. */
    @Property(tries = 40)
    void equalsAMap(@ForAll long seed) {
        Random random = new Random(seed);
        int words = 1 + random.nextInt(3);
        DataType[] types = new DataType[words];
        java.util.Arrays.fill(types, DataType.BIGINT.notNull());
        RowLayout layout = new RowLayout(types);
        int hashing = random.nextInt(4);
        MemoryAccount memory = MemoryAccount.unlimited("table");
        Map<Long, Long> model = new HashMap<>();
        try (StateTable table = new StateTable(layout, 8, memory);
                Scratch scratch = new Scratch(memory)) {
            for (int round = 0; round < 30; round++) {
                int n = 1 + random.nextInt(hashing == 3 ? 40 : 600);
                long keys = scratch.atLeast((long) n * layout.width());
                long[] hashes = new long[n];
                long[] found = new long[n];
                long[] numbers = new long[n];
                for (int i = 0; i < n; i++) {
                    numbers[i] = random.nextInt(2000);
                    for (int w = 0; w < words; w++) {
                        Mem.putLong(keys + ((long) i * words + w) * 8, w == words - 1 ? numbers[i] : 7);
                    }
                    hashes[i] = hash(numbers[i], hashing);
                }
                table.findOrInsert(keys, layout.width(), hashes, n, found);
                for (int i = 0; i < n; i++) {
                    boolean isNew = StateTable.stamp(found[i]) == StateTable.NEVER;
                    assertThat(isNew).isEqualTo(!model.containsKey(numbers[i]));
                    StateTable.setStamp(found[i], round);
                    assertThat(model.getOrDefault(numbers[i], found[i])).isEqualTo(found[i]);
                    model.put(numbers[i], found[i]);
                }
                removeSome(table, model, random);
                check(table, model, layout);
            }
            model.values().forEach(table::remove);
            assertThat(table.rows()).isZero();
            assertThat(table.arena().blocks()).isZero();
        }
        assertThat(memory.usedBytes()).isZero();
    }

    private static long hash(long number, int hashing) {
        long good = Hashing.hashLong(number);
        return switch (hashing) {
            case 0 -> good;
            case 1 -> good & 0x80FF_FFFF_FFFF_FFFFL;
            case 2 -> good & 0x0100_0300_0000_00FFL;
            default -> 42;
        };
    }

    private static void removeSome(StateTable table, Map<Long, Long> model, Random random) {
        List<Long> numbers = new ArrayList<>(model.keySet());
        numbers.sort(null);
        for (long number : numbers) {
            if (random.nextInt(3) == 0) {
                table.remove(model.getOrDefault(number, 0L));
                model.remove(number);
            }
        }
    }

    private static void check(StateTable table, Map<Long, Long> model, RowLayout layout) {
        assertThat(table.rows()).isEqualTo(model.size());
        Set<Long> seen = new HashSet<>();
        for (int vnode = 0; vnode < Hashing.VNODES; vnode++) {
            int expected = vnode;
            table.forEach(vnode, row -> {
                assertThat(Hashing.vnode(Mem.getLong(row + StateTable.HASH))).isEqualTo(expected);
                assertThat(seen.add(row)).isTrue();
                long number = Mem.getLong(row + StateTable.KEY + layout.width() - 8);
                assertThat(model.get(number)).isEqualTo(row);
            });
        }
        assertThat(seen).hasSize(model.size());
    }

    @Test
    void findDoesNotInsert() {
        MemoryAccount memory = MemoryAccount.unlimited("table");
        RowLayout layout = new RowLayout(DataType.BIGINT.notNull());
        try (StateTable table = new StateTable(layout, 0, memory);
                Scratch scratch = new Scratch(memory)) {
            long key = scratch.atLeast(8);
            long[] hashes = {Hashing.hashLong(5)};
            long[] found = new long[1];
            Mem.putLong(key, 5);
            table.find(key, 8, hashes, 1, found);
            assertThat(found[0]).isZero();
            table.findOrInsert(key, 8, hashes, 1, found);
            long row = found[0];
            table.find(key, 8, hashes, 1, found);
            assertThat(found[0]).isEqualTo(row);
            Mem.putLong(key, 6);
            table.find(key, 8, hashes, 1, found);
            assertThat(found[0]).isZero();
            assertThat(table.rows()).isEqualTo(1);
        }
    }
}
