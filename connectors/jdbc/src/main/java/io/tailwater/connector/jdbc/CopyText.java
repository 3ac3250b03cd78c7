package io.tailwater.connector.jdbc;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Values;
import io.tailwater.common.type.DataType;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.HexFormat;

/** Rows as {@code COPY ... FROM STDIN} reads them. Owned by one writer. */
final class CopyText {
    private static final long DAY_MICROS = 86_400_000_000L;

    private final StringBuilder out = new StringBuilder(1 << 16);

    int length() {
        return out.length();
    }

    /** The bytes so far; begins anew. */
    byte[] take() {
        byte[] bytes = out.toString().getBytes(StandardCharsets.UTF_8);
        out.setLength(0);
        return bytes;
    }

    /** Puts a number before the columns of the row to come. */
    CopyText field(long number) {
        out.append(number).append('\t');
        return this;
    }

    void row(ColumnBatch batch, int row) {
        for (int column = 0; column < batch.columns(); column++) {
            if (column > 0) {
                out.append('\t');
            }
            Object value = Values.get(batch, column, row);
            if (value == null) {
                out.append("\\N");
            } else {
                value(value, batch.type(column));
            }
        }
        out.append('\n');
    }

    private void value(Object value, DataType type) {
        switch (type.kind()) {
            case BOOLEAN -> out.append((Boolean) value ? 't' : 'f');
            case TINYINT, SMALLINT, INTEGER, BIGINT -> out.append((long) (Long) value);
            case DECIMAL -> out.append(((BigDecimal) value).toPlainString());
            case REAL -> out.append((float) (Float) value);
            case DOUBLE -> out.append((double) (Double) value);
            case VARCHAR -> text((String) value);
            case VARBINARY -> out.append("\\\\x").append(HexFormat.of().formatHex((byte[]) value));
            case DATE -> out.append(date((Long) value) ? " BC" : "");
            case TIME -> time((Long) value);
            case TIMESTAMP -> out.append(timestamp((Long) value) ? " BC" : "");
            case TIMESTAMP_LTZ -> {
                boolean before = timestamp((Long) value);
                out.append(before ? "+00 BC" : "+00");
            }
            case INTERVAL_DAY_TIME -> out.append((long) (Long) value).append(" microseconds");
            case INTERVAL_YEAR_MONTH -> out.append((long) (Long) value).append(" months");
            case NULL -> throw new AssertionError(type);
        }
    }

    private void text(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> out.append("\\\\");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                default -> out.append(c);
            }
        }
    }

    /** Returns whether the year is one before Christ, which must be said at the end. */
    private boolean date(long days) {
        LocalDate date = LocalDate.ofEpochDay(days);
        boolean before = date.getYear() < 1;
        digits(before ? 1 - date.getYear() : date.getYear(), 4);
        out.append('-');
        digits(date.getMonthValue(), 2);
        out.append('-');
        digits(date.getDayOfMonth(), 2);
        return before;
    }

    private boolean timestamp(long micros) {
        boolean before = date(Math.floorDiv(micros, DAY_MICROS));
        out.append(' ');
        time(Math.floorMod(micros, DAY_MICROS));
        return before;
    }

    private void time(long micros) {
        digits(micros / 3_600_000_000L, 2);
        out.append(':');
        digits(micros / 60_000_000 % 60, 2);
        out.append(':');
        digits(micros / 1_000_000 % 60, 2);
        out.append('.');
        digits(micros % 1_000_000, 6);
    }

    private void digits(long value, int width) {
        long limit = 1;
        for (int i = 1; i < width; i++) {
            limit *= 10;
            if (value < limit) {
                out.append('0');
            }
        }
        out.append(value);
    }
}
