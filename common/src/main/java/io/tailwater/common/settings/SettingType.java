package io.tailwater.common.settings;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;

/**
 * How a setting's text becomes a value. {@link #parse} throws IllegalArgumentException whose message completes the sentence "... must be". Immutable.
 *
 * @param <T> type of the values
 */
public sealed interface SettingType<T> {
    T parse(String text);

    /** A whole number of {@code min..max}. */
    record Whole(int min, int max) implements SettingType<Integer> {
        @Override
        public Integer parse(String text) {
            try {
                int value = Integer.parseInt(text);
                if (value >= min && value <= max) {
                    return value;
                }
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("a whole number from " + min + " to " + max, e);
            }
            throw new IllegalArgumentException("a whole number from " + min + " to " + max);
        }
    }

    /** Any text. */
    record Text() implements SettingType<String> {
        @Override
        public String parse(String text) {
            return text;
        }
    }

    /** One of a few words. */
    record Choice(List<String> words) implements SettingType<String> {
        public Choice {
            words = List.copyOf(words);
        }

        @Override
        public String parse(String text) {
            String word = text.toLowerCase(Locale.ROOT);
            if (!words.contains(word)) {
                throw new IllegalArgumentException("one of " + String.join(", ", words));
            }
            return word;
        }
    }

    /** Bytes: a number with an optional unit B, KB, MB, GB or TB, powers of 1024. Value in bytes. */
    record Bytes() implements SettingType<Long> {
        private static final List<String> UNITS = List.of("B", "KB", "MB", "GB", "TB");

        @Override
        public Long parse(String text) {
            int digits = leadingDigits(text);
            String unit = text.substring(digits).strip().toUpperCase(Locale.ROOT);
            int power = unit.isEmpty() ? 0 : UNITS.indexOf(unit);
            if (digits == 0 || digits > 15 || power < 0) {
                throw new IllegalArgumentException("a size such as 512 MB or 2 GB");
            }
            try {
                return Math.multiplyExact(Long.parseLong(text.substring(0, digits)), 1L << (10 * power));
            } catch (ArithmeticException e) {
                throw new IllegalArgumentException("a size such as 512 MB or 2 GB", e);
            }
        }
    }

    /** A time span: a number with a unit us, ms, s or min. */
    record Span() implements SettingType<Duration> {
        @Override
        public Duration parse(String text) {
            int digits = leadingDigits(text);
            if (digits == 0 || digits > 9) {
                throw new IllegalArgumentException("a time span such as 5 ms or 2 s");
            }
            long amount = Long.parseLong(text.substring(0, digits));
            return switch (text.substring(digits).strip().toLowerCase(Locale.ROOT)) {
                case "us" -> Duration.ofNanos(amount * 1_000);
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "min" -> Duration.ofMinutes(amount);
                default -> throw new IllegalArgumentException("a time span such as 5 ms or 2 s");
            };
        }
    }

    /** A time span as {@link Span} takes it, or {@code off}, which is zero. */
    record SpanOrOff() implements SettingType<Duration> {
        @Override
        public Duration parse(String text) {
            if (text.equalsIgnoreCase("off")) {
                return Duration.ZERO;
            }
            try {
                Duration span = new Span().parse(text);
                if (!span.isZero()) {
                    return span;
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("off, or a time span such as 1 s", e);
            }
            throw new IllegalArgumentException("off, or a time span such as 1 s");
        }
    }

    /** A long time span: a number with a unit s, min, h or days. */
    record LongSpan() implements SettingType<Duration> {
        private static final String EXPECTED = "a time span such as 12 h or 7 days";

        @Override
        public Duration parse(String text) {
            int digits = leadingDigits(text);
            if (digits == 0 || digits > 6) {
                throw new IllegalArgumentException(EXPECTED);
            }
            long amount = Long.parseLong(text.substring(0, digits));
            return switch (text.substring(digits).strip().toLowerCase(Locale.ROOT)) {
                case "s", "second", "seconds" -> Duration.ofSeconds(amount);
                case "min", "minute", "minutes" -> Duration.ofMinutes(amount);
                case "h", "hour", "hours" -> Duration.ofHours(amount);
                case "d", "day", "days" -> Duration.ofDays(amount);
                default -> throw new IllegalArgumentException(EXPECTED);
            };
        }
    }

    /** A time zone by its name. */
    record Zone() implements SettingType<ZoneId> {
        @Override
        public ZoneId parse(String text) {
            try {
                return ZoneId.of(text);
            } catch (DateTimeException e) {
                throw new IllegalArgumentException("a time zone such as UTC or Europe/Berlin", e);
            }
        }
    }

    private static int leadingDigits(String text) {
        int i = 0;
        while (i < text.length() && text.charAt(i) >= '0' && text.charAt(i) <= '9') {
            i++;
        }
        return i;
    }
}
