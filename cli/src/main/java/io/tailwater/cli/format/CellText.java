package io.tailwater.cli.format;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The text of a value: timestamps as {@code yyyy-MM-dd HH:mm:ss} with the declared number of fractional digits, decimals with their full scale, floating
 * point numbers as the shortest text that reads back as the same number, bytes as {@code \x} and hexadecimal digits.
 */
public final class CellText {
    private static final int MAX_FRACTION = 9;
    private static final DateTimeFormatter[] DATE_TIME = formatters("uuuu-MM-dd HH:mm:ss");
    private static final DateTimeFormatter[] TIME = formatters("HH:mm:ss");

    private CellText() {}

    /** Text of the value in column {@code index} (from 1) of the current row; null for NULL. */
    public static @Nullable String of(ResultSet rows, int index, ResultColumn column) throws SQLException {
        switch (column.jdbcType()) {
            case Types.DOUBLE, Types.FLOAT -> {
                double value = rows.getDouble(index);
                return rows.wasNull() ? null : of(value);
            }
            case Types.REAL -> {
                float value = rows.getFloat(index);
                return rows.wasNull() ? null : of(value);
            }
            case Types.DECIMAL, Types.NUMERIC -> {
                BigDecimal value = rows.getBigDecimal(index);
                return value == null ? null : value.toPlainString();
            }
            case Types.BOOLEAN, Types.BIT -> {
                boolean value = rows.getBoolean(index);
                return rows.wasNull() ? null : String.valueOf(value);
            }
            case Types.DATE -> {
                LocalDate value = rows.getObject(index, LocalDate.class);
                return value == null ? null : value.toString();
            }
            case Types.TIME -> {
                LocalTime value = rows.getObject(index, LocalTime.class);
                return value == null ? null : TIME[fraction(column)].format(value);
            }
            case Types.TIMESTAMP -> {
                LocalDateTime value = rows.getObject(index, LocalDateTime.class);
                return value == null ? null : DATE_TIME[fraction(column)].format(value);
            }
            case Types.TIMESTAMP_WITH_TIMEZONE -> {
                // In the session's zone, which the user chose; so the offset says nothing new.
                OffsetDateTime value = rows.getObject(index, OffsetDateTime.class);
                return value == null ? null : DATE_TIME[fraction(column)].format(value);
            }
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> {
                byte[] value = rows.getBytes(index);
                return value == null ? null : "\\x" + HexFormat.of().formatHex(value);
            }
            default -> {
                return rows.getString(index);
            }
        }
    }

    /** The shortest text that reads back as {@code value}; Java 17's own is sometimes longer. */
    static String of(double value) {
        String text = Double.toString(value);
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return text;
        }
        BigDecimal exact = new BigDecimal(text);
        while (exact.precision() > 1) {
            BigDecimal shorter = exact.round(new MathContext(exact.precision() - 1, RoundingMode.HALF_EVEN));
            if (shorter.doubleValue() != value) {
                break;
            }
            exact = shorter;
            text = Double.toString(value).contains("E") ? scientific(exact) : withPoint(exact);
        }
        return text;
    }

    /** The shortest text that reads back as {@code value}. */
    static String of(float value) {
        String text = Float.toString(value);
        if (Float.isNaN(value) || Float.isInfinite(value)) {
            return text;
        }
        BigDecimal exact = new BigDecimal(text);
        while (exact.precision() > 1) {
            BigDecimal shorter = exact.round(new MathContext(exact.precision() - 1, RoundingMode.HALF_EVEN));
            if (shorter.floatValue() != value) {
                break;
            }
            exact = shorter;
            text = Float.toString(value).contains("E") ? scientific(exact) : withPoint(exact);
        }
        return text;
    }

    /** As Java writes large and small numbers: one digit, a point, at least one digit, E, exponent. */
    private static String scientific(BigDecimal value) {
        String digits = value.unscaledValue().abs().toString();
        int exponent = digits.length() - 1 - value.scale();
        String rest = digits.length() == 1 ? "0" : digits.substring(1);
        return (value.signum() < 0 ? "-" : "") + digits.charAt(0) + "." + rest + "E" + exponent;
    }

    private static String withPoint(BigDecimal value) {
        return value.scale() <= 0 ? value.setScale(1).toPlainString() : value.toPlainString();
    }

    private static int fraction(ResultColumn column) {
        return Math.max(0, Math.min(MAX_FRACTION, column.scale()));
    }

    private static DateTimeFormatter[] formatters(String pattern) {
        DateTimeFormatter[] out = new DateTimeFormatter[MAX_FRACTION + 1];
        for (int digits = 0; digits < out.length; digits++) {
            out[digits] = DateTimeFormatter.ofPattern(
                    digits == 0 ? pattern : pattern + "." + "S".repeat(digits), Locale.ROOT);
        }
        return out;
    }
}
