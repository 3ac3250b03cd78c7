package io.tailwater.api.connector;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** WITH options as typed values, with one wording for what is wrong with them. Immutable. */
public record Options(Map<String, String> values) {
    public @Nullable String text(String key) {
        return values.get(key);
    }

    public String required(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "option \"" + key + "\" is missing",
                    -1,
                    "Add " + key + " = '...' to the WITH clause.",
                    null);
        }
        return value;
    }

    /** A whole number between {@code min} and {@code max}, both allowed. */
    public long number(String key, long fallback, long min, long max) {
        String value = values.get(key);
        if (value == null) {
            return fallback;
        }
        long number;
        try {
            number = Long.parseLong(value.strip());
        } catch (NumberFormatException e) {
            throw invalid(key, value, "a whole number", e);
        }
        if (number < min || number > max) {
            throw invalid(key, value, "a whole number from " + min + " to " + max, null);
        }
        return number;
    }

    public boolean flag(String key, boolean fallback) {
        String value = values.get(key);
        if (value == null) {
            return fallback;
        }
        return switch (value.strip().toLowerCase(Locale.ROOT)) {
            case "true", "on", "yes", "1" -> true;
            case "false", "off", "no", "0" -> false;
            default -> throw invalid(key, value, "true or false", null);
        };
    }

    /** One of {@code allowed} (lower case), or null if the option is absent. */
    public @Nullable String oneOf(String key, List<String> allowed) {
        String value = values.get(key);
        if (value == null) {
            return null;
        }
        String lower = value.strip().toLowerCase(Locale.ROOT);
        if (!allowed.contains(lower)) {
            throw invalid(key, value, "one of " + String.join(", ", allowed), null);
        }
        return lower;
    }

    /** The error for a value that is not {@code wanted}. */
    public static StreamException invalid(String key, String value, String wanted, @Nullable Throwable cause) {
        return new StreamException(
                ErrorCode.INVALID_PARAMETER_VALUE,
                "invalid value for option \"" + key + "\": \"" + value + "\"",
                -1,
                "It must be " + wanted + ".",
                cause);
    }
}
