package io.tailwater.executor.state;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

final class EntryLogTest {
    private static final Schema SCHEMA =
            Schema.of(new Column("n", DataType.INTEGER), new Column("s", DataType.VARCHAR));
    private static final RowLayout LAYOUT = new RowLayout(DataType.INTEGER, DataType.VARCHAR);

    private final MemoryAccount memory = MemoryAccount.unlimited("log");

    private static String text(long number) {
        return number % 3 == 0 ? "t" + number : "a text of more bytes than fit, number " + number;
    }

    private void add(EntryLog log, Scratch scratch, long owner, long number, long weight) {
        try (ColumnBatch batch = ZSet.batch(SCHEMA, memory, List.of(List.of(number, text(number))), null)) {
            long row = scratch.atLeast(LAYOUT.width());
            LAYOUT.encode(batch, new int[] {0, 1}, 1, row, LAYOUT.width());
            log.add(owner, row, weight);
        }
    }

    /** The entries as {@code owner (row)} to weight, each of which may occur once only. */
    private static Map<String, Long> contents(EntryLog log, Scratch scratch) {
        Map<String, Long> out = new HashMap<>();
        log.forEach((owner, flatRow, flatBytes, weight) -> {
            long row = scratch.atLeast(LAYOUT.width());
            assertThat(LAYOUT.unflatten(flatRow, row)).isEqualTo(flatBytes);
            assertThat(out.put(owner + " " + LAYOUT.describe(row), weight)).isNull();
        });
        return out;
    }

    /** Whatever is added in whatever order, what is visited adds up to it. */
    @Property(tries = 40)
    void addsUp(@ForAll long seed) {
        Random random = new Random(seed);
        int domain = 1 + random.nextInt(50);
        try (EntryLog log = new EntryLog(LAYOUT, memory);
                Scratch scratch = new Scratch(memory)) {
            for (int round = 0; round < 3; round++) {
                Map<String, Long> model = new HashMap<>();
                for (int i = random.nextInt(500); i > 0; i--) {
                    long owner = random.nextInt(4);
                    long number = random.nextInt(domain);
                    long weight = random.nextInt(5) - 2L;
                    add(log, scratch, owner, number, weight);
                    model.merge(owner + " (" + number + ", '" + text(number) + "')", weight, Long::sum);
                }
                model.values().removeIf(w -> w == 0);
                assertThat(contents(log, scratch)).isEqualTo(model);
                assertThat(contents(log, scratch)).as("a second time").isEqualTo(model);
                log.clear();
                assertThat(contents(log, scratch)).isEmpty();
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void rowsThatComeAndGoDoNotPileUp() {
        try (EntryLog log = new EntryLog(LAYOUT, memory);
                Scratch scratch = new Scratch(memory)) {
            add(log, scratch, 7, 1, 1);
            for (int i = 0; i < 200_000; i++) {
                add(log, scratch, 5, 3 * (i / 2 % 100), i % 2 == 0 ? 1 : -1);
            }
            assertThat(contents(log, scratch)).isEqualTo(Map.of("7 (1, '" + text(1) + "')", 1L));
            // 48 bytes an addition would be more than 9 MB.
            assertThat(memory.peakBytes()).isLessThan(5L << 20);
        }
    }
}
