package io.tailwater.api.plan;

import org.jspecify.annotations.Nullable;

/**
 * Scalar functions of the engine. Unless said otherwise a NULL operand makes the result NULL. Arithmetic overflow is 22003 and division by zero
 * 22012, never a wrapped value. Operands of arithmetic and comparisons have been brought to one type by casts, except DECIMALs, which may differ
 * in precision and scale, and datetime plus or minus interval. The result type is the call's.
 */
public enum Function {
    PLUS("+"),
    MINUS("-"),
    TIMES("*"),
    /** Integers: truncates toward zero. DECIMAL: rounds half up to the result's scale. */
    DIVIDE("/"),
    /** Sign of the dividend. */
    MOD("%"),
    NEGATE(null),
    ABS(null),
    SIGN(null),
    /** Numeric only; see FLOOR_TO for datetimes. */
    FLOOR(null),
    CEIL(null),
    /** (x [, digits]): half away from zero. */
    ROUND(null),
    TRUNCATE(null),
    POWER(null),
    SQRT(null),
    EXP(null),
    LN(null),
    LOG10(null),

    EQ("="),
    NE("<>"),
    LT("<"),
    LE("<="),
    GT(">"),
    GE(">="),
    /** Never NULL. */
    IS_DISTINCT_FROM("IS DISTINCT FROM"),
    /** Never NULL. */
    IS_NOT_DISTINCT_FROM("IS NOT DISTINCT FROM"),
    IS_NULL(null),
    IS_NOT_NULL(null),
    IS_TRUE(null),
    IS_NOT_TRUE(null),
    IS_FALSE(null),
    IS_NOT_FALSE(null),
    /** Two or more operands; Kleene logic. Operands to the right of a deciding one may not raise their errors. */
    AND("AND"),
    OR("OR"),
    NOT(null),

    /** (condition, value, condition, value, ..., else): only the chosen branch is evaluated, so only its errors are raised. */
    CASE(null),
    /**
     * One operand, to the call's type. Text that does not parse is 22P02 or 22007; a value out of range 22003 or 22008. To integers, DECIMAL rounds half
     * away from zero and floating point half to even; DOUBLE becomes the DECIMAL that its shortest text shows. Times lose digits toward minus infinity.
     * Text is cut to a shorter VARCHAR; other values that a VARCHAR cannot hold are 22001. Numbers become text as in PostgreSQL, timestamps
     * {@code yyyy-MM-dd HH:mm:ss} and as many fractional digits as the type has, instants in the session zone.
     */
    CAST(null),
    /** As CAST, but what does not convert becomes NULL. */
    TRY_CAST(null),
    /** NULL operands are ignored; NULL only if all are. */
    COALESCE(null),
    /** NULL if an operand is. NaN is greater than every other number. */
    GREATEST(null),
    LEAST(null),

    LOWER(null),
    UPPER(null),
    INITCAP(null),
    CONCAT("||"),
    /** (text, from [, length]), 1-based, in characters; a negative length is 22011 reported as 22023. */
    SUBSTRING(null),
    CHAR_LENGTH(null),
    OCTET_LENGTH(null),
    /** (text, characters): removes any of the characters at both ends, the start, the end. */
    TRIM_BOTH(null),
    TRIM_LEADING(null),
    TRIM_TRAILING(null),
    /** (text, pattern [, escape]) with % and _; without ESCAPE no character escapes. */
    LIKE("LIKE"),
    /** As LIKE, without regard to case. */
    ILIKE("ILIKE"),
    /** (needle, text): 1-based character position, 0 if absent. */
    POSITION(null),
    /** (text, from, to). */
    REPLACE(null),
    LEFT(null),
    RIGHT(null),
    LPAD(null),
    RPAD(null),
    REPEAT(null),
    REVERSE(null),
    STARTS_WITH(null),
    /** (text, delimiter, index): Flink's; 0-based; NULL past the end or for a negative index. */
    SPLIT_INDEX(null),
    /** (text, delimiter, number): PostgreSQL's; 1-based, from the end if negative; empty past either end, 22023 for 0. */
    SPLIT_PART(null),
    /** (text, regex [, group]): Flink's; java.util.regex syntax; NULL if nothing matches; group 0 by default. */
    REGEXP_EXTRACT(null),
    REGEXP_REPLACE(null),
    /** (text, regex): whether some part matches. */
    REGEXP_LIKE(null),
    /** (timestamp or text, pattern): Flink's; java.time.format.DateTimeFormatter patterns, root locale. */
    DATE_FORMAT(null),
    /** (datetime or number, pattern): PostgreSQL's. */
    TO_CHAR(null),
    /** (text, one-character text): how often it occurs. Nexmark's count_char. */
    COUNT_CHAR(null),
    MD5(null),

    /**
     * (unit literal, datetime or interval): units YEAR, QUARTER, MONTH, WEEK, DAY, DOW, ISODOW, DOY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, EPOCH;
     * a BIGINT. As in PostgreSQL: WEEK is ISO's, DOW runs from 0 (Sunday), ISODOW from 1 (Monday), MILLISECOND and MICROSECOND include the seconds.
     * Fields of an instant are those of the session zone.
     */
    EXTRACT(null),
    /** (datetime, unit literal): rounds down to the unit's start; a week starts on Monday. */
    FLOOR_TO(null),
    CEIL_TO(null),
    /** (later, earlier, unit literal): whole units between, a BIGINT or INTEGER. */
    TIMESTAMP_DIFF(null),
    /** (timestamp, size, offset): start of the tumbling window that holds it; sizes in microseconds as day-time intervals. Floors toward minus infinity. */
    TUMBLE_START(null),

    /** (): the tick's wall clock as TIMESTAMP_LTZ or TIMESTAMP (in the session zone); the same for all rows of a tick. */
    TICK_TIME(null),

    /** (number literal): a DOUBLE from 0 to less than 1, another one for each row. Calls with the same number in one expression give the same. */
    RANDOM(null),

    /** (value, column name literal): the value; NULL is 23502 and names the column. Never NULL. */
    REQUIRE_NOT_NULL(null),
    /**
     * (text or bytes, column name literal): the value as stored in a column of the call's type. What is longer than the type's precision loses trailing
     * blanks; if it is still too long it is 22001 and names the column.
     */
    REQUIRE_LENGTH(null);

    private final @Nullable String infix;

    Function(@Nullable String infix) {
        this.infix = infix;
    }

    /** How it is written between two operands, or null. */
    public @Nullable String infix() {
        return infix;
    }
}
