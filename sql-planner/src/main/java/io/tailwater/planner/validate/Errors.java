package io.tailwater.planner.validate;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.planner.parser.TailwaterParser;
import io.tailwater.planner.syntax.StatementNode;
import io.tailwater.planner.syntax.Syntax;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.runtime.CalciteException;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlAbstractParserImpl;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Says in PostgreSQL's words what Calcite says in its own. No class name of Calcite's gets through. */
public final class Errors {
    private static final Pattern ENCOUNTERED =
            Pattern.compile("Encountered \"(.*?)\" at line (\\d+), column (\\d+)", Pattern.DOTALL);
    private static final Pattern UNKNOWN = Pattern.compile("(?:Unknown identifier|Column) '(.*?)'(?: not found.*)?");
    private static final Pattern TYPE_FOLLOWS = Pattern.compile("(?i)(\\bCAST\\s*\\(.*\\bAS|::)\\s*$", Pattern.DOTALL);
    private static final Pattern JOB_HINT = Pattern.compile("(?i)/\\*\\+\\s*JOB\\s*$");
    private static final Pattern KEYWORD = Pattern.compile("Incorrect syntax near the keyword '(.*?)'");
    private static final Pattern LEXICAL =
            Pattern.compile("Lexical error at line (\\d+), column (\\d+)\\.\\s+Encountered: (.*)", Pattern.DOTALL);

    /** What the parser complains of where the name after it is a reserved word. */
    private static final Set<String> BEFORE_NAMES = Set.of("AS", "JOB", "STREAM", "TABLE", "VIEW");

    /** Reserved words that nobody means for a name. */
    private static final Set<String> CLAUSES = Set.of(
            "AND", "AS", "CREATE", "DROP", "FROM", "HAVING", "IN", "INSERT", "IS", "JOIN", "LIMIT", "NOT", "ON", "OR",
            "SELECT", "UNION", "USING", "WHERE");

    /** Words of the grammar; made once, because the generated parser must be run to get them. */
    private static final SqlAbstractParserImpl.Metadata WORDS =
            TailwaterParser.FACTORY.getParser(new java.io.StringReader("")).getMetadata();

    /** What may have been meant: names for hints. */
    public interface Names {
        Collection<String> relations();

        Collection<String> columns();
    }

    private Errors() {}

    /** The query of a statement that must be one. */
    public static SqlNode query(SqlNode statement) {
        if (statement instanceof StatementNode node && node.syntax() instanceof Syntax.Query query) {
            return query.query();
        }
        throw new StreamException(ErrorCode.SYNTAX_ERROR, "a query is expected here");
    }

    /** An error at a node's position. */
    public static StreamException at(
            SqlParserPos position, String sql, ErrorCode code, String message, @Nullable String hint) {
        return new StreamException(code, message, Positions.offset(sql, position), hint, null);
    }

    static StreamException syntax(SqlParseException e, String sql) {
        if (tooDeep(e)) {
            return tooComplex(e);
        }
        String text = e.getMessage() == null ? "" : e.getMessage();
        Matcher lexical = LEXICAL.matcher(text);
        if (lexical.find()) {
            int at = Positions.offset(sql, Integer.parseInt(lexical.group(1)), Integer.parseInt(lexical.group(2)));
            return lexical(sql, at, lexical.group(3));
        }
        Matcher encountered = ENCOUNTERED.matcher(text);
        if (encountered.find()) {
            int at = Positions.offset(sql, e.getPos());
            String token = encountered.group(1);
            int space = token.indexOf(' ');
            if (at >= 0 && at < sql.length() && (sql.charAt(at) == '\'' || sql.charAt(at) == '"')) {
                if (sql.indexOf(sql.charAt(at), at + 1) < 0) {
                    return new StreamException(
                            ErrorCode.SYNTAX_ERROR,
                            "unterminated quoted " + (sql.charAt(at) == '"' ? "name" : "string"),
                            at,
                            null,
                            null);
                }
            }
            String word = space > 0 && !token.startsWith("\\\"") ? token.substring(0, space) : token;
            StreamException name = reservedName(sql, at, word);
            if (name != null) {
                return name;
            }
            if (word.equals("<EOF>")) {
                return new StreamException(
                        ErrorCode.SYNTAX_ERROR, "syntax error at end of input", sql.length(), null, null);
            }
            return new StreamException(
                    ErrorCode.SYNTAX_ERROR,
                    "syntax error at or near \"" + word + "\"",
                    at,
                    reservedWordHint(e, word),
                    null);
        }
        Matcher keyword = KEYWORD.matcher(text);
        if (keyword.find()) {
            StreamException name = reservedName(sql, Positions.offset(sql, e.getPos()), keyword.group(1));
            if (name != null) {
                return name;
            }
            return new StreamException(
                    ErrorCode.SYNTAX_ERROR,
                    "syntax error at or near \"" + keyword.group(1) + "\"",
                    Positions.offset(sql, e.getPos()),
                    reserved(keyword.group(1)),
                    null);
        }
        StreamException known = ErrorRules.match(text, Positions.offset(sql, e.getPos()), null);
        if (text.startsWith("Non-query expression")) {
            int at = Positions.offset(sql, e.getPos());
            return new StreamException(
                    ErrorCode.SYNTAX_ERROR, "syntax error at or near \"" + word(sql, at) + "\"", at, null, null);
        }
        return known != null
                ? known
                : new StreamException(
                        ErrorCode.SYNTAX_ERROR,
                        "syntax error: " + firstLine(text),
                        Positions.offset(sql, e.getPos()),
                        null,
                        null);
    }

    /** The parser stops before a name that is a reserved word: at the word in front of it. */
    private static @Nullable StreamException reservedName(String sql, int at, String word) {
        if (at >= 0 && JOB_HINT.matcher(sql.substring(0, at)).find()) {
            return new StreamException(
                    ErrorCode.SYNTAX_ERROR, "hint JOB takes a string", at, "write JOB('name')", null);
        }
        if (at < 0 || !BEFORE_NAMES.contains(word.toUpperCase(Locale.ROOT))) {
            return null;
        }
        int start = at + word.length();
        while (start < sql.length() && Character.isWhitespace(sql.charAt(start))) {
            start++;
        }
        String next = word(sql, start);
        return isReserved(next)
                ? new StreamException(
                        ErrorCode.SYNTAX_ERROR,
                        "syntax error at or near \"" + next + "\"",
                        start,
                        next + " is a reserved word; to use it as a name, quote it: \"" + next.toLowerCase(Locale.ROOT)
                                + "\"",
                        null)
                : null;
    }

    /** The word at an offset. */
    private static String word(String sql, int at) {
        int end = Math.max(at, 0);
        while (end < sql.length() && Character.isJavaIdentifierPart(sql.charAt(end))) {
            end++;
        }
        return sql.substring(Math.max(at, 0), Math.max(end, Math.min(sql.length(), Math.max(at, 0) + 1)));
    }

    private static StreamException lexical(String sql, int at, String encountered) {
        char c = at >= 0 && at < sql.length() ? sql.charAt(at) : 0;
        if (encountered.startsWith("<EOF>")) {
            return new StreamException(
                    ErrorCode.SYNTAX_ERROR, "unterminated string, quoted name or comment", sql.length(), null, null);
        }
        String hint = c == '`' || sql.indexOf('`') >= 0 && encountered.startsWith("\"`\"")
                ? "names are quoted by double quotes: \"name\""
                : null;
        return new StreamException(ErrorCode.SYNTAX_ERROR, "syntax error at or near \"" + c + "\"", at, hint, null);
    }

    /** Whether the parser takes a word for a name only if it is quoted. */
    public static boolean isReserved(String word) {
        return WORDS.isReservedWord(word.toUpperCase(Locale.ROOT));
    }

    private static @Nullable String reservedWordHint(SqlParseException e, String word) {
        boolean nameExpected = e.getExpectedTokenNames().stream().anyMatch(t -> t.contains("IDENTIFIER"));
        return nameExpected ? reserved(word) : null;
    }

    private static @Nullable String reserved(String word) {
        String upper = word.toUpperCase(Locale.ROOT);
        return WORDS.isReservedWord(upper) && !CLAUSES.contains(upper)
                ? word + " is a reserved word; to use it as a name, quote it: \"" + word.toLowerCase(Locale.ROOT) + "\""
                : null;
    }

    /** Gives a failure met while a view was expanded the view's name instead of a position in text the user did not write now. */
    static StreamException inView(RuntimeException e, CatalogObject.View view) {
        StreamException cause = translate(e, view.query(), ErrorRules.NO_NAMES);
        return new StreamException(
                cause.code(),
                "view \"" + view.name() + "\" cannot be used: " + cause.getMessage(),
                -1,
                cause.hint().orElse(null),
                cause);
    }

    private static boolean tooDeep(@Nullable Throwable e) {
        return e instanceof StackOverflowError || e != null && tooDeep(e.getCause());
    }

    /** For a statement whose nesting exhausted the stack. */
    public static StreamException tooComplex(Throwable cause) {
        return new StreamException(
                ErrorCode.STATEMENT_TOO_COMPLEX,
                "the statement is nested too deeply",
                -1,
                "write long lists with IN or VALUES, and split deep expressions by sub-queries or views",
                cause);
    }

    /** Whatever planning threw, as a client may see it. */
    public static StreamException translate(RuntimeException e, String sql, Names names) {
        if (e instanceof StreamException known) {
            return known;
        }
        if (tooDeep(e)) {
            return tooComplex(e);
        }
        int at = -1;
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof StreamException known) {
                return known;
            }
            if (t instanceof CalciteContextException context && at < 0) {
                at = Positions.offset(sql, context.getPosLine(), context.getPosColumn());
            }
        }
        for (Throwable t = e; t != null; t = t.getCause()) {
            String text = t instanceof CalciteContextException ? null : t.getMessage();
            if (text != null) {
                StreamException special = byPlace(text, at, sql);
                if (special != null) {
                    return special;
                }
                StreamException known = ErrorRules.match(text, at, names);
                if (known != null) {
                    return known;
                }
            }
        }
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String text = root.getMessage() == null ? "" : firstLine(root.getMessage());
        if (e instanceof CalciteException || root instanceof CalciteException || at >= 0) {
            return new StreamException(ErrorCode.SYNTAX_ERROR, text, at, null, e);
        }
        if (root instanceof UnsupportedOperationException) {
            return new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "this statement uses a feature that is not supported yet",
                    at,
                    null,
                    e);
        }
        return new StreamException(
                ErrorCode.INTERNAL_ERROR,
                "the statement cannot be planned",
                at,
                "please report it, with the statement",
                e);
    }

    /** Messages that mean one thing or another, as the text at their position tells. */
    private static @Nullable StreamException byPlace(String text, int at, String sql) {
        if (at < 0 || at >= sql.length()) {
            return null;
        }
        if (text.startsWith("Cannot apply '$SCALAR_QUERY'") && !sql.regionMatches(true, at, "TABLE", 0, 5)) {
            return new StreamException(
                    ErrorCode.SYNTAX_ERROR, "a sub-query that is a value must return one column", at, null, null);
        }
        Matcher unknown = UNKNOWN.matcher(text);
        if (unknown.matches() && TYPE_FOLLOWS.matcher(sql.substring(0, at)).find()) {
            return new StreamException(
                    ErrorCode.UNDEFINED_OBJECT, "type \"" + unknown.group(1) + "\" does not exist", at, null, null);
        }
        return null;
    }

    public static @Nullable String didYouMean(String name, Collection<String> candidates) {
        Optional<String> near = Suggestions.nearest(name, candidates);
        return near.map(n -> "did you mean \"" + n + "\"?").orElse(null);
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
