package io.tailwater.cli.shell;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The shell's help: {@code help.txt} beside this class, cut at lines that begin with {@code #}. */
final class Help {
    private static final Map<String, String> SECTIONS = load();

    private Help() {}

    /** What {@code \?} shows. */
    static String commands() {
        return section("COMMANDS");
    }

    /** What {@code help} shows. */
    static String overview() {
        StringBuilder topics = new StringBuilder();
        for (String title : SECTIONS.keySet()) {
            if (!title.equals("COMMANDS") && !title.equals("OVERVIEW")) {
                topics.append("  ").append(title).append('\n');
            }
        }
        return section("OVERVIEW") + "\n" + topics.toString().stripTrailing();
    }

    /** Syntax of statements whose names begin with {@code words}. */
    static String statement(String words) {
        String wanted = words.toUpperCase(Locale.ROOT).strip();
        StringBuilder out = new StringBuilder();
        SECTIONS.forEach((title, text) -> {
            if (title.equals(wanted) || title.startsWith(wanted + " ")) {
                out.append(out.length() == 0 ? "" : "\n\n")
                        .append(title)
                        .append('\n')
                        .append(text);
            }
        });
        return out.length() == 0 ? "No help for '" + words + "'; 'help' lists the statements." : out.toString();
    }

    private static String section(String title) {
        String text = SECTIONS.get(title);
        if (text == null) {
            throw new AssertionError("help.txt lacks " + title);
        }
        return text;
    }

    private static Map<String, String> load() {
        try (InputStream in = Help.class.getResourceAsStream("help.txt")) {
            if (in == null) {
                throw new AssertionError("help.txt is not packaged");
            }
            Map<String, String> sections = new LinkedHashMap<>();
            for (String part : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("(?m)^# ")) {
                if (!part.isBlank()) {
                    String[] halves = part.split("\n", 2);
                    sections.put(halves[0].strip(), halves[1].stripTrailing());
                }
            }
            return sections;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
