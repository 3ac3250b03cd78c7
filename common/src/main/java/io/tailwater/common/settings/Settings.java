package io.tailwater.common.settings;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Values for the settings of {@link ServerSettings}: given ones win over a file's, a file's over defaults. All are parsed when this is made, so a bad value
 * fails the start and not a later moment. Immutable.
 */
public final class Settings {
    private final Map<String, String> texts;
    private final Map<String, Object> values;

    private Settings(Map<String, String> texts) {
        this.texts = Map.copyOf(texts);
        Map<String, Object> parsed = new HashMap<>();
        for (Setting<?> setting : ServerSettings.ALL) {
            parsed.put(setting.key(), parse(setting, texts.getOrDefault(setting.key(), setting.defaultText())));
        }
        this.values = Map.copyOf(parsed);
    }

    /**
     * Settings without a file.
     *
     * @param given values by key, as on the command line; they win over those of an earlier source
     * @throws StreamException F0000 for an unknown key or a bad value, with a hint
     */
    public static Settings of(Map<String, String> given) {
        return new Settings(check(given, "the command line"));
    }

    /**
     * Settings of a file.
     *
     * @param file a properties file in UTF-8
     * @param given values that win over the file's
     * @throws StreamException F0000 if the file cannot be read, has an unknown key or a bad value
     */
    public static Settings load(Path file, Map<String, String> given) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            throw failure("There is no configuration file " + file.toAbsolutePath() + ".", "Check --config.", e);
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            throw failure(
                    "Cannot read the configuration file " + file.toAbsolutePath() + ": " + e.getMessage(),
                    "It must be a readable text file of lines key = value, in UTF-8.",
                    e);
        }
        // Sorted, so that of several mistakes always the same one is told.
        Map<String, String> merged = new TreeMap<>();
        properties.stringPropertyNames().forEach(key -> merged.put(key, properties.getProperty(key)));
        check(merged, file.toString());
        merged.putAll(check(given, "the command line"));
        return new Settings(merged);
    }

    public <T> T get(Setting<T> setting) {
        @SuppressWarnings("unchecked") // the map was filled by the setting's own parser
        T value = (T) values.get(setting.key());
        if (value == null) {
            throw new AssertionError("not declared: " + setting.key());
        }
        return value;
    }

    /** Whether a file or the command line gave a value. */
    public boolean isGiven(Setting<?> setting) {
        return texts.containsKey(setting.key());
    }

    /** A copy in which {@code setting} has the value written as {@code text}. */
    public Settings with(Setting<?> setting, String text) {
        Map<String, String> copy = new HashMap<>(texts);
        copy.put(setting.key(), text);
        return new Settings(copy);
    }

    /** All settings with the texts of their values, defaults included, in declared order. */
    public Map<String, String> all() {
        Map<String, String> out = new LinkedHashMap<>();
        ServerSettings.ALL.forEach(s -> out.put(s.key(), texts.getOrDefault(s.key(), s.defaultText())));
        return out;
    }

    /** The text of {@code conf/tailwater.properties}: every setting with its documentation, its default commented out. */
    public static String template() {
        StringBuilder out = new StringBuilder();
        out.append(
                        "# Settings of a Tailwater server: bin/tailwater standalone --config FILE. A value on the command line\n")
                .append(
                        "# (--set key=value) wins over one here. Generated from the declared settings; defaults are commented out.\n");
        for (Setting<?> setting : ServerSettings.ALL) {
            out.append('\n');
            for (String line : wrap(setting.doc(), 110)) {
                out.append("# ").append(line).append('\n');
            }
            out.append('#').append(setting.key()).append(" =");
            if (!setting.defaultText().isEmpty()) {
                out.append(' ').append(setting.defaultText());
            }
            out.append('\n');
        }
        return out.toString();
    }

    private static Map<String, String> check(Map<String, String> given, String source) {
        for (String key : given.keySet()) {
            if (ServerSettings.ALL.stream().noneMatch(s -> s.key().equals(key))) {
                throw failure(
                        "There is no setting '" + key + "' (in " + source + ").",
                        "Did you mean '" + nearest(key) + "'? conf/tailwater.properties lists them all.",
                        null);
            }
        }
        return given;
    }

    private static Object parse(Setting<?> setting, String text) {
        try {
            Object value = setting.type().parse(text.strip());
            if (value == null) {
                throw new AssertionError(setting.key());
            }
            return value;
        } catch (IllegalArgumentException e) {
            throw failure(
                    "The setting '" + setting.key() + "' must be " + e.getMessage() + ", but is '" + text + "'.",
                    setting.doc(),
                    e);
        }
    }

    private static StreamException failure(String message, String hint, @Nullable Throwable cause) {
        return new StreamException(ErrorCode.CONFIG_FILE_ERROR, message, -1, hint, cause);
    }

    private static String nearest(String key) {
        String best = "";
        int bestDistance = Integer.MAX_VALUE;
        for (Setting<?> setting : ServerSettings.ALL) {
            int distance = EditDistance.between(key, setting.key());
            if (distance < bestDistance) {
                best = setting.key();
                bestDistance = distance;
            }
        }
        return best;
    }

    private static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
