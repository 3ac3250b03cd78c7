package io.tailwater.executor.expr;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * TO_CHAR of a number at one place of a query, with PostgreSQL's patterns. Remembers the pattern it saw last. Owned by one operator; not thread-safe.
 */
final class NumberPatterns {
    private static final List<String> REFUSED = List.of("EEEE", "RN", "TH", "PL", "SG", "V", "L");

    /** What a place of the result is made from. */
    private enum Kind {
        /** A digit; a blank if only zeros stand left of it. */
        NINE,
        /** A digit in any case. */
        ZERO,
        POINT,
        COMMA,
        /** + or - before the number or, as the last place, behind it. */
        SIGN,
        /** - or a blank, where it stands. */
        MINUS,
        TEXT
    }

    private record Place(Kind kind, String text) {}

    private byte[] pattern = {};
    private boolean known;
    private List<Place> places = List.of();
    private boolean filled;
    private boolean angular;

    /** @param fixed whether the pattern is the same in every call */
    long format(long number, int numberLength, long patternBytes, int patternLength, boolean fixed, Registers r) {
        if (!known || (!fixed && !Texts.isSame(pattern, patternBytes, patternLength))) {
            known = false;
            pattern = Texts.toArray(patternBytes, patternLength);
            parse(new String(pattern, StandardCharsets.UTF_8));
            known = true;
        }
        String text = new String(Texts.toArray(number, numberLength), StandardCharsets.US_ASCII);
        char last = text.charAt(text.length() - 1);
        // NaN and Infinity end in a letter.
        BigDecimal value = Character.isDigit(last) ? new BigDecimal(text) : null;
        return Texts.put(write(value).getBytes(StandardCharsets.UTF_8), r);
    }

    private void parse(String text) {
        List<Place> out = new ArrayList<>();
        String upper = text.toUpperCase(Locale.ROOT);
        filled = true;
        angular = false;
        int at = 0;
        while (at < text.length()) {
            for (String word : REFUSED) {
                if (upper.startsWith(word, at)) {
                    throw DataErrors.invalidParameter(
                            "TO_CHAR pattern " + DataErrors.quoted(word) + " is not supported");
                }
            }
            int length = 2;
            if (upper.startsWith("FM", at)) {
                filled = false;
            } else if (upper.startsWith("PR", at)) {
                angular = true;
            } else if (upper.startsWith("MI", at)) {
                out.add(new Place(Kind.MINUS, ""));
            } else if (text.charAt(at) == '"') {
                int end = text.indexOf('"', at + 1);
                int close = end < 0 ? text.length() : end;
                out.add(new Place(Kind.TEXT, text.substring(at + 1, close)));
                length = close + 1 - at;
            } else {
                length = 1;
                out.add(new Place(kind(upper.charAt(at)), text.substring(at, at + 1)));
            }
            at += length;
        }
        if (out.stream().filter(place -> place.kind() == Kind.POINT).count() > 1) {
            throw DataErrors.invalidParameter("multiple decimal points in TO_CHAR pattern " + DataErrors.quoted(text));
        }
        places = out;
    }

    private static Kind kind(char c) {
        return switch (c) {
            case '9' -> Kind.NINE;
            case '0' -> Kind.ZERO;
            case '.', 'D' -> Kind.POINT;
            case ',', 'G' -> Kind.COMMA;
            case 'S' -> Kind.SIGN;
            default -> Kind.TEXT;
        };
    }

    private static boolean isDigit(Place place) {
        return place.kind() == Kind.NINE || place.kind() == Kind.ZERO;
    }

    private int point() {
        for (int i = 0; i < places.size(); i++) {
            if (places.get(i).kind() == Kind.POINT) {
                return i;
            }
        }
        return places.size();
    }

    /** @param value null for what is no number, which is shown as one that has too many digits */
    private String write(@Nullable BigDecimal value) {
        int point = point();
        int whole = (int) places.subList(0, point).stream()
                .filter(NumberPatterns::isDigit)
                .count();
        int scale = (int) places.subList(point, places.size()).stream()
                .filter(NumberPatterns::isDigit)
                .count();
        BigDecimal rounded = value == null ? BigDecimal.ZERO : value.setScale(scale, RoundingMode.HALF_UP);
        boolean negative = rounded.signum() < 0;
        String digits = rounded.abs().unscaledValue().toString();
        digits = "0".repeat(Math.max(0, scale + 1 - digits.length())) + digits;
        String head = digits.substring(0, digits.length() - scale);
        String tail = digits.substring(digits.length() - scale);
        if (value == null || (head.length() > whole && !head.equals("0"))) {
            head = "#".repeat(whole);
            tail = "#".repeat(scale);
        } else if (head.equals("0") && (scale > 0 || whole == 0) && (filled || lastShown(tail, point) > point)) {
            head = "";
        }
        return assembled(head, tail, whole, point, negative);
    }

    private String assembled(String head, String tail, int whole, int point, boolean negative) {
        int firstShown = firstShown(head, whole, point);
        int lastShown = lastShown(tail, point);
        boolean signed = places.stream().anyMatch(place -> place.kind() == Kind.SIGN || place.kind() == Kind.MINUS);
        boolean behind = !places.isEmpty() && places.get(places.size() - 1).kind() == Kind.SIGN;
        String leading = angular
                ? negative ? "<" : filled ? " " : ""
                : signed ? hasSign() && !behind ? negative ? "-" : "+" : "" : negative ? "-" : filled ? " " : "";
        StringBuilder out = new StringBuilder();
        boolean open = true;
        int digit = head.length() - whole;
        int fraction = 0;
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            boolean number = isDigit(place) || place.kind() == Kind.COMMA || place.kind() == Kind.POINT;
            if (open && number && i >= firstShown) {
                out.append(leading);
                open = false;
            }
            boolean shown = i >= firstShown && (i < point || i <= lastShown);
            switch (place.kind()) {
                case NINE, ZERO -> {
                    int at = i < point ? digit++ : fraction++;
                    String from = i < point ? head : tail;
                    out.append(shown ? at < 0 ? "0" : from.substring(at, at + 1) : i < point && filled ? " " : "");
                }
                case COMMA -> out.append(shown ? "," : filled ? " " : "");
                case POINT -> out.append('.');
                case SIGN -> out.append(behind && i == places.size() - 1 ? negative ? "-" : "+" : "");
                case MINUS -> out.append(negative ? "-" : filled ? " " : "");
                case TEXT -> out.append(place.text());
            }
        }
        return out.append(angular ? negative ? ">" : filled ? " " : "" : "").toString();
    }

    private boolean hasSign() {
        return places.stream().anyMatch(place -> place.kind() == Kind.SIGN);
    }

    /** The first place of the number that is not blank: the first digit that counts, or a 0 before it. */
    private int firstShown(String head, int whole, int point) {
        int digit = head.length() - whole;
        for (int i = 0; i < point; i++) {
            Place place = places.get(i);
            if (place.kind() == Kind.ZERO || (place.kind() == Kind.NINE && digit >= 0)) {
                return i;
            }
            if (isDigit(place)) {
                digit++;
            }
        }
        return point;
    }

    /** The last place of the number: without fill, nines at the end show no zeros. */
    private int lastShown(String tail, int point) {
        int fraction = 0;
        int last = point;
        for (int i = point; i < places.size(); i++) {
            Place place = places.get(i);
            if (isDigit(place)) {
                if (filled || place.kind() == Kind.ZERO || tail.charAt(fraction) != '0') {
                    last = i;
                }
                fraction++;
            }
        }
        return last;
    }
}
