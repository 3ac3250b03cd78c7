package io.tailwater.planner.validate;

import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.SqlWindowTableFunction;
import org.apache.calcite.sql.fun.SqlDatePartFunction;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlOperandTypeChecker;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The functions a statement may use: ours first, then the standard's. Immutable. */
public final class Operators implements SqlOperatorTable {
    private static final SqlReturnTypeInference TEXT =
            ReturnTypes.explicit(SqlTypeName.VARCHAR).andThen(SqlTypeTransforms.TO_NULLABLE);
    private static final SqlReturnTypeInference TEXT_OR_NULL =
            ReturnTypes.explicit(SqlTypeName.VARCHAR).andThen(SqlTypeTransforms.FORCE_NULLABLE);
    private static final SqlReturnTypeInference ALL_NULL =
            ReturnTypes.LEAST_RESTRICTIVE.andThen(SqlTypeTransforms.LEAST_NULLABLE);
    private static final SqlOperandTypeChecker STRING_INTEGER =
            OperandTypes.family(SqlTypeFamily.STRING, SqlTypeFamily.INTEGER);
    private static final SqlOperandTypeChecker STRING_STRING =
            OperandTypes.family(SqlTypeFamily.STRING, SqlTypeFamily.STRING);
    private static final SqlOperandTypeChecker STRING_STRING_STRING =
            OperandTypes.family(SqlTypeFamily.STRING, SqlTypeFamily.STRING, SqlTypeFamily.STRING);
    private static final SqlOperandTypeChecker PAD = OperandTypes.or(
            STRING_INTEGER, OperandTypes.family(SqlTypeFamily.STRING, SqlTypeFamily.INTEGER, SqlTypeFamily.STRING));
    private static final SqlOperandTypeChecker STRIP = OperandTypes.or(OperandTypes.STRING, STRING_STRING);

    public static final SqlOperator COALESCE = function("COALESCE", ALL_NULL, OperandTypes.SAME_VARIADIC);
    public static final SqlOperator GREATEST =
            function("GREATEST", ReturnTypes.LEAST_RESTRICTIVE, OperandTypes.SAME_VARIADIC);
    public static final SqlOperator LEAST =
            function("LEAST", ReturnTypes.LEAST_RESTRICTIVE, OperandTypes.SAME_VARIADIC);
    public static final SqlOperator LEFT = function("LEFT", TEXT, STRING_INTEGER);
    public static final SqlOperator RIGHT = function("RIGHT", TEXT, STRING_INTEGER);
    public static final SqlOperator LPAD = function("LPAD", TEXT, PAD);
    public static final SqlOperator RPAD = function("RPAD", TEXT, PAD);
    public static final SqlOperator LTRIM = function("LTRIM", TEXT, STRIP);
    public static final SqlOperator RTRIM = function("RTRIM", TEXT, STRIP);
    public static final SqlOperator BTRIM = function("BTRIM", TEXT, STRIP);
    public static final SqlOperator REPEAT = function("REPEAT", TEXT, STRING_INTEGER);
    public static final SqlOperator REVERSE = function("REVERSE", TEXT, OperandTypes.STRING);
    public static final SqlOperator REPLACE = function("REPLACE", TEXT, STRING_STRING_STRING);
    public static final SqlOperator STARTS_WITH = function("STARTS_WITH", ReturnTypes.BOOLEAN_NULLABLE, STRING_STRING);
    public static final SqlOperator SPLIT_INDEX = function(
            "SPLIT_INDEX",
            TEXT_OR_NULL,
            OperandTypes.family(SqlTypeFamily.STRING, SqlTypeFamily.STRING, SqlTypeFamily.INTEGER));
    public static final SqlOperator SPLIT_PART = function(
            "SPLIT_PART", TEXT, OperandTypes.family(SqlTypeFamily.STRING, SqlTypeFamily.STRING, SqlTypeFamily.INTEGER));
    public static final SqlOperator REGEXP_EXTRACT = function(
            "REGEXP_EXTRACT",
            TEXT_OR_NULL,
            OperandTypes.or(
                    STRING_STRING,
                    OperandTypes.family(SqlTypeFamily.STRING, SqlTypeFamily.STRING, SqlTypeFamily.INTEGER)));
    public static final SqlOperator REGEXP_REPLACE = function("REGEXP_REPLACE", TEXT, STRING_STRING_STRING);
    public static final SqlOperator REGEXP_LIKE = function("REGEXP_LIKE", ReturnTypes.BOOLEAN_NULLABLE, STRING_STRING);
    public static final SqlOperator DATE_FORMAT = function(
            "DATE_FORMAT",
            TEXT,
            OperandTypes.or(OperandTypes.family(SqlTypeFamily.DATETIME, SqlTypeFamily.STRING), STRING_STRING));
    /** PostgreSQL's: (datetime or number, pattern). */
    public static final SqlOperator TO_CHAR = function(
            "TO_CHAR",
            TEXT,
            OperandTypes.or(
                    OperandTypes.family(SqlTypeFamily.DATETIME, SqlTypeFamily.STRING),
                    OperandTypes.family(SqlTypeFamily.NUMERIC, SqlTypeFamily.STRING)));

    public static final SqlOperator COUNT_CHAR = function("COUNT_CHAR", ReturnTypes.BIGINT_NULLABLE, STRING_STRING);
    public static final SqlOperator MD5 = function("MD5", TEXT, OperandTypes.STRING);
    public static final SqlOperator SQRT = function("SQRT", ReturnTypes.DOUBLE_NULLABLE, OperandTypes.NUMERIC);
    public static final SqlOperator LOG = function("LOG", ReturnTypes.DOUBLE_NULLABLE, OperandTypes.NUMERIC);
    /** (needle, text): what POSITION and STRPOS become. */
    public static final SqlOperator STRPOS = function("STRPOS", ReturnTypes.INTEGER_NULLABLE, STRING_STRING);
    /** Ignores NULLs, as PostgreSQL's. */
    public static final SqlOperator CONCAT =
            function("CONCAT", ReturnTypes.explicit(SqlTypeName.VARCHAR), OperandTypes.ONE_OR_MORE);

    /** The tick's wall clock. */
    public static final SqlOperator PROCTIME = SqlBasicFunction.create(
                    "PROCTIME",
                    ReturnTypes.explicit(SqlTypeName.TIMESTAMP, 3),
                    OperandTypes.NILADIC,
                    SqlFunctionCategory.TIMEDATE)
            .withDeterministic(false);

    /** PostgreSQL's now(): CURRENT_TIMESTAMP. */
    public static final SqlOperator NOW = SqlBasicFunction.create(
                    "NOW",
                    ReturnTypes.explicit(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, 6),
                    OperandTypes.NILADIC,
                    SqlFunctionCategory.TIMEDATE)
            .withDeterministic(false);

    /** A number from 0 to less than 1, another one for each row. */
    public static final SqlOperator RANDOM = SqlBasicFunction.create(
                    "RANDOM", ReturnTypes.DOUBLE, OperandTypes.NILADIC, SqlFunctionCategory.NUMERIC)
            .withDeterministic(false);

    public static final SqlOperator VERSION =
            function("VERSION", ReturnTypes.explicit(SqlTypeName.VARCHAR), OperandTypes.NILADIC);
    public static final SqlOperator CURRENT_DATABASE =
            function("CURRENT_DATABASE", ReturnTypes.explicit(SqlTypeName.VARCHAR), OperandTypes.NILADIC);

    /** PostgreSQL's: (unit as text constant, datetime). */
    public static final SqlOperator DATE_TRUNC = function(
            "DATE_TRUNC", ReturnTypes.ARG1_NULLABLE, OperandTypes.family(SqlTypeFamily.STRING, SqlTypeFamily.DATETIME));

    /** CUMULATE(table, descriptor, step, size [, offset]): operands as HOP's. */
    public static final SqlOperator CUMULATE = new SqlWindowTableFunction(
            "CUMULATE",
            Objects.requireNonNull(((SqlWindowTableFunction) SqlStdOperatorTable.HOP).getOperandTypeChecker()));

    /** Internal: (timestamp, size, offset). */
    public static final SqlOperator TUMBLE_START = function("$TUMBLE_START", ReturnTypes.ARG0, OperandTypes.VARIADIC);

    /** Internal: (later, earlier, unit). */
    public static final SqlOperator TIMESTAMP_DIFF =
            function("$TIMESTAMP_DIFF", ReturnTypes.BIGINT_NULLABLE, OperandTypes.VARIADIC);

    /** Operators of the grammar that are not the standard's. */
    private static final List<SqlOperator> SPECIAL = List.of(
            SqlLibraryOperators.INFIX_CAST,
            SqlLibraryOperators.TRY_CAST,
            SqlLibraryOperators.SAFE_CAST,
            SqlLibraryOperators.ILIKE,
            SqlLibraryOperators.NOT_ILIKE);

    private static final Map<String, SqlOperator> OURS = ours();

    public static final Operators TABLE = new Operators();

    private Operators() {}

    private static Map<String, SqlOperator> ours() {
        Map<String, SqlOperator> out = new TreeMap<>();
        for (SqlOperator operator : List.of(
                COALESCE,
                GREATEST,
                LEAST,
                LEFT,
                RIGHT,
                LPAD,
                RPAD,
                LTRIM,
                RTRIM,
                BTRIM,
                REPEAT,
                REVERSE,
                REPLACE,
                STARTS_WITH,
                SPLIT_INDEX,
                SPLIT_PART,
                REGEXP_EXTRACT,
                REGEXP_REPLACE,
                REGEXP_LIKE,
                DATE_FORMAT,
                TO_CHAR,
                RANDOM,
                VERSION,
                CURRENT_DATABASE,
                COUNT_CHAR,
                MD5,
                SQRT,
                LOG,
                STRPOS,
                CUMULATE,
                DATE_TRUNC,
                SqlLibraryOperators.IF,
                CONCAT,
                PROCTIME,
                NOW,
                SqlLibraryOperators.BOOL_AND,
                SqlLibraryOperators.BOOL_OR,
                SqlLibraryOperators.STRING_AGG,
                new SqlDatePartFunction("DAY", TimeUnit.DAY))) {
            out.put(operator.getName(), operator);
        }
        out.put("IFNULL", COALESCE);
        out.put("NVL", COALESCE);
        out.put("LENGTH", SqlStdOperatorTable.CHAR_LENGTH);
        out.put("SUBSTR", SqlStdOperatorTable.SUBSTRING);
        out.put("POW", SqlStdOperatorTable.POWER);
        out.put("TRUNC", SqlStdOperatorTable.TRUNCATE);
        return out;
    }

    private static SqlOperator function(String name, SqlReturnTypeInference result, SqlOperandTypeChecker operands) {
        return SqlBasicFunction.create(name, result, operands, SqlFunctionCategory.SYSTEM);
    }

    @Override
    public void lookupOperatorOverloads(
            SqlIdentifier name,
            @Nullable SqlFunctionCategory category,
            SqlSyntax syntax,
            List<SqlOperator> out,
            SqlNameMatcher matcher) {
        SqlOperator own = name.isSimple() && syntax == SqlSyntax.FUNCTION
                ? OURS.get(name.getSimple().toUpperCase(Locale.ROOT))
                : null;
        if (own != null) {
            out.add(own);
            return;
        }
        if (syntax == SqlSyntax.BINARY && name.isSimple() && name.getSimple().equals("-")) {
            out.add(DateDifference.MINUS);
            return;
        }
        int before = out.size();
        for (SqlOperator operator : SPECIAL) {
            if (name.isSimple() && operator.getName().equalsIgnoreCase(name.getSimple())) {
                out.add(operator);
            }
        }
        if (out.size() == before) {
            SqlStdOperatorTable.instance().lookupOperatorOverloads(name, category, syntax, out, matcher);
        }
    }

    @Override
    public List<SqlOperator> getOperatorList() {
        List<SqlOperator> all = new ArrayList<>(OURS.values());
        all.addAll(SqlStdOperatorTable.instance().getOperatorList());
        return all;
    }

    /** Names for "did you mean". */
    public static List<String> functionNames() {
        List<String> names = new ArrayList<>(OURS.keySet());
        SqlStdOperatorTable.instance().getOperatorList().stream()
                .filter(o -> o.getSyntax() == SqlSyntax.FUNCTION && !o.getName().startsWith("$"))
                .forEach(o -> names.add(o.getName()));
        return names;
    }

    /** Whether this is a call of the wall clock. */
    public static boolean isClock(SqlOperator operator) {
        return operator == PROCTIME || isInstant(operator);
    }

    /** Wall clock functions that SQL wants evaluated anew as time passes. */
    public static boolean isInstant(SqlOperator operator) {
        return operator == NOW
                || operator == SqlStdOperatorTable.CURRENT_TIMESTAMP
                || operator == SqlStdOperatorTable.LOCALTIMESTAMP
                || operator == SqlStdOperatorTable.CURRENT_DATE
                || operator == SqlStdOperatorTable.CURRENT_TIME
                || operator == SqlStdOperatorTable.LOCALTIME;
    }
}
