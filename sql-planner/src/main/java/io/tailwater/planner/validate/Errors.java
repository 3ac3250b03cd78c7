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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Says in PostgreSQL's words what Calcite says in its own. No class name of Calcite's gets through. */
public final class Errors {
    private static final Pattern ENCOUNTERED =
            Pattern.compile("Encountered \"(.*?)\" at line (\\d+), column (\\d+)", Pattern.DOTALL);
    private static final Pattern KEYWORD = Pattern.compile("Incorrect syntax near the keyword '(.*?)'");
    private static final Pattern LEXICAL =
            Pattern.compile("Lexical error at line (\\d+), column (\\d+)\\.\\s+Encountered: (.*)", Pattern.DOTALL);

    /** Words of the grammar; made once, because the generated parser must be run to get them. */
    private static final SqlAbstractParserImpl.Metadata WORDS =
            TailwaterParser.FACTORY.getParser(new java.io.StringReader("")).getMetadata();

    /** What may have been meant: names for hints. */
    public interface Names {
        Collection<String> relations();

        Collection<String> columns();
    }

    private record Rule(
            Pattern pattern,
            ErrorCode code,
            Function<Matcher, String> message,
            @Nullable Hint hint) {}

    private interface Hint {
        @Nullable String of(Matcher matcher, Names names);
    }

    private static final Hint NEAR_RELATION = (m, names) -> didYouMean(m.group(1), names.relations());
    private static final Hint NEAR_COLUMN = (m, names) -> didYouMean(m.group(1), names.columns());

    private static final List<Rule> RULES = List.of(
            rule(
                    "(?:Object|Table) '(.*?)' not found(?: within '(.*?)')?(?:; did you mean '(.*)'\\?)?",
                    ErrorCode.UNDEFINED_TABLE,
                    m -> "relation \"" + (m.group(2) == null ? "" : m.group(2) + ".") + m.group(1)
                            + "\" does not exist",
                    NEAR_RELATION),
            rule(
                    "Column '(.*?)' not found in (?:any table|table '(.*?)')(?:; did you mean '(.*)'\\?)?",
                    ErrorCode.UNDEFINED_COLUMN,
                    m -> "column \"" + (m.group(2) == null ? "" : m.group(2) + ".") + m.group(1) + "\" does not exist",
                    NEAR_COLUMN),
            rule(
                    "Unknown (?:identifier|field|target column) '(.*?)'",
                    ErrorCode.UNDEFINED_COLUMN,
                    m -> "column \"" + m.group(1) + "\" does not exist",
                    NEAR_COLUMN),
            rule(
                    "Column '(.*?)' is ambiguous",
                    ErrorCode.AMBIGUOUS_COLUMN,
                    m -> "column reference \"" + m.group(1) + "\" is ambiguous",
                    (m, n) -> "write the table's name or alias before it"),
            rule(
                    "No match found for function signature (.*)",
                    ErrorCode.UNDEFINED_FUNCTION,
                    m -> "function " + types(m.group(1)) + " does not exist",
                    Errors::functionHint),
            rule(
                    "Function '(.*?)' (?:is not defined|not found)",
                    ErrorCode.UNDEFINED_FUNCTION,
                    m -> "function " + m.group(1) + " does not exist",
                    null),
            rule(
                    "Invalid number of arguments to function '(.*?)'. Was expecting (.*) arguments",
                    ErrorCode.UNDEFINED_FUNCTION,
                    m -> "function " + m.group(1) + " takes " + m.group(2) + " arguments",
                    null),
            rule(
                    "Cannot apply '\\$SCALAR_QUERY' to arguments.*",
                    ErrorCode.UNDEFINED_FUNCTION,
                    m -> "this table function does not exist",
                    (m, n) -> "TUMBLE, HOP and CUMULATE do; their arguments cannot be named"),
            rule(
                    "Cannot apply '(.*?)' to arguments of type '(.*?)'\\. Supported form\\(s\\): (.*)",
                    ErrorCode.DATATYPE_MISMATCH,
                    m -> m.group(1) + " cannot be applied here: " + types(m.group(2)),
                    (m, n) -> "possible forms: " + types(m.group(3))),
            rule(
                    "Cast function cannot convert value of type (.*) to type (.*)",
                    ErrorCode.DATATYPE_MISMATCH,
                    m -> "cannot cast type " + types(m.group(1)) + " to " + types(m.group(2)),
                    null),
            rule(
                    "Expression '(.*?)' is not being grouped",
                    ErrorCode.GROUPING_ERROR,
                    m -> "column \"" + plain(m.group(1))
                            + "\" must appear in the GROUP BY clause or be used in an aggregate function",
                    null),
            rule(
                    "Aggregate expression is illegal in (.*) clause",
                    ErrorCode.GROUPING_ERROR,
                    m -> "aggregate functions are not allowed in " + m.group(1),
                    (m, n) -> m.group(1).equals("WHERE") ? "use HAVING for conditions on aggregates" : null),
            rule(
                    "Aggregate expressions cannot be nested",
                    ErrorCode.GROUPING_ERROR,
                    m -> "aggregate function calls cannot be nested",
                    null),
            rule(
                    "Expression '(.*?)' is not in the select clause",
                    ErrorCode.GROUPING_ERROR,
                    m -> "for SELECT DISTINCT, ORDER BY expressions must appear in the select list",
                    null),
            rule(
                    "(.*) clause must be a condition",
                    ErrorCode.DATATYPE_MISMATCH,
                    m -> "argument of " + m.group(1) + " must be type BOOLEAN",
                    null),
            rule("Expected a boolean type", ErrorCode.DATATYPE_MISMATCH, m -> "argument must be type BOOLEAN", null),
            rule(
                    "Column count mismatch in (.*)",
                    ErrorCode.SYNTAX_ERROR,
                    m -> "each " + m.group(1) + " query must have the same number of columns",
                    null),
            rule(
                    "Type mismatch in column (.*) of (.*)",
                    ErrorCode.DATATYPE_MISMATCH,
                    m -> m.group(2) + " types of column " + m.group(1) + " cannot be matched",
                    null),
            rule(
                    "Illegal mixing of types in CASE or COALESCE statement",
                    ErrorCode.DATATYPE_MISMATCH,
                    m -> "the branches of CASE or COALESCE have types that cannot be matched",
                    (m, n) -> "cast them to one type"),
            rule(
                    "Duplicate relation name '(.*?)' in FROM clause",
                    ErrorCode.AMBIGUOUS_NAME,
                    m -> "table name \"" + m.group(1) + "\" specified more than once",
                    (m, n) -> "give one of them an alias"),
            rule(
                    "Only scalar sub-queries allowed in select list\\.",
                    ErrorCode.SYNTAX_ERROR,
                    m -> "subquery must return only one column",
                    null),
            rule(
                    "Ordinal out of range",
                    ErrorCode.SYNTAX_ERROR,
                    m -> "position in GROUP BY or ORDER BY is not in the select list",
                    null),
            rule(
                    "Table '(.*?)' is not a temporal table.*",
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    m -> "FOR SYSTEM_TIME AS OF on \"" + m.group(1) + "\" is not supported yet",
                    null),
            rule(
                    "Illegal use of dynamic parameter",
                    ErrorCode.DATATYPE_MISMATCH,
                    m -> "could not determine the data type of a parameter",
                    (m, n) -> "write CAST(? AS type)"),
            rule(
                    "Unknown datatype name '(.*?)'|Type '(.*?)' not found",
                    ErrorCode.UNDEFINED_OBJECT,
                    m -> "type \"" + (m.group(1) != null ? m.group(1) : m.group(2)) + "\" does not exist",
                    null),
            rule(
                    "Illegal (.*) literal '(.*?)': (.*)",
                    ErrorCode.INVALID_DATETIME_FORMAT,
                    m -> "invalid input syntax for type " + m.group(1) + ": \"" + m.group(2) + "\"",
                    null),
            rule(
                    "Illegal INTERVAL literal (.*); at .*|Illegal interval literal format (.*) for .*",
                    ErrorCode.INVALID_DATETIME_FORMAT,
                    m -> "invalid input syntax for type INTERVAL: " + (m.group(1) != null ? m.group(1) : m.group(2)),
                    (m, n) -> "write INTERVAL '5' SECOND, MINUTE, HOUR, DAY, MONTH or YEAR"),
            rule(
                    "SELECT \\* requires a FROM clause",
                    ErrorCode.SYNTAX_ERROR,
                    m -> "SELECT * with no tables specified is not valid",
                    null),
            rule(
                    "Length of identifier '(.*?)' must be less than or equal to (.*) characters",
                    ErrorCode.SYNTAX_ERROR,
                    m -> "identifier is longer than " + m.group(2) + " characters",
                    null),
            rule(
                    "Numeric literal '(.*?)' out of range",
                    ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
                    m -> "number " + m.group(1) + " is out of range",
                    null),
            rule(
                    "Duplicate name '(.*?)' in column (?:alias )?list|Duplicate column name '(.*?)' in output",
                    ErrorCode.DUPLICATE_COLUMN,
                    m -> "column \"" + (m.group(1) != null ? m.group(1) : m.group(2)) + "\" specified more than once",
                    null),
            rule(
                    "DECIMAL (precision|scale) (.*) must be between (.*) and (.*)",
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    m -> "DECIMAL " + m.group(1) + " " + m.group(2) + " must be between " + m.group(3) + " and "
                            + m.group(4),
                    null),
            rule(
                    "Non-query expression encountered in illegal context|Query expression encountered in illegal context|Join expression encountered in illegal context|ROW expression encountered in illegal context",
                    ErrorCode.SYNTAX_ERROR,
                    m -> "syntax error: an expression or query is not allowed here",
                    null),
            rule(
                    "Internal error: (.*)",
                    ErrorCode.INTERNAL_ERROR,
                    m -> "the statement cannot be planned: " + m.group(1),
                    null));

    private Errors() {}

    private static Rule rule(String pattern, ErrorCode code, Function<Matcher, String> message, @Nullable Hint hint) {
        return new Rule(Pattern.compile(pattern, Pattern.DOTALL), code, message, hint);
    }

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
            return new StreamException(
                    ErrorCode.SYNTAX_ERROR,
                    "syntax error at or near \"" + keyword.group(1) + "\"",
                    Positions.offset(sql, e.getPos()),
                    reserved(keyword.group(1)),
                    null);
        }
        StreamException known = byRule(text, Positions.offset(sql, e.getPos()), null);
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
        return WORDS.isReservedWord(word.toUpperCase(Locale.ROOT))
                ? word + " is a reserved word; to use it as a name, quote it: \"" + word.toLowerCase(Locale.ROOT) + "\""
                : null;
    }

    /** Gives a failure met while a view was expanded the view's name instead of a position in text the user did not write now. */
    static StreamException inView(RuntimeException e, CatalogObject.View view) {
        StreamException cause = translate(e, view.query(), NO_NAMES);
        return new StreamException(
                cause.code(),
                "view \"" + view.name() + "\" cannot be used: " + cause.getMessage(),
                -1,
                cause.hint().orElse(null),
                cause);
    }

    private static final Names NO_NAMES = new Names() {
        @Override
        public Collection<String> relations() {
            return List.of();
        }

        @Override
        public Collection<String> columns() {
            return List.of();
        }
    };

    /** Whatever planning threw, as a client may see it. */
    public static StreamException translate(RuntimeException e, String sql, Names names) {
        if (e instanceof StreamException known) {
            return known;
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
                StreamException known = byRule(text, at, names);
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

    private static @Nullable StreamException byRule(String text, int at, @Nullable Names names) {
        for (Rule rule : RULES) {
            Matcher matcher = rule.pattern().matcher(text);
            if (matcher.matches()) {
                Hint hint = rule.hint();
                return new StreamException(
                        rule.code(),
                        rule.message().apply(matcher),
                        at,
                        hint == null ? null : hint.of(matcher, names == null ? NO_NAMES : names),
                        null);
            }
        }
        return null;
    }

    private static @Nullable String functionHint(Matcher matcher, Names names) {
        String signature = matcher.group(1);
        int paren = signature.indexOf('(');
        String name = (paren < 0 ? signature : signature.substring(0, paren)).toUpperCase(Locale.ROOT);
        List<String> all = Operators.functionNames();
        if (all.contains(name)) {
            return "no form of " + name + " takes these argument types; add explicit casts";
        }
        return didYouMean(name, all);
    }

    public static @Nullable String didYouMean(String name, Collection<String> candidates) {
        Optional<String> near = Suggestions.nearest(name, candidates);
        return near.map(n -> "did you mean \"" + n + "\"?").orElse(null);
    }

    /** Types without Calcite's angle brackets, character sets and line ends. */
    private static String types(String text) {
        return text.replaceAll("[<>]", "")
                .replace("CHARACTER SET \"UTF-8\"", "")
                .replaceAll("\\bCHARACTER\\b", "TEXT")
                .replaceAll("\\s*\\n\\s*", ", ")
                .replaceAll(" {2,}", " ")
                .replace("', '", ", ")
                .replaceAll("^'|'$", "")
                .strip();
    }

    private static String plain(String expression) {
        return expression.replace("\"", "").replace("`", "");
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
