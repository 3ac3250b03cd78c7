package io.tailwater.server.sql;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/** LIKE on names: {@code %} and {@code _}, escaped by a backslash, without regard to case. */
final class NamePattern {
    private NamePattern() {}

    /** @param pattern null matches all */
    static boolean matches(@Nullable String pattern, String name) {
        return pattern == null || matches(pattern.toLowerCase(Locale.ROOT), 0, name.toLowerCase(Locale.ROOT), 0);
    }

    private static boolean matches(String pattern, int p, String name, int n) {
        int at = n;
        for (int i = p; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '%') {
                for (int rest = at; rest <= name.length(); rest++) {
                    if (matches(pattern, i + 1, name, rest)) {
                        return true;
                    }
                }
                return false;
            }
            boolean any = c == '_';
            if (c == '\\' && i + 1 < pattern.length()) {
                c = pattern.charAt(++i);
            }
            if (at == name.length() || (!any && name.charAt(at) != c)) {
                return false;
            }
            at++;
        }
        return at == name.length();
    }
}
