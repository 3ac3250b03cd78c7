package io.tailwater.executor.state;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.SortKey;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class OrderedStateTest {
    private static final Schema SCHEMA =
            Schema.of(new Column("n", DataType.INTEGER.notNull()), new Column("s", DataType.VARCHAR.notNull()));

    /** Memory and multisets under test. */
    private static final class Fixture implements AutoCloseable {
        final MemoryAccount memory = MemoryAccount.unlimited("ordered");
        final Arena arena = new Arena(memory);
        final RowLayout layout = new RowLayout(DataType.INTEGER.notNull(), DataType.VARCHAR.notNull());
        final OrderedState state;
        final Scratch scratch = new Scratch(memory);
        final long roots;

        Fixture(boolean descending) {
            state = new OrderedState(layout, new RowOrder(layout, List.of(new SortKey(0, descending, false))), arena);
            roots = arena.allocate(2 * OrderedState.ROOT_BYTES);
            Mem.fill(roots, 2 * OrderedState.ROOT_BYTES, (byte) 0);
        }

        long add(int root, long number, String text, long weight) {
            try (ColumnBatch batch = ZSet.batch(SCHEMA, memory, List.of(List.of(number, text)), null)) {
                long row = scratch.atLeast(layout.width());
                layout.encode(batch, new int[] {0, 1}, 1, row, layout.width());
                return state.add(root(root), row, weight);
            }
        }

        long root(int root) {
            return roots + (long) root * OrderedState.ROOT_BYTES;
        }

        List<String> contents(int root) {
            List<String> out = new ArrayList<>();
            for (OrderedState.Cursor c = state.cursor(root(root)); c.valid(); c.next()) {
                out.add(layout.describe(c.entry()) + c.weight());
            }
            return out;
        }

        @Override
        public void close() {
            state.clear(root(0));
            state.clear(root(1));
            arena.free(roots, 2 * OrderedState.ROOT_BYTES);
            assertThat(arena.blocks()).as("blocks left").isZero();
            arena.close();
            scratch.close();
            assertThat(memory.usedBytes()).isZero();
        }
    }

    private static String text(long number, int variant) {
        return variant == 0 ? "t" : "some longer text, number " + number + " of variant " + variant;
    }

    /** Two multisets in one arena equal sorted maps after thousands of additions and removals, through all tree shapes. */
    @Property(tries = 25)
    void equalsASortedMap(@ForAll long seed) {
        Random random = new Random(seed);
        boolean descending = random.nextBoolean();
        int domain = 1 + random.nextInt(random.nextBoolean() ? 40 : 6000);
        boolean ascendingInput = random.nextInt(3) == 0;
        Comparator<long[]> order = Comparator.comparingLong(k -> descending ? -k[0] : k[0]);
        Comparator<long[]> full = order.thenComparing(k -> text(k[0], (int) k[1]));
        List<TreeMap<long[], Long>> models = List.of(new TreeMap<>(full), new TreeMap<>(full));
        try (Fixture fixture = new Fixture(descending)) {
            int steps = 200 + random.nextInt(8000);
            for (int i = 0; i < steps; i++) {
                int root = random.nextInt(8) == 0 ? 1 : 0;
                TreeMap<long[], Long> model = models.get(root);
                long[] key = {ascendingInput ? i : random.nextInt(domain), random.nextInt(3)};
                long weight = 1L + random.nextInt(2);
                boolean shrink = i > steps / 2;
                if (!model.isEmpty() && random.nextInt(10) < (shrink ? 7 : 3)) {
                    long[] near = model.ceilingKey(key);
                    key = near == null ? model.firstKey() : near;
                    weight = -model.getOrDefault(key, 0L);
                }
                long before = fixture.add(root, key[0], text(key[0], (int) key[1]), weight);
                assertThat(before).isEqualTo(model.getOrDefault(key, 0L));
                model.merge(key, weight, Long::sum);
                model.remove(key, 0L);
                if (i % 500 == 0 || i == steps - 1) {
                    compare(fixture, root, model);
                }
            }
            compare(fixture, 0, models.get(0));
            compare(fixture, 1, models.get(1));
            for (int root = 0; root < 2; root++) {
                for (Map.Entry<long[], Long> entry : models.get(root).entrySet()) {
                    long[] key = entry.getKey();
                    fixture.add(root, key[0], text(key[0], (int) key[1]), -entry.getValue());
                }
                assertThat(fixture.state.entries(fixture.root(root))).isZero();
                assertThat(Mem.getLong(fixture.root(root))).as("top node").isZero();
            }
        }
    }

    private static void compare(Fixture fixture, int root, SortedMap<long[], Long> model) {
        List<String> expected = new ArrayList<>();
        model.forEach((key, weight) -> expected.add("(" + key[0] + ", '" + text(key[0], (int) key[1]) + "')" + weight));
        assertThat(fixture.contents(root)).isEqualTo(expected);
        assertThat(fixture.state.entries(fixture.root(root))).isEqualTo(model.size());
        if (!model.isEmpty()) {
            long first = fixture.state.first(fixture.root(root));
            long last = fixture.state.last(fixture.root(root));
            assertThat(fixture.layout.describe(first) + fixture.state.weight(first))
                    .isEqualTo(expected.get(0));
            assertThat(fixture.layout.describe(last) + fixture.state.weight(last))
                    .isEqualTo(expected.get(expected.size() - 1));
        }
    }

    @Test
    void negativeWeightsAreFoundOut() {
        try (Fixture fixture = new Fixture(false)) {
            fixture.add(0, 1, "a", -1);
            fixture.add(0, 1, "a", 1);
            fixture.state.check(fixture.root(0));
            fixture.add(0, 2, "b", -1);
            assertThatThrownBy(() -> fixture.state.check(fixture.root(0)))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("(2, 'b') has weight -1");
        }
    }
}
