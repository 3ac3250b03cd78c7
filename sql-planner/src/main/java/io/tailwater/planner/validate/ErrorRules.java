package io.tailwater.planner.validate;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Calcite's messages and what PostgreSQL would say instead. */
final class ErrorRules {
    private record Rule(
            Pattern pattern,
            ErrorCode code,
            Function<Matcher, String> message,
            @Nullable Hint hint) {}

    private interface Hint {
        @Nullable String of(Matcher matcher, Errors.Names names);
    }

    private static final Hint NEAR_RELATION = (m, names) -> Errors.didYouMean(m.group(1), names.relations());
    private static final Hint NEAR_COLUMN = (m, names) -> Errors.didYouMean(m.group(1), names.columns());

    private static final List<Rule> RULES = List.of(
            rule(
                    "Cannot infer return type for (\\w+); operand types: \\[(.*)\\]",
                    ErrorCode.DATATYPE_MISMATCH,
                    m -> m.group(1) + " types cannot be matched: " + types(m.group(2)),
                    (m, n) -> "cast them to one type"),
            rule(
                    "Parameters must be of the same type",
                    ErrorCode.DATATYPE_MISMATCH,
                    m -> "the arguments have types that cannot be matched",
                    (m, n) -> "cast them to one type"),
            rule(
                    "Cannot apply '(TUMBLE|HOP|CUMULATE|SESSION)' to arguments of type .*",
                    ErrorCode.DATATYPE_MISMATCH,
                    m -> m.group(1) + " takes a table, DESCRIPTOR of a TIMESTAMP column of it, and intervals",
                    (m, n) -> window(m.group(1))),
            rule(
                    "Invalid number of arguments to function '(TUMBLE|HOP|CUMULATE|SESSION)'.*",
                    ErrorCode.UNDEFINED_FUNCTION,
                    m -> m.group(1) + " has another number of arguments",
                    (m, n) -> window(m.group(1))),
            rule(
                    "Only tables with set semantics may be partitioned\\. .* table function '(.*?)'",
                    ErrorCode.SYNTAX_ERROR,
                    m -> m.group(1) + " takes no PARTITION BY or ORDER BY: its windows are the same for all rows",
                    (m, n) -> "GROUP BY separates the rows of a window"),
            rule(
                    "INNER, LEFT, RIGHT, FULL, or ASOF join requires a condition .*",
                    ErrorCode.SYNTAX_ERROR,
                    m -> "JOIN needs ON or USING",
                    (m, n) -> "CROSS JOIN pairs all rows"),
            rule(
                    "Values passed to IN operator must have compatible types",
                    ErrorCode.DATATYPE_MISMATCH,
                    m -> "the two sides of IN differ in their number of columns or in types",
                    null),
            rule(
                    "Values passed to VALUES operator must have compatible types",
                    ErrorCode.SYNTAX_ERROR,
                    m -> "the rows of VALUES differ in their number of columns or in types",
                    null),
            rule("Unknown (?:identifier|field) '\\*'", ErrorCode.UNDEFINED_FUNCTION, m -> "only COUNT takes *", null),
            rule(
                    "'(.*?)' is not a valid time frame(?: in .*)?",
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    m -> "time unit \"" + m.group(1) + "\" is not known",
                    (m, n) -> "SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER and YEAR are"),
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
                    ErrorRules::functionHint),
            rule(
                    "Function '(.*?)' (?:is not defined|not found)",
                    ErrorCode.UNDEFINED_FUNCTION,
                    m -> "function " + m.group(1) + " does not exist",
                    null),
            rule(
                    "Invalid number of arguments to function '(.*?)'. Was expecting (.*) arguments",
                    ErrorCode.UNDEFINED_FUNCTION,
                    m -> "function " + m.group(1) + " takes " + m.group(2)
                            + (m.group(2).equals("1") ? " argument" : " arguments"),
                    null),
            rule(
                    "Cannot apply '\\$SCALAR_QUERY' to arguments.*",
                    ErrorCode.UNDEFINED_FUNCTION,
                    m -> "this table function does not exist",
                    (m, n) -> "TUMBLE, HOP, CUMULATE and SESSION do; their arguments cannot be named"),
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

    static final Errors.Names NO_NAMES = new Errors.Names() {
        @Override
        public Collection<String> relations() {
            return List.of();
        }

        @Override
        public Collection<String> columns() {
            return List.of();
        }
    };

    private ErrorRules() {}

    private static Rule rule(String pattern, ErrorCode code, Function<Matcher, String> message, @Nullable Hint hint) {
        return new Rule(Pattern.compile(pattern, Pattern.DOTALL), code, message, hint);
    }

    static @Nullable StreamException match(String text, int at, Errors.@Nullable Names names) {
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

    private static @Nullable String functionHint(Matcher matcher, Errors.Names names) {
        String signature = matcher.group(1);
        int paren = signature.indexOf('(');
        String name = (paren < 0 ? signature : signature.substring(0, paren)).toUpperCase(Locale.ROOT);
        List<String> all = Operators.functionNames();
        if (all.contains(name)) {
            return "no form of " + name + " takes these argument types; add explicit casts";
        }
        return Errors.didYouMean(name, all);
    }

    /** Types without Calcite's angle brackets, character sets and line ends. */
    private static String types(String text) {
        return text.replaceAll("[<>]", "")
                .replace("CHARACTER SET \"UTF-8\"", "")
                .replaceAll("\\bCHARACTER\\b", "TEXT")
                .replaceAll("\\s*\\n\\s*", ", ")
                .replaceAll(" {2,}", " ")
                .replace("', '", ", ")
                .replace("'", "")
                .strip();
    }

    private static String window(String function) {
        return switch (function) {
            case "TUMBLE" -> "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND [, offset])";
            case "SESSION" -> "SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' SECOND)";
            default -> function + "(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND [, offset])";
        };
    }

    private static String plain(String expression) {
        return expression.replace("\"", "").replace("`", "");
    }
}
