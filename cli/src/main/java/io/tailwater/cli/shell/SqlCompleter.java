package io.tailwater.cli.shell;

import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jspecify.annotations.Nullable;

import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Completes keywords, and names of objects and columns from the live catalog. Owned by the reader's thread. */
final class SqlCompleter implements Completer {
    private static final List<String> COMMANDS =
            List.of("\\d", "\\dt", "\\ds", "\\dv", "\\jobs", "\\timing", "\\x", "\\format", "\\o", "\\i", "\\?", "\\q");

    private final Database database;
    /** Columns by object; null until read, and again after a statement that may have changed the catalog. */
    private @Nullable Map<String, List<String>> objects;

    SqlCompleter(Database database) {
        this.database = database;
    }

    /** Reads the catalog again when it is needed next. */
    void catalogChanged() {
        objects = null;
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        candidates(line.line().substring(0, line.cursor()), line.line(), line.word())
                .forEach(word -> candidates.add(new Candidate(word)));
    }

    /**
     * What may stand at the cursor.
     *
     * @param before text up to the cursor
     * @param all the whole buffer: columns of objects that it names come first in question
     * @param word the word at the cursor
     */
    List<String> candidates(String before, String all, String word) {
        if (before.startsWith("\\") && !before.contains(" ")) {
            return COMMANDS;
        }
        TreeSet<String> out = new TreeSet<>();
        Map<String, List<String>> known = catalog();
        int dot = word.lastIndexOf('.');
        if (dot > 0) {
            String owner = word.substring(0, dot);
            String last = owner.substring(owner.lastIndexOf('.') + 1);
            known.getOrDefault(last, List.of()).forEach(column -> out.add(owner + "." + column));
        }
        String buffer = all.toLowerCase(Locale.ROOT);
        known.forEach((name, columns) -> {
            out.add(name);
            if (buffer.contains(name.toLowerCase(Locale.ROOT))) {
                out.addAll(columns);
            }
        });
        boolean lower = !word.isEmpty() && Character.isLowerCase(word.charAt(word.length() - 1));
        Keywords.ALL.forEach(keyword -> out.add(lower ? keyword.toLowerCase(Locale.ROOT) : keyword));
        return new ArrayList<>(out);
    }

    private Map<String, List<String>> catalog() {
        Map<String, List<String>> known = objects;
        if (known == null) {
            known = read();
            objects = known;
        }
        return known;
    }

    /** Completion is a convenience: without a connection it offers keywords only, and the next statement tells the error. */
    private Map<String, List<String>> read() {
        Map<String, List<String>> known = new TreeMap<>();
        try {
            DatabaseMetaData metadata = database.connection().getMetaData();
            try (ResultSet tables = metadata.getTables(null, null, "%", null)) {
                while (tables.next()) {
                    known.put(tables.getString("TABLE_NAME"), new ArrayList<>());
                }
            }
            try (ResultSet columns = metadata.getColumns(null, null, "%", "%")) {
                while (columns.next()) {
                    known.computeIfAbsent(columns.getString("TABLE_NAME"), k -> new ArrayList<>())
                            .add(columns.getString("COLUMN_NAME"));
                }
            }
        } catch (SQLException e) {
            return new TreeMap<>();
        }
        return known;
    }
}
