package io.tailwater.executor.expr;

import io.tailwater.api.batch.Mem;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression at one place of a query. Remembers the one it saw last. ASCII text is matched where it lies, without a {@code String}; text
 * without the literal part that every match must hold is not matched at all. Owned by one operator; not thread-safe.
 */
final class Regex {
    private static final Pattern NOTHING = Pattern.compile("");

    private byte[] source = {};
    private boolean known;
    private Matcher matcher = NOTHING.matcher("");
    /** Bytes that every match contains; empty if nothing is known. */
    private byte[] required = {};
    /** At most this many characters of a match come before them; -1 if there is no bound. */
    private int before = -1;

    private final AsciiText ascii = new AsciiText();

    /** The group of the first match, or NULL. */
    long extract(long bytes, int length, long regex, int regexLength, long group, boolean fixed, Registers r) {
        prepare(regex, regexLength, fixed);
        if (group < 0 || group > matcher.groupCount()) {
            throw DataErrors.invalidParameter("regular expression has no group " + group);
        }
        int number = (int) group;
        int at = indexOfRequired(bytes, length);
        if (at < 0) {
            return 0;
        }
        if (Texts.isAscii(bytes, length)) {
            if (!findAscii(bytes, length, at) || matcher.start(number) < 0) {
                return 0;
            }
            r.length = matcher.end(number) - matcher.start(number);
            return bytes + matcher.start(number);
        }
        if (!find(Texts.toString(bytes, length)) || matcher.group(number) == null) {
            return 0;
        }
        return Texts.put(matcher.group(number).getBytes(StandardCharsets.UTF_8), r);
    }

    boolean find(long bytes, int length, long regex, int regexLength, boolean fixed) {
        prepare(regex, regexLength, fixed);
        int at = indexOfRequired(bytes, length);
        if (at < 0) {
            return false;
        }
        if (Texts.isAscii(bytes, length)) {
            return findAscii(bytes, length, at);
        }
        return find(Texts.toString(bytes, length));
    }

    /** Every match replaced; {@code $1} in the replacement is a group, as in Java. */
    long replace(
            long bytes,
            int length,
            long regex,
            int regexLength,
            long replacement,
            int replacementLength,
            boolean fixed,
            Registers r) {
        prepare(regex, regexLength, fixed);
        if (indexOfRequired(bytes, length) < 0) {
            r.length = length;
            return bytes;
        }
        String text = Texts.toString(replacement, replacementLength);
        try {
            String replaced = matcher.reset(Texts.toString(bytes, length)).replaceAll(text);
            return Texts.put(replaced.getBytes(StandardCharsets.UTF_8), r);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE, "invalid replacement " + DataErrors.quoted(text), -1, null, e);
        } catch (StackOverflowError e) {
            throw tooComplex(e);
        }
    }

    private boolean find(CharSequence text) {
        try {
            return matcher.reset(text).find();
        } catch (StackOverflowError e) {
            throw tooComplex(e);
        }
    }

    private static StreamException tooComplex(StackOverflowError e) {
        return new StreamException(
                ErrorCode.STATEMENT_TOO_COMPLEX, "regular expression nests too deeply for this text", -1, null, e);
    }

    /** Matches where the text lies. No match can start more than {@link #before} characters ahead of its first required part. */
    private boolean findAscii(long bytes, int length, int required) {
        ascii.set(bytes, length);
        if (before < 0 || required <= before) {
            return find(ascii);
        }
        try {
            matcher.reset(ascii);
            // Anchors and look-behind still see the whole text.
            matcher.useAnchoringBounds(false).useTransparentBounds(true);
            return matcher.region(required - before, length).find();
        } catch (StackOverflowError e) {
            throw tooComplex(e);
        }
    }

    /** Offset of the first required part, -1 if there is none, 0 if none is required. */
    private int indexOfRequired(long bytes, int length) {
        if (required.length == 0) {
            return 0;
        }
        for (int at = 0; at + required.length <= length; at++) {
            at = Texts.indexOf(bytes, length - required.length + 1, required[0], at);
            if (at < 0) {
                return -1;
            }
            int i = 1;
            while (i < required.length && Mem.getByte(bytes + at + i) == required[i]) {
                i++;
            }
            if (i == required.length) {
                return at;
            }
        }
        return -1;
    }

    private void prepare(long regex, int length, boolean fixed) {
        if (known && (fixed || Texts.isSame(source, regex, length))) {
            return;
        }
        known = false;
        byte[] bytes = Texts.toArray(regex, length);
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            matcher = Pattern.compile(text).matcher("");
        } catch (PatternSyntaxException e) {
            throw new StreamException(
                    ErrorCode.INVALID_REGULAR_EXPRESSION,
                    "invalid regular expression " + DataErrors.quoted(text) + ": " + e.getDescription(),
                    -1,
                    null,
                    e);
        }
        Required part = requiredPart(text);
        required = part.text().getBytes(StandardCharsets.UTF_8);
        before = required.length == 0 ? -1 : longest(text, 0, part.start());
        source = bytes;
        known = true;
    }

    /** Plain text that every match holds, and where in the expression it starts. */
    record Required(String text, int start) {
        static final Required NOTHING = new Required("", 0);
    }

    /** The longest run of plain characters outside all groups that no quantifier or alternative makes optional; empty if in doubt. */
    static Required requiredPart(String regex) {
        Required best = Required.NOTHING;
        StringBuilder run = new StringBuilder();
        int start = 0;
        int depth = 0;
        for (int i = 0; i < regex.length(); i++) {
            int from = i;
            char c = regex.charAt(i);
            boolean plain = false;
            if (c == '\\') {
                if (++i == regex.length() || regex.charAt(i) == 'Q') {
                    return Required.NOTHING;
                }
                // A class, an anchor or a reference to a group, else the character itself.
                c = regex.charAt(i);
                plain = !Character.isLetterOrDigit(c);
            } else if (c == '[') {
                i = endOfClass(regex, i);
            } else if (c == '{') {
                i = regex.indexOf('}', i);
            } else if (c == '(') {
                if (regex.startsWith("(?", i) && !regex.startsWith("(?:", i)) {
                    return Required.NOTHING;
                }
                depth++;
            } else if (c == ')') {
                depth--;
            } else if (c == '|' && depth == 0) {
                return Required.NOTHING;
            } else {
                plain = "^$.*+?|".indexOf(c) < 0;
            }
            if (i < 0) {
                return Required.NOTHING;
            }
            boolean optional = i + 1 < regex.length() && "*?{".indexOf(regex.charAt(i + 1)) >= 0;
            if (plain && depth == 0 && !optional) {
                start = run.length() == 0 ? from : start;
                run.append(c);
            } else {
                best = longer(best, run, start);
                run.setLength(0);
            }
        }
        return longer(best, run, start);
    }

    private static Required longer(Required best, StringBuilder run, int start) {
        return run.length() > best.text().length() ? new Required(run.toString(), start) : best;
    }

    /** The most characters that {@code regex[from, to)}, a sequence without open groups, can match; -1 if there is no bound or in doubt. */
    static int longest(String regex, int from, int to) {
        int most = 0;
        int sum = 0;
        for (int i = from; i < to; i++) {
            char c = regex.charAt(i);
            int width = 1;
            if (c == '|') {
                most = Math.max(most, sum);
                sum = 0;
                continue;
            } else if (c == '\\') {
                c = regex.charAt(++i);
                width = "bBAGZz".indexOf(c) >= 0
                        ? 0
                        : Character.isLetterOrDigit(c) && "dDwWsStnrf".indexOf(c) < 0 ? -1 : 1;
            } else if (c == '[') {
                i = endOfClass(regex, i);
            } else if (c == '(') {
                int end = endOfGroup(regex, i);
                width = longest(regex, regex.startsWith("(?:", i) ? i + 3 : i + 1, end);
                i = end;
            } else if (c == '^' || c == '$') {
                width = 0;
            }
            char next = i + 1 < regex.length() ? regex.charAt(i + 1) : ' ';
            if (width < 0 || "*+{".indexOf(next) >= 0) {
                return -1;
            }
            if (next == '?') {
                // Optional; a second mark makes it reluctant or possessive.
                i += i + 2 < to && "?+".indexOf(regex.charAt(i + 2)) >= 0 ? 2 : 1;
            }
            sum += width;
        }
        return Math.max(most, sum);
    }

    private static int endOfGroup(String regex, int open) {
        int depth = 0;
        for (int i = open; i < regex.length(); i++) {
            char c = regex.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '[') {
                i = endOfClass(regex, i);
            } else if (c == '(') {
                depth++;
            } else if (c == ')' && --depth == 0) {
                return i;
            }
        }
        throw new AssertionError("a group without end in " + regex);
    }

    /** Where a character class ends, or -1 if it is nested or intersected. */
    private static int endOfClass(String regex, int open) {
        int i = open + 1;
        if (i < regex.length() && regex.charAt(i) == '^') {
            i++;
        }
        if (i < regex.length() && regex.charAt(i) == ']') {
            i++;
        }
        for (; i < regex.length(); i++) {
            char c = regex.charAt(i);
            if (c == '[' || regex.startsWith("&&", i)) {
                return -1;
            }
            if (c == '\\') {
                i++;
            } else if (c == ']') {
                return i;
            }
        }
        return -1;
    }

    /** ASCII bytes in memory as characters. */
    private static final class AsciiText implements CharSequence {
        private long bytes;
        private int length;

        void set(long address, int count) {
            bytes = address;
            length = count;
        }

        @Override
        public int length() {
            return length;
        }

        @Override
        public char charAt(int index) {
            return (char) Mem.getByte(bytes + index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return toString().substring(start, end);
        }

        @Override
        public String toString() {
            return Texts.toString(bytes, length);
        }
    }
}
