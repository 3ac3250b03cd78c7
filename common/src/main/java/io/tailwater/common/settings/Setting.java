package io.tailwater.common.settings;

/**
 * The declaration of one setting. Immutable.
 *
 * @param key dotted, lower case
 * @param defaultText what {@link Settings} parses if no value is given
 * @param scope what it applies to
 * @param doc one or more sentences for {@code conf/tailwater.properties}: what it does, and why the system cannot decide for itself
 * @param <T> type of its values
 */
public record Setting<T>(String key, SettingType<T> type, String defaultText, Scope scope, String doc) {
    public Setting {
        if (!key.matches("[a-z]+(\\.[a-z-]+)*")) {
            throw new IllegalArgumentException("bad key: " + key);
        }
        type.parse(defaultText);
    }

    /** What a setting applies to. */
    public enum Scope {
        /** One process on one machine: addresses, directories. */
        PROCESS,
        /** How the engine of a process runs. */
        ENGINE
    }
}
