package io.tailwater.jdbc;

import org.jspecify.annotations.Nullable;

/** A name pattern of DatabaseMetaData: {@code %} is anything, {@code _} one character, {@code \} takes a wildcard's meaning away. Immutable. */
final class LikePattern {
    private final @Nullable String pattern;

    /**
     * @param pattern null for anything
     */
    LikePattern(@Nullable String pattern) {
        this.pattern = pattern;
    }

    boolean matches(@Nullable String name) {
        return pattern == null || (name != null && matches(pattern, 0, name, 0));
    }

    /** The one name that matches, or null if the pattern has a wildcard. */
    @Nullable String literal() {
        if (pattern == null) {
            return null;
        }
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '%' || c == '_') {
                return null;
            }
            if (c == '\\' && i + 1 < pattern.length()) {
                i++;
            }
            name.append(pattern.charAt(i));
        }
        return name.toString();
    }

    private static boolean matches(String pattern, int patternStart, String name, int nameStart) {
        int p = patternStart;
        int n = nameStart;
        while (p < pattern.length()) {
            char c = pattern.charAt(p);
            if (c == '%') {
                for (int rest = n; rest <= name.length(); rest++) {
                    if (matches(pattern, p + 1, name, rest)) {
                        return true;
                    }
                }
                return false;
            }
            boolean escaped = c == '\\' && p + 1 < pattern.length();
            p += escaped ? 1 : 0;
            if (n == name.length() || ((c != '_') && pattern.charAt(p) != name.charAt(n))) {
                return false;
            }
            p++;
            n++;
        }
        return n == name.length();
    }
}
