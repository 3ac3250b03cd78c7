package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.metadata.EmbeddedMetadataStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Histories with power cuts: what was acknowledged is there, what is there was written, and nothing is mistaken for damage. */
class PowerLossTest {
    private static final Path ROOT = Path.of("/data");
    /** How many histories each case runs; the long run raises it. */
    private static final int HISTORIES = Integer.getInteger("tailwater.test.histories", 80);

    private static final PartitionName P = new PartitionName("orders", 0, 0);

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_376})
    void aPartitionKeepsWhatItAcknowledged(long firstSeed) {
        for (long seed = firstSeed; seed < firstSeed + HISTORIES; seed++) {
            partition(seed);
        }
    }

    private static void partition(long seed) {
        Random random = new Random(seed);
        SimulatedDisk disk = new SimulatedDisk();
        List<String> written = new ArrayList<>();
        int cuts = 1 + random.nextInt(5);
        long epoch = 1;
        for (int cut = 0; cut < cuts; cut++) {
            FileSegmentStore store =
                    new FileSegmentStore(disk, ROOT, new FileSegmentStore.Options(1 + random.nextInt(4000), 20, 0));
            PartitionLog log = store.open(P);
            List<String> found = SegmentStoreContract.bodies(log);
            assertThat(found).as("seed %d", seed).hasSizeLessThanOrEqualTo(written.size());
            assertThat(found).as("seed %d", seed).isEqualTo(written.subList(0, found.size()));
            written = new ArrayList<>(found);
            int steps = random.nextInt(60);
            for (int step = 0; step < steps; step++) {
                int what = random.nextInt(10);
                if (what < 7) {
                    // Frames of one size: what a crash leaves behind a hole would fit in again.
                    String body = "%5d/%d/%2d".formatted(seed, cut, step)
                            + "x".repeat(seed % 2 == 0 ? 600 : random.nextInt(700));
                    log.append(FrameHeader.data(epoch, 1, 1, 0, 0), SegmentStoreContract.bytes(body));
                    written.add(body);
                } else if (what < 9) {
                    log.sync();
                } else if (random.nextInt(5) == 0) {
                    long to = random.nextInt((int) log.end() + 1);
                    log.truncate(to);
                    written = new ArrayList<>(written.subList(0, (int) to));
                } else {
                    epoch++;
                }
            }
            long acknowledged = log.durableEnd();
            disk.crash(random);
            PartitionLog after = new FileSegmentStore(disk, ROOT, FileSegmentStore.Options.DEFAULT).open(P);
            assertThat(after.end()).as("seed %d", seed).isGreaterThanOrEqualTo(acknowledged);
            if (random.nextBoolean()) {
                disk.crash(random);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_376})
    void theMetadataStoreKeepsWhatItAcknowledged(long firstSeed) {
        for (long seed = firstSeed; seed < firstSeed + HISTORIES / 2; seed++) {
            metadata(seed);
        }
    }

    private static void metadata(long seed) {
        Random random = new Random(seed);
        SimulatedDisk disk = new SimulatedDisk();
        Map<String, String> acknowledged = new HashMap<>();
        for (int cut = 0; cut < 5; cut++) {
            EmbeddedMetadataStore store = new EmbeddedMetadataStore(disk, ROOT, Clock.SYSTEM);
            Map<String, String> found = new HashMap<>();
            store.range("").forEach(e -> found.put(e.key(), e.value().strip()));
            assertThat(found).as("seed %d", seed).isEqualTo(acknowledged);
            for (int step = random.nextInt(20); step > 0; step--) {
                String key = "/k" + random.nextInt(6);
                // Large values make the journal compact now and then.
                String value = cut + "/" + step;
                store.put(key, value + " ".repeat(random.nextInt(8) == 0 ? 300_000 : 30));
                acknowledged.put(key, value);
            }
            disk.crash(random);
        }
    }
}
