package io.tailwater.endtoend.slt;

import io.tailwater.endtoend.slt.Script.Conditions;
import io.tailwater.endtoend.slt.Script.Entry;
import io.tailwater.endtoend.slt.Script.Sort;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads a {@link Script}. Owned by its caller; not thread-safe. */
final class ScriptParser {
    private static final Set<String> LABELS = Set.of("batch", "streaming", "restart", "single", "tailwater", "duckdb");

    private final String name;
    private final List<String> lines;
    private final List<Entry> entries = new ArrayList<>();
    private int next;

    private ScriptParser(String name, List<String> lines) {
        this.name = name;
        this.lines = lines;
    }

    static Script parse(String name, List<String> lines) {
        ScriptParser parser = new ScriptParser(name, lines);
        parser.parse();
        return new Script(name, lines, parser.entries);
    }

    private void parse() {
        Set<String> all = new HashSet<>();
        Set<String> none = new HashSet<>();
        while (next < lines.size()) {
            String line = lines.get(next);
            if (line.isBlank() || line.startsWith("#")) {
                next++;
                continue;
            }
            String[] words = line.strip().split("\\s+");
            if (words[0].equals("onlyif") || words[0].equals("skipif")) {
                // Words after the label are a comment.
                if (words.length < 2 || !LABELS.contains(words[1])) {
                    throw broken("there is no label '" + line + "'");
                }
                (words[0].equals("onlyif") ? all : none).add(words[1]);
                next++;
                continue;
            }
            entries.add(entry(words, new Conditions(all, none)));
            all.clear();
            none.clear();
        }
        if (!all.isEmpty() || !none.isEmpty()) {
            throw broken("a condition without a record");
        }
    }

    private Entry entry(String[] words, Conditions conditions) {
        int line = next + 1;
        switch (words[0]) {
            case "statement" -> {
                return statement(words, line, conditions);
            }
            case "query" -> {
                return query(words, line, conditions);
            }
            case "restart" -> {
                next++;
                return new Script.Restart(line, conditions);
            }
            default -> throw broken("unknown record '" + words[0] + "'");
        }
    }

    private Entry statement(String[] words, int line, Conditions conditions) {
        String kind = words.length > 1 ? words[1] : "";
        @Nullable String sqlState = null;
        String message = "";
        long count = -1;
        switch (kind) {
            case "ok" -> {}
            case "count" -> count = Long.parseLong(words[2]);
            case "error" -> {
                if (words.length < 3 || !words[2].matches("[0-9A-Z]{5}")) {
                    throw broken("statement error needs an SQLSTATE");
                }
                sqlState = words[2];
                String text = lines.get(next);
                message = text.substring(text.indexOf(sqlState) + sqlState.length())
                        .strip();
            }
            default -> throw broken("statement is followed by ok, error or count");
        }
        next++;
        String sql = sql();
        return new Script.Statement(line, conditions, sql, sqlState, message, count);
    }

    private Entry query(String[] words, int line, Conditions conditions) {
        if (words.length < 2 || !words[1].matches("[IRTBD?]+")) {
            throw broken("query is followed by the types of its columns");
        }
        Sort sort;
        try {
            sort = words.length > 2 ? Sort.valueOf(words[2].toUpperCase(Locale.ROOT)) : Sort.NOSORT;
        } catch (IllegalArgumentException e) {
            throw broken("unknown order '" + words[2] + "'");
        }
        next++;
        String sql = sql();
        if (next >= lines.size() || !lines.get(next).equals("----")) {
            throw broken("a query is followed by ---- and its rows");
        }
        int first = ++next;
        while (next < lines.size() && !lines.get(next).isEmpty()) {
            next++;
        }
        return new Script.Query(line, conditions, sql, words[1], sort, lines.subList(first, next), first);
    }

    private String sql() {
        List<String> out = new ArrayList<>();
        while (next < lines.size()
                && !lines.get(next).isBlank()
                && !lines.get(next).equals("----")) {
            out.add(lines.get(next));
            next++;
        }
        if (out.isEmpty()) {
            throw broken("a record without SQL");
        }
        return String.join("\n", out);
    }

    private IllegalArgumentException broken(String what) {
        return new IllegalArgumentException(name + ":" + (next + 1) + ": " + what);
    }
}
