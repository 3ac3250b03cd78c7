package io.tailwater.server.engine;

import io.tailwater.api.storage.PartitionLog.SegmentInfo;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

final class LogRetentionTest {
    private static SegmentInfo sealed(long base, long end, long bytes, long sealed) {
        return new SegmentInfo(base, end, bytes, sealed - 1, sealed);
    }

    private static SegmentInfo open(long base, long end, long bytes, long begun) {
        return new SegmentInfo(base, end, bytes, begun, -1);
    }

    @Test
    void ageRemovesWhatWasSealedSoLongAgo() {
        List<List<SegmentInfo>> log = List.of(
                List.of(sealed(0, 5, 100, 10), sealed(5, 8, 100, 20), sealed(8, 9, 100, 30), open(9, 12, 9, 1)));
        LogRetention age = new LogRetention(50, Long.MAX_VALUE);
        assertThat(age.keepFrom(log, List.of(12L), 59)).containsExactly(0L);
        assertThat(age.keepFrom(log, List.of(12L), 60)).containsExactly(5L);
        assertThat(age.keepFrom(log, List.of(12L), 1_000))
                .as("the open one stays")
                .containsExactly(9L);
        assertThat(age.keepFrom(log, List.of(6L), 1_000))
                .as("frame 6 is needed")
                .containsExactly(5L);
        assertThat(age.keepFrom(log, List.of(0L), 1_000)).containsExactly(0L);
    }

    @Test
    void sizeRemovesTheOldestOfAllLogsFirst() {
        List<List<SegmentInfo>> logs = List.of(
                List.of(sealed(0, 5, 100, 10), sealed(5, 9, 100, 40), open(9, 12, 10, 41)),
                List.of(sealed(0, 7, 100, 20), sealed(7, 8, 100, 30), open(8, 8, 0, 31)));
        assertThat(new LogRetention(Long.MAX_VALUE, 410).keepFrom(logs, List.of(12L, 8L), 0))
                .containsExactly(0L, 0L);
        assertThat(new LogRetention(Long.MAX_VALUE, 310).keepFrom(logs, List.of(12L, 8L), 0))
                .containsExactly(5L, 0L);
        assertThat(new LogRetention(Long.MAX_VALUE, 110).keepFrom(logs, List.of(12L, 8L), 0))
                .containsExactly(5L, 8L);
        assertThat(new LogRetention(Long.MAX_VALUE, 110).keepFrom(logs, List.of(0L, 8L), 0))
                .containsExactly(0L, 8L);
    }

    @Test
    void segmentsEndBeforeTheyAreWorthAnEighthOfWhatIsKept() {
        LogRetention retention = new LogRetention(800, 800);
        assertThat(retention.ends(open(0, 1, 99, 0), 1, 99)).isFalse();
        assertThat(retention.ends(open(0, 1, 99, 0), 1, 100)).isTrue();
        assertThat(retention.ends(open(0, 1, 100, 0), 1, 0)).isTrue();
        assertThat(retention.ends(open(0, 1, 50, 0), 2, 0)).isTrue();
        assertThat(retention.ends(open(1, 1, 0, 0), 1, 1_000))
                .as("an empty one")
                .isFalse();
        assertThat(retention.ends(sealed(0, 1, 200, 1), 1, 1_000)).isFalse();
        assertThat(LogRetention.NONE.ends(open(0, 1, 1L << 50, 0), 1, 1L << 50)).isFalse();
    }

    /** Whatever the clock does: only prefixes go, nothing needed, never the open segment, and never less is left than the size asks for. */
    @Test
    void whateverTheSegmentsOnlyAllowedPrefixesGo() {
        Random random = new Random(7);
        for (int run = 0; run < 2_000; run++) {
            List<List<SegmentInfo>> logs = new ArrayList<>();
            List<Long> needed = new ArrayList<>();
            long total = 0;
            for (int log = 0; log < 1 + random.nextInt(3); log++) {
                List<SegmentInfo> segments = new ArrayList<>();
                long base = random.nextInt(5);
                for (int i = random.nextInt(6); i >= 0; i--) {
                    long end = base + 1 + random.nextInt(4);
                    long bytes = 1 + random.nextInt(50);
                    segments.add(i == 0 ? open(base, end, bytes, 1) : sealed(base, end, bytes, random.nextInt(100)));
                    total += bytes;
                    base = end;
                }
                logs.add(segments);
                needed.add((long) random.nextInt((int) base + 1));
            }
            LogRetention retention = new LogRetention(random.nextInt(120), random.nextInt(300));
            List<Long> keep = retention.keepFrom(logs, needed, 100);
            for (int log = 0; log < logs.size(); log++) {
                long from = keep.get(log);
                List<SegmentInfo> segments = logs.get(log);
                assertThat(segments).as("run %d", run).anyMatch(s -> s.base() == from);
                if (from > segments.get(0).base()) {
                    assertThat(from).as("run %d", run).isLessThanOrEqualTo(needed.get(log));
                }
                for (SegmentInfo segment : segments) {
                    boolean removed = segment.end() <= from;
                    boolean old = 100 - segment.sealedMicros() >= retention.ageMicros();
                    assertThat(removed && !old && total <= retention.bytes())
                            .as("run %d", run)
                            .isFalse();
                }
            }
        }
    }
}
