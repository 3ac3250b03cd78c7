package io.tailwater.cli.format;

import org.jline.utils.WCWidth;

/** Text as a terminal shows it. */
final class DisplayText {
    private DisplayText() {}

    /** {@code text} with control characters written as escapes, so that data can neither break a table nor command the terminal. */
    static String printable(String text) {
        int i = 0;
        while (i < text.length() && !isControl(text.charAt(i))) {
            i++;
        }
        if (i == text.length()) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 8);
        for (i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (isControl(c)) {
                        out.append("\\u").append(Integer.toHexString(0x10000 + c), 1, 5);
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        return out.toString();
    }

    /** Columns of the screen that printable {@code text} takes. */
    static int width(String text) {
        int width = 0;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            width += Math.max(0, WCWidth.wcwidth(text.codePointAt(i)));
        }
        return width;
    }

    private static boolean isControl(char c) {
        return c < 0x20 || (c >= 0x7f && c < 0xa0);
    }
}
