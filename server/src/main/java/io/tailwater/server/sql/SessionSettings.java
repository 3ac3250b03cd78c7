package io.tailwater.server.sql;

import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.catalog.NearestName;
import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What SET changes in one session. Thread-safe: a statement sees each setting as it is when it looks. */
final class SessionSettings {
    private static final Pattern SPAN = Pattern.compile("(\\d{1,9})\\s*(us|ms|s|min|h|d)?");

    /** The settings of a session, in the order that SHOW ALL lists them. */
    private enum Key {
        APPLICATION("application", "default", "Application that new jobs run in. Only \"default\" exists."),
        APPLICATION_NAME("application_name", "", "Name that the client gives itself; it has no effect."),
        SCHEMA("schema", ObjectName.PUBLIC, "Schema in which unqualified names are looked up and created."),
        STATEMENT_TIMEOUT(
                "statement_timeout",
                "0",
                "Longest time until a statement's first row or its effect, such as '30 s'; milliseconds without a unit; 0 is for ever."),
        TIMEZONE("timezone", "UTC", "Zone that shows and reads TIMESTAMP WITH LOCAL TIME ZONE.");

        private final String text;
        private final String standard;
        private final String doc;

        Key(String text, String standard, String doc) {
            this.text = text;
            this.standard = standard;
            this.doc = doc;
        }
    }

    private final Map<Key, String> initial = new EnumMap<>(Key.class);
    private final Map<Key, String> values = new EnumMap<>(Key.class);

    /** @throws StreamException 3F000 if there is no such schema */
    SessionSettings(String schema, ZoneId zone) {
        for (Key key : Key.values()) {
            initial.put(key, key.standard);
        }
        initial.put(Key.TIMEZONE, name(zone));
        initial.put(Key.SCHEMA, schema(schema.isEmpty() ? ObjectName.PUBLIC : schema));
        values.putAll(initial);
    }

    synchronized String schema() {
        return get(Key.SCHEMA);
    }

    synchronized ZoneId zone() {
        return ZoneId.of(get(Key.TIMEZONE));
    }

    /** Zero for none. */
    synchronized Duration statementTimeout() {
        return span(get(Key.STATEMENT_TIMEOUT));
    }

    /** @throws StreamException 42704 for a key that no session has; 22023 or 3F000 for a value that does not fit */
    synchronized void set(String name, String value) {
        Key key = key(name);
        values.put(
                key,
                switch (key) {
                    case APPLICATION -> application(value);
                    case APPLICATION_NAME -> value;
                    case SCHEMA -> schema(value);
                    case STATEMENT_TIMEOUT -> {
                        span(value);
                        yield value;
                    }
                    case TIMEZONE -> zone(value);
                });
    }

    /** Back to what the session began with; all with null. */
    synchronized void reset(@Nullable String name) {
        if (name == null) {
            values.putAll(initial);
        } else {
            Key key = key(name);
            values.put(key, get(initial, key));
        }
    }

    synchronized String show(String name) {
        return get(key(name));
    }

    synchronized List<SystemTables.Setting> all() {
        List<SystemTables.Setting> out = new ArrayList<>();
        for (Key key : Key.values()) {
            out.add(new SystemTables.Setting(key.text, get(key), get(initial, key), "session", key.doc));
        }
        return out;
    }

    static List<String> names() {
        return Arrays.stream(Key.values()).map(key -> key.text).toList();
    }

    private String get(Key key) {
        return get(values, key);
    }

    private static String get(Map<Key, String> map, Key key) {
        String value = map.get(key);
        if (value == null) {
            throw new AssertionError(key);
        }
        return value;
    }

    private static Key key(String name) {
        String wanted = switch (name.toLowerCase(Locale.ROOT)) {
            case "search_path" -> Key.SCHEMA.text;
            case "time zone", "time_zone", "time.zone" -> Key.TIMEZONE.text;
            default -> name.toLowerCase(Locale.ROOT);
        };
        for (Key key : Key.values()) {
            if (key.text.equals(wanted)) {
                return key;
            }
        }
        throw new StreamException(
                ErrorCode.UNDEFINED_OBJECT,
                "unrecognized session setting \"" + name + "\"",
                -1,
                NearestName.hint(name, names(), "A session has: " + String.join(", ", names()) + "."),
                null);
    }

    private static String application(String value) {
        if (!value.equalsIgnoreCase("default")) {
            throw new StreamException(
                    ErrorCode.UNDEFINED_OBJECT,
                    "application \"" + value + "\" does not exist",
                    -1,
                    "Only the application \"default\" exists so far.",
                    null);
        }
        return "default";
    }

    private static String schema(String value) {
        for (String schema : SystemTables.schemas()) {
            if (schema.equalsIgnoreCase(value)) {
                return schema;
            }
        }
        throw new StreamException(
                ErrorCode.INVALID_SCHEMA_NAME,
                "schema \"" + value + "\" does not exist",
                -1,
                "There are: " + String.join(", ", SystemTables.schemas()) + ".",
                null);
    }

    private static String name(ZoneId zone) {
        return zone.equals(ZoneOffset.UTC) ? "UTC" : zone.getId();
    }

    private static String zone(String value) {
        try {
            return name(ZoneId.of(value));
        } catch (DateTimeException e) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "invalid time zone '" + value + "'",
                    -1,
                    "Give a name such as 'UTC' or 'Europe/Berlin', or an offset such as '+02:00'.",
                    e);
        }
    }

    /** A time span: milliseconds unless a unit is given. */
    static Duration span(String text) {
        Matcher matcher = SPAN.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "invalid time span '" + text + "'",
                    -1,
                    "Give a number with a unit us, ms, s, min, h or d, such as '30 s'.",
                    null);
        }
        long amount = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2);
        return switch (unit == null ? "ms" : unit) {
            case "us" -> Duration.ofNanos(amount * 1_000);
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "min" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            case "d" -> Duration.ofDays(amount);
            default -> throw new AssertionError(unit);
        };
    }
}
