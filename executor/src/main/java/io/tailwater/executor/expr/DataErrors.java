package io.tailwater.executor.expr;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

/** The errors that a value can raise, worded as PostgreSQL words them. */
final class DataErrors {
    /** Longer texts are cut in messages. */
    private static final int SHOWN = 60;

    private DataErrors() {}

    static StreamException outOfRange(String type) {
        return new StreamException(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, type + " out of range");
    }

    static StreamException divisionByZero() {
        return new StreamException(ErrorCode.DIVISION_BY_ZERO, "division by zero");
    }

    static StreamException invalidText(String type, String text) {
        return new StreamException(
                ErrorCode.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type " + type + ": " + quoted(text));
    }

    static StreamException textOutOfRange(String type, String text) {
        return new StreamException(
                ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, "value " + quoted(text) + " is out of range for type " + type);
    }

    static StreamException invalidDatetime(String type, String text) {
        return new StreamException(
                ErrorCode.INVALID_DATETIME_FORMAT, "invalid input syntax for type " + type + ": " + quoted(text));
    }

    static StreamException datetimeField(String text) {
        return new StreamException(
                ErrorCode.DATETIME_FIELD_OVERFLOW, "date/time field value out of range: " + quoted(text));
    }

    static StreamException datetimeRange(String type) {
        return new StreamException(ErrorCode.DATETIME_FIELD_OVERFLOW, type + " out of range");
    }

    static StreamException tooLong(String type) {
        return new StreamException(ErrorCode.STRING_TOO_LONG, "value too long for type " + type);
    }

    /** Called where a conversion that fails gives NULL: anything but the value's fault is thrown on. */
    static void ignore(StreamException error) {
        if (error.code().kind() != ErrorCode.Kind.USER) {
            throw error;
        }
    }

    static StreamException notNull(String column) {
        return new StreamException(
                ErrorCode.NOT_NULL_VIOLATION, "null value in column \"" + column + "\" violates not-null constraint");
    }

    static StreamException invalidParameter(String message) {
        return new StreamException(ErrorCode.INVALID_PARAMETER_VALUE, message);
    }

    static String quoted(String text) {
        return '"' + (text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text) + '"';
    }
}
