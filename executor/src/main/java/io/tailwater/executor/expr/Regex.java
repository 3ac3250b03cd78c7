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

    private final AsciiText ascii = new AsciiText();

    /** The group of the first match, or NULL. */
    long extract(long bytes, int length, long regex, int regexLength, long group, boolean fixed, Registers r) {
        prepare(regex, regexLength, fixed);
        if (group < 0 || group > matcher.groupCount()) {
            throw DataErrors.invalidParameter("regular expression has no group " + group);
        }
        int number = (int) group;
        if (!holdsRequired(bytes, length)) {
            return 0;
        }
        if (Texts.isAscii(bytes, length)) {
            ascii.set(bytes, length);
            if (!find(ascii) || matcher.start(number) < 0) {
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
        if (!holdsRequired(bytes, length)) {
            return false;
        }
        if (Texts.isAscii(bytes, length)) {
            ascii.set(bytes, length);
            return find(ascii);
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
        if (!holdsRequired(bytes, length)) {
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

    private boolean holdsRequired(long bytes, int length) {
        if (required.length == 0) {
            return true;
        }
        for (int at = 0; at + required.length <= length; at++) {
            at = Texts.indexOf(bytes, length - required.length + 1, required[0], at);
            if (at < 0) {
                return false;
            }
            int i = 1;
            while (i < required.length && Mem.getByte(bytes + at + i) == required[i]) {
                i++;
            }
            if (i == required.length) {
                return true;
            }
        }
        return false;
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
        required = requiredPart(text).getBytes(StandardCharsets.UTF_8);
        source = bytes;
        known = true;
    }

    /** The longest run of plain characters outside all groups that no quantifier or alternative makes optional; empty if in doubt. */
    static String requiredPart(String regex) {
        String best = "";
        StringBuilder run = new StringBuilder();
        int depth = 0;
        for (int i = 0; i < regex.length(); i++) {
            char c = regex.charAt(i);
            boolean plain = false;
            if (c == '\\') {
                if (++i == regex.length() || Character.isLetterOrDigit(regex.charAt(i))) {
                    // A class, an anchor or a quotation: not worth following.
                    if (i < regex.length() && regex.charAt(i) == 'Q') {
                        return "";
                    }
                } else {
                    c = regex.charAt(i);
                    plain = true;
                }
            } else if (c == '[') {
                i = endOfClass(regex, i);
                if (i < 0) {
                    return "";
                }
            } else if (c == '{') {
                i = regex.indexOf('}', i);
                if (i < 0) {
                    return "";
                }
            } else if (c == '(') {
                if (regex.startsWith("(?", i) && !regex.startsWith("(?:", i)) {
                    return "";
                }
                depth++;
            } else if (c == ')') {
                depth--;
            } else if (c == '|' && depth == 0) {
                return "";
            } else {
                plain = "^$.*+?{}|".indexOf(c) < 0;
            }
            boolean optional = i + 1 < regex.length() && "*?{".indexOf(regex.charAt(i + 1)) >= 0;
            if (plain && depth == 0 && !optional) {
                run.append(c);
            }
            if (!plain || depth > 0 || optional) {
                best = run.length() > best.length() ? run.toString() : best;
                run.setLength(0);
            }
        }
        return run.length() > best.length() ? run.toString() : best;
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
