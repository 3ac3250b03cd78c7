package io.tailwater.executor.expr;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

/**
 * Conversion between instants and a zone's wall clock, in microseconds. Remembers the span between two transitions that it used last, so that a
 * stream of near times costs two comparisons each. Not thread-safe.
 */
final class LocalZone {
    private static final long MICROS = 1_000_000L;

    private final ZoneRules rules;
    /** Instants {@code [from, to)} at which {@code offset} holds. */
    private long from = 1;

    private long to;
    private long offset;

    LocalZone(ZoneId zone) {
        rules = zone.getRules();
    }

    /** Wall clock of an instant. */
    long toLocal(long instant) {
        if (instant < from || instant >= to) {
            load(instant);
        }
        return Math.addExact(instant, offset);
    }

    /** Instant of a wall clock; in a gap the clock is taken to run on, in an overlap the earlier instant is meant. */
    long toInstant(long local) {
        long guess = local - offset;
        // Well inside the span, no other offset can be meant: no zone moves by more than a day.
        if (guess >= from + 86_400 * MICROS && guess < to - 86_400 * MICROS) {
            return guess;
        }
        long seconds = Math.floorDiv(local, MICROS);
        LocalDateTime time = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
        ZoneOffsetTransition gap = rules.getTransition(time);
        ZoneOffset zoneOffset = gap == null ? rules.getOffset(time) : gap.getOffsetBefore();
        long instant = Math.subtractExact(local, zoneOffset.getTotalSeconds() * MICROS);
        load(instant);
        return instant;
    }

    private void load(long instant) {
        Instant at = Instant.ofEpochSecond(Math.floorDiv(instant, MICROS));
        ZoneOffsetTransition next = rules.isFixedOffset() ? null : rules.nextTransition(at);
        ZoneOffsetTransition previous = rules.isFixedOffset() ? null : rules.previousTransition(at.plusSeconds(1));
        // Half the range on an open side: room for the arithmetic around it.
        from = previous == null ? Long.MIN_VALUE / 2 : previous.toEpochSecond() * MICROS;
        to = next == null ? Long.MAX_VALUE / 2 : next.toEpochSecond() * MICROS;
        offset = rules.getOffset(at).getTotalSeconds() * MICROS;
        if (instant < from || instant >= to) {
            from = instant;
            to = instant + 1;
        }
    }
}
