package io.tailwater.executor.expr;

import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * TO_CHAR of a date or time at one place of a query, with PostgreSQL's patterns. Remembers the pattern it saw last. Owned by one operator; not thread-safe.
 */
final class TimePatterns {
    /** How long the names of months and days are when they are padded. */
    private static final int NAME_WIDTH = 9;

    private static final List<String> MERIDIEMS = List.of("AM", "PM", "A.M.", "P.M.");
    /** Longer ones before those that they begin with. */
    private static final List<String> FIELDS = List.of(
            "HH24", "HH12", "SSSSS", "SSSS", "YYYY", "IYYY", "MONTH", "A.M.", "P.M.", "YYY", "DDD", "DAY", "MON", "FF1",
            "FF2", "FF3", "FF4", "FF5", "FF6", "HH", "MI", "SS", "MS", "US", "YY", "MM", "DD", "DY", "ID", "IW", "WW",
            "CC", "AM", "PM", "D", "Q", "W", "Y");

    private static final List<String> REFUSED = List.of(
            "TZH", "TZM", "TZ", "OF", "TM", "FX", "RM", "Y,YYY", "IYY", "IDDD", "IY", "I", "J", "AD", "BC", "A.D.",
            "B.C.");

    private byte[] pattern = {};
    private boolean known;
    private List<Part> parts = List.of();

    /**
     * A piece of a pattern.
     *
     * @param field in capitals, or empty for text that stands for itself
     * @param written as in the pattern, whose case a name takes
     * @param padded whether the value is filled up to its field's width
     * @param ordinal what follows a number: th, TH or nothing
     */
    private record Part(String field, String written, boolean padded, String ordinal) {}

    /** @param fixed whether the pattern is the same in every call */
    long format(long micros, long patternBytes, int patternLength, boolean fixed, Registers r) {
        if (!known || (!fixed && !Texts.isSame(pattern, patternBytes, patternLength))) {
            known = false;
            pattern = Texts.toArray(patternBytes, patternLength);
            parts = parse(new String(pattern, StandardCharsets.UTF_8));
            known = true;
        }
        LocalDateTime time = LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, Datetimes.SECOND),
                (int) Math.floorMod(micros, Datetimes.SECOND) * 1000,
                ZoneOffset.UTC);
        StringBuilder out = new StringBuilder();
        for (Part part : parts) {
            String value = part.field().isEmpty() ? part.written() : value(part, time);
            out.append(value).append(part.ordinal().isEmpty() ? "" : ordinal(value, part.ordinal()));
        }
        return Texts.put(out.toString().getBytes(StandardCharsets.UTF_8), r);
    }

    private static List<Part> parse(String text) {
        List<Part> out = new ArrayList<>();
        String upper = text.toUpperCase(Locale.ROOT);
        boolean padded = true;
        int at = 0;
        while (at < text.length()) {
            if (upper.startsWith("FM", at)) {
                padded = false;
                at += 2;
                continue;
            }
            if (text.charAt(at) == '"') {
                int end = text.indexOf('"', at + 1);
                int close = end < 0 ? text.length() : end;
                out.add(new Part("", text.substring(at + 1, close), true, ""));
                at = Math.min(close + 1, text.length());
                continue;
            }
            String field = begins(upper, at, FIELDS);
            String refused = begins(upper, at, REFUSED);
            if (refused.length() > field.length()) {
                throw DataErrors.invalidParameter(
                        "TO_CHAR pattern " + DataErrors.quoted(refused) + " is not supported");
            }
            int end = at + Math.max(field.length(), 1);
            String ordinal = !field.isEmpty() && upper.startsWith("TH", end) ? text.substring(end, end + 2) : "";
            out.add(new Part(field, text.substring(at, end), padded, ordinal));
            padded = true;
            at = end + ordinal.length();
        }
        return out;
    }

    private static String begins(String text, int at, List<String> words) {
        for (String word : words) {
            if (text.startsWith(word, at)) {
                return word;
            }
        }
        return "";
    }

    private static String value(Part part, LocalDateTime time) {
        String field = part.field();
        int hour = time.getHour();
        int micros = time.get(ChronoField.MICRO_OF_SECOND);
        if (MERIDIEMS.contains(field)) {
            String name = field.length() == 2 ? hour < 12 ? "AM" : "PM" : hour < 12 ? "A.M." : "P.M.";
            return isLower(part) ? name.toLowerCase(Locale.ROOT) : name;
        }
        return switch (field) {
            case "YYYY" -> number(part, year(time), 4);
            case "YYY" -> number(part, year(time) % 1000, 3);
            case "YY" -> number(part, year(time) % 100, 2);
            case "Y" -> number(part, year(time) % 10, 1);
            case "IYYY" -> number(part, time.get(IsoFields.WEEK_BASED_YEAR), 4);
            case "CC" -> number(part, (year(time) + 99) / 100, 2);
            case "Q" -> number(part, time.get(IsoFields.QUARTER_OF_YEAR), 1);
            case "MM" -> number(part, time.getMonthValue(), 2);
            case "MONTH" -> name(part, time.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH), NAME_WIDTH);
            case "MON" ->
                name(
                        part,
                        time.getMonth()
                                .getDisplayName(TextStyle.FULL, Locale.ENGLISH)
                                .substring(0, 3),
                        0);
            case "WW" -> number(part, (time.getDayOfYear() - 1) / 7 + 1, 2);
            case "W" -> number(part, (time.getDayOfMonth() - 1) / 7 + 1, 1);
            case "IW" -> number(part, time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), 2);
            case "DDD" -> number(part, time.getDayOfYear(), 3);
            case "DD" -> number(part, time.getDayOfMonth(), 2);
            case "D" -> number(part, time.getDayOfWeek().getValue() % 7 + 1, 1);
            case "ID" -> number(part, time.getDayOfWeek().getValue(), 1);
            case "DAY" -> name(part, time.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH), NAME_WIDTH);
            case "DY" ->
                name(
                        part,
                        time.getDayOfWeek()
                                .getDisplayName(TextStyle.FULL, Locale.ENGLISH)
                                .substring(0, 3),
                        0);
            case "HH24" -> number(part, hour, 2);
            case "HH12", "HH" -> number(part, (hour + 11) % 12 + 1, 2);
            case "MI" -> number(part, time.getMinute(), 2);
            case "SS" -> number(part, time.getSecond(), 2);
            case "SSSS", "SSSSS" -> number(part, time.toLocalTime().toSecondOfDay(), 1);
            case "MS" -> digits(micros, 3);
            case "US" -> digits(micros, 6);
            default -> digits(micros, field.charAt(2) - '0');
        };
    }

    /** As written before and after Christ alike: there is no year 0. */
    private static int year(LocalDateTime time) {
        return time.get(ChronoField.YEAR_OF_ERA);
    }

    private static String digits(int micros, int digits) {
        return String.format(Locale.ROOT, "%06d", micros).substring(0, digits);
    }

    private static String number(Part part, int value, int width) {
        String text = Integer.toString(value);
        return part.padded() ? "0".repeat(Math.max(0, width - text.length())) + text : text;
    }

    /** In the case of the pattern: MONTH, Month or month. */
    private static String name(Part part, String name, int width) {
        String padded = part.padded() ? name + " ".repeat(Math.max(0, width - name.length())) : name;
        if (isLower(part)) {
            return padded.toLowerCase(Locale.ROOT);
        }
        return Character.isUpperCase(part.written().charAt(1)) ? padded.toUpperCase(Locale.ROOT) : padded;
    }

    private static boolean isLower(Part part) {
        return Character.isLowerCase(part.written().charAt(0));
    }

    private static String ordinal(String number, String like) {
        int tens = number.length() > 1 ? number.charAt(number.length() - 2) : '0';
        String suffix = tens == '1'
                ? "th"
                : switch (number.charAt(number.length() - 1)) {
                    case '1' -> "st";
                    case '2' -> "nd";
                    case '3' -> "rd";
                    default -> "th";
                };
        return Character.isUpperCase(like.charAt(0)) ? suffix.toUpperCase(Locale.ROOT) : suffix;
    }
}
