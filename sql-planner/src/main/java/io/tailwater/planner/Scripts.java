package io.tailwater.planner;

import java.util.ArrayList;
import java.util.List;

/** Cuts a script at its semicolons. */
final class Scripts {
    private Scripts() {}

    static List<ScriptStatement> split(String script) {
        List<ScriptStatement> out = new ArrayList<>();
        int start = 0;
        int i = 0;
        while (i < script.length()) {
            char c = script.charAt(i);
            if (c == ';') {
                add(script, start, i, out);
                start = i + 1;
                i++;
            } else {
                i = skip(script, i);
            }
        }
        add(script, start, script.length(), out);
        return out;
    }

    /** End of the string, quoted name, comment or plain character at {@code i}. */
    private static int skip(String script, int i) {
        char c = script.charAt(i);
        char next = i + 1 < script.length() ? script.charAt(i + 1) : 0;
        if (c == '\'' || c == '"') {
            // A doubled quote ends one string and begins another: the same for finding the end.
            int end = script.indexOf(c, i + 1);
            return end < 0 ? script.length() : end + 1;
        }
        if (c == '-' && next == '-') {
            int end = script.indexOf('\n', i);
            return end < 0 ? script.length() : end + 1;
        }
        if (c == '/' && next == '*') {
            int end = script.indexOf("*/", i + 2);
            return end < 0 ? script.length() : end + 2;
        }
        return i + 1;
    }

    /** Adds a statement without the blanks and comments around it, if there is one. */
    private static void add(String script, int from, int to, List<ScriptStatement> out) {
        int start = from;
        while (start < to) {
            char c = script.charAt(start);
            boolean comment = script.startsWith("--", start)
                    || script.startsWith("/*", start) && !script.startsWith("/*+", start);
            if (comment) {
                start = Math.min(to, skip(script, start));
            } else if (Character.isWhitespace(c)) {
                start++;
            } else {
                break;
            }
        }
        String text = script.substring(start, to).stripTrailing();
        if (!text.isEmpty()) {
            out.add(new ScriptStatement(text, start));
        }
    }
}
