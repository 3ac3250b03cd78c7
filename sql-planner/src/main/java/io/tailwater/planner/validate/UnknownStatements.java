package io.tailwater.planner.validate;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Statements that other databases know: what to do instead. */
public final class UnknownStatements {
    private static final String TRANSACTIONS = "each statement takes effect by itself, as with autocommit";
    private static final String ROLES = "there are no users and privileges yet";
    private static final String PREPARED = "clients prepare statements by their driver: JDBC's PreparedStatement, say";
    private static final String REPLACE = "DROP it and CREATE it anew";

    private static final Map<String, String> HINTS = Map.ofEntries(
            Map.entry("ABORT", TRANSACTIONS),
            Map.entry("ALTER", REPLACE),
            Map.entry(
                    "ANALYZE",
                    "there are no statistics to gather; EXPLAIN ANALYZE runs a query and shows where its rows went"),
            Map.entry("BEGIN", TRANSACTIONS),
            Map.entry("CALL", "there are no procedures"),
            Map.entry("CANCEL", "DROP JOB ends a job"),
            Map.entry("COMMENT", "there are no comments on objects"),
            Map.entry("COMMIT", TRANSACTIONS),
            Map.entry("COPY", "a stream with connector = 'file' reads or writes files"),
            Map.entry("DEALLOCATE", PREPARED),
            Map.entry("DECLARE", "clients fetch results in pieces by themselves"),
            Map.entry("DISCARD", "RESET ALL brings settings back"),
            Map.entry("END", TRANSACTIONS),
            Map.entry("EXECUTE", PREPARED),
            Map.entry("FETCH", "clients fetch results in pieces by themselves"),
            Map.entry("GRANT", ROLES),
            Map.entry("LISTEN", "SELECT ... EMIT CHANGES tells of changes"),
            Map.entry("LOCK", TRANSACTIONS),
            Map.entry("MERGE", "UPSERT INTO a table, or a continuous INSERT INTO a table with a primary key"),
            Map.entry("NOTIFY", "SELECT ... EMIT CHANGES tells of changes"),
            Map.entry("PREPARE", PREPARED),
            Map.entry("REFRESH", "a materialized view is always fresh"),
            Map.entry("REINDEX", "there are no indexes"),
            Map.entry("RELEASE", TRANSACTIONS),
            Map.entry("REPLACE", "UPSERT INTO a table"),
            Map.entry("REVOKE", ROLES),
            Map.entry("ROLLBACK", TRANSACTIONS),
            Map.entry("SAVEPOINT", TRANSACTIONS),
            Map.entry("START", TRANSACTIONS),
            Map.entry("TRUNCATE", "DELETE FROM empties a table; DROP and CREATE a stream"),
            Map.entry("UNLISTEN", "SELECT ... EMIT CHANGES tells of changes"),
            Map.entry("USE", "there is one database; name other schemas in front: sys.jobs"),
            Map.entry("VACUUM", "space is given back by itself"));

    /** Of CREATE and DROP. */
    private static final Map<String, String> OBJECTS = Map.ofEntries(
            Map.entry("AGGREGATE", "there are no functions of your own yet"),
            Map.entry("APPLICATION", "all jobs run in the application 'default'"),
            Map.entry("CATALOG", "there is one database"),
            Map.entry("DATABASE", "there is one database"),
            Map.entry("DOMAIN", "write the type itself"),
            Map.entry("EXTENSION", "connectors and functions are built in"),
            Map.entry("EXTERNAL", "CREATE STREAM with a connector reads from elsewhere"),
            Map.entry("FUNCTION", "there are no functions of your own yet; a VIEW names a query"),
            Map.entry("INDEX", "a materialized view can keep rows under another key"),
            Map.entry("PROCEDURE", "there are no procedures"),
            Map.entry("ROLE", ROLES),
            Map.entry("SCHEMA", "all objects are in schema public"),
            Map.entry("SEQUENCE", "make keys in the client"),
            Map.entry("SINK", "CREATE STREAM with a connector, and INSERT INTO it"),
            Map.entry("SOURCE", "CREATE STREAM with a connector"),
            Map.entry("TEMP", "create it, and DROP it when it is no longer needed"),
            Map.entry("TEMPORARY", "create it, and DROP it when it is no longer needed"),
            Map.entry("TRIGGER", "a job or a materialized view follows the changes of what it reads"),
            Map.entry("TYPE", "write the type itself"),
            Map.entry("UNIQUE", "PRIMARY KEY makes a table's rows unique"),
            Map.entry("UNLOGGED", "CREATE TABLE"),
            Map.entry("USER", ROLES));

    private static final Pattern WORDS = Pattern.compile(
            "^(?:\\s|--[^\\n]*(?:\\n|$)|/\\*.*?\\*/)*([A-Za-z]+)(?:\\s+(?:OR\\s+REPLACE\\s+)?([A-Za-z]+))?",
            Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

    private UnknownStatements() {}

    /** The error for a statement that did not parse, if it begins as one that we do not have. */
    public static @Nullable StreamException explain(String sql) {
        Matcher matcher = WORDS.matcher(sql);
        if (!matcher.find()) {
            return null;
        }
        String verb = matcher.group(1).toUpperCase(Locale.ROOT);
        String object = matcher.group(2) == null ? "" : matcher.group(2).toUpperCase(Locale.ROOT);
        if (verb.equals("ALTER") && (object.equals("JOB") || object.equals("APPLICATION"))) {
            return null;
        }
        boolean definition = verb.equals("CREATE") || verb.equals("DROP");
        String hint = definition ? OBJECTS.get(object) : HINTS.get(verb);
        if (hint == null) {
            return null;
        }
        boolean two = definition || verb.equals("ALTER") && !object.isEmpty() || verb.equals("START");
        return new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED,
                (two ? verb + " " + object : verb) + " is not supported yet",
                matcher.start(1),
                hint,
                null);
    }
}
