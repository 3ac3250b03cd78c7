package io.tailwater.executor.expr;

import io.tailwater.api.batch.Mem;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * DATE_FORMAT at one place of a query. Remembers the pattern it saw last. Patterns of the numeric fields y, M, d, H, m, s and S in their padded
 * lengths and of plain punctuation are written digit by digit; all others go to {@link DateTimeFormatter}. Owned by one operator; not thread-safe.
 */
final class DatePatterns {
    private static final int FIELDS_START = 1 << 16;

    private byte[] pattern = {};
    private boolean known;
    /** A code per part: a character as it is, or FIELDS_START + letter * 16 + length. */
    private int[] parts = {};

    private int width;
    private int lastDate;
    private long lastCivil = Datetimes.civil(0);
    private DateTimeFormatter formatter = DateTimeFormatter.ISO_LOCAL_DATE;

    /** @param fixed whether the pattern is the same in every call */
    long format(long timestamp, long patternBytes, int patternLength, boolean fixed, Registers r) {
        if (!known || (!fixed && !Texts.isSame(pattern, patternBytes, patternLength))) {
            parse(Texts.toArray(patternBytes, patternLength));
        }
        if (width > 0) {
            int date = Datetimes.toDate(timestamp);
            if (date != lastDate) {
                // Near rows are mostly of one day.
                lastCivil = Datetimes.civil(date);
                lastDate = date;
            }
            int year = Datetimes.yearOf(lastCivil);
            if (year >= 1 && year <= 9999) {
                return write(lastCivil, timestamp - date * Datetimes.DAY, r);
            }
        }
        return slow(timestamp, r);
    }

    private void parse(byte[] bytes) {
        known = false;
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            formatter = DateTimeFormatter.ofPattern(text, Locale.ROOT);
        } catch (IllegalArgumentException e) {
            throw DataErrors.invalidParameter("invalid date format pattern " + DataErrors.quoted(text));
        }
        List<Integer> found = new ArrayList<>();
        int total = 0;
        for (int at = 0; at < text.length() && total >= 0; ) {
            char c = text.charAt(at);
            int end = at + 1;
            if (Character.isLetter(c)) {
                while (end < text.length() && text.charAt(end) == c) {
                    end++;
                }
                total = isFast(c, end - at) ? total + end - at : -1;
                found.add(FIELDS_START + c * 16 + end - at);
            } else {
                // Quotes, brackets and braces mean something; anything not ASCII is not worth the trouble.
                total = c < 128 && "'[]{}#".indexOf(c) < 0 ? total + 1 : -1;
                found.add((int) c);
            }
            at = end;
        }
        parts = found.stream().mapToInt(Integer::intValue).toArray();
        width = Math.max(total, 0);
        pattern = bytes;
        known = true;
    }

    private static boolean isFast(char letter, int length) {
        return switch (letter) {
            case 'y', 'u' -> length == 4;
            case 'M', 'd', 'H', 'm', 's' -> length == 2;
            case 'S' -> length <= 6;
            default -> false;
        };
    }

    private long write(long civil, long time, Registers r) {
        long start = r.allocate(width);
        long at = start;
        for (int part : parts) {
            if (part < FIELDS_START) {
                Mem.putByte(at++, (byte) part);
                continue;
            }
            int length = part & 15;
            long value = switch ((part - FIELDS_START) >> 4) {
                case 'y', 'u' -> Datetimes.yearOf(civil);
                case 'M' -> Datetimes.monthOf(civil);
                case 'd' -> Datetimes.dayOf(civil);
                case 'H' -> time / Datetimes.HOUR;
                case 'm' -> time / Datetimes.MINUTE % 60;
                case 's' -> time / Datetimes.SECOND % 60;
                default -> time % Datetimes.SECOND / Decimals.power(6 - length);
            };
            for (int i = length - 1; i >= 0; i--) {
                Mem.putByte(at + i, (byte) ('0' + value % 10));
                value /= 10;
            }
            at += length;
        }
        r.length = width;
        return start;
    }

    private long slow(long timestamp, Registers r) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(
                Math.floorDiv(timestamp, Datetimes.SECOND),
                (int) Math.floorMod(timestamp, Datetimes.SECOND) * 1000,
                ZoneOffset.UTC);
        try {
            return Texts.put(formatter.format(time).getBytes(StandardCharsets.UTF_8), r);
        } catch (DateTimeException e) {
            throw DataErrors.invalidParameter(
                    "date format pattern " + DataErrors.quoted(new String(pattern, StandardCharsets.UTF_8))
                            + " asks for a field that a timestamp does not have");
        }
    }
}
