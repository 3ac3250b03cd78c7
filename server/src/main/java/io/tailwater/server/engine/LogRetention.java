package io.tailwater.server.engine;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.storage.PartitionLog.SegmentInfo;
import io.tailwater.common.settings.SettingType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * How much of a stored stream is kept at least: what is younger than an age, as far as all of it together is smaller than a size. Decides over segments, which
 * go as a whole. Pure; immutable.
 *
 * @param ageMicros rows are kept so long; {@link Long#MAX_VALUE} for ever
 * @param bytes and as long as the stream is not larger; {@link Long#MAX_VALUE} if it may grow
 */
record LogRetention(long ageMicros, long bytes) {
    static final LogRetention NONE = new LogRetention(Long.MAX_VALUE, Long.MAX_VALUE);

    /** A segment is ended when it has so many parts of the age or the size: what is kept too long or too much is at most one part. */
    private static final int PARTS = 8;

    static final String AGE_OPTION = "retention";
    static final String SIZE_OPTION = "retention_size";

    /** Of valid options. */
    static LogRetention of(CatalogObject.Stream stream) {
        String age = stream.options().get(AGE_OPTION);
        String size = stream.options().get(SIZE_OPTION);
        return new LogRetention(
                age == null ? Long.MAX_VALUE : micros(new SettingType.LongSpan().parse(age.strip())),
                size == null ? Long.MAX_VALUE : new SettingType.Bytes().parse(size.strip()));
    }

    private static long micros(Duration age) {
        return age.toSeconds() * 1_000_000 + age.toNanosPart() / 1_000;
    }

    boolean isNone() {
        return equals(NONE);
    }

    /** Whether the last segment of a log should end now, though it is not full. {@code logs} share the size. */
    boolean ends(SegmentInfo last, int logs, long nowMicros) {
        return last.sealedMicros() < 0
                && last.end() > last.base()
                && (nowMicros - last.begunMicros() >= ageMicros / PARTS || last.bytes() >= bytes / PARTS / logs);
    }

    /**
     * Which frames of each log may go.
     *
     * @param logs segments of each of the stream's logs, oldest first
     * @param needed per log, the first frame that a job would read again after a restart
     * @return per log, the first frame that stays
     */
    List<Long> keepFrom(List<List<SegmentInfo>> logs, List<Long> needed, long nowMicros) {
        record Candidate(int log, SegmentInfo segment) {}

        List<Candidate> candidates = new ArrayList<>();
        Long[] out = new Long[logs.size()];
        long total = 0;
        for (int log = 0; log < logs.size(); log++) {
            List<SegmentInfo> segments = logs.get(log);
            out[log] = segments.isEmpty() ? 0 : segments.get(0).base();
            for (SegmentInfo segment : segments) {
                total += segment.bytes();
                if (segment.sealedMicros() >= 0) {
                    candidates.add(new Candidate(log, segment));
                }
            }
        }
        candidates.sort(Comparator.comparingLong((Candidate c) -> c.segment.sealedMicros())
                .thenComparingInt(Candidate::log)
                .thenComparingLong(c -> c.segment.base()));
        boolean[] held = new boolean[logs.size()];
        for (Candidate candidate : candidates) {
            SegmentInfo segment = candidate.segment;
            // A clock that was set back must not make a log go out of order.
            held[candidate.log] |= segment.base() != out[candidate.log] || segment.end() > needed.get(candidate.log);
            if (held[candidate.log]) {
                continue;
            }
            boolean old = nowMicros - segment.sealedMicros() >= ageMicros;
            boolean tooMuch = total - segment.bytes() >= bytes;
            if (old || tooMuch) {
                out[candidate.log] = segment.end();
                total -= segment.bytes();
            } else {
                held[candidate.log] = true;
            }
        }
        return Arrays.asList(out);
    }
}
