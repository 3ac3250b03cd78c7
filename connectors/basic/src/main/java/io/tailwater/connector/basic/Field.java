package io.tailwater.connector.basic;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.Values;
import io.tailwater.api.connector.Options;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How one column is made up. A value depends on the column's seed and the row's number alone. Numbers are worked out in the column's own unit: unscaled decimals, days,
 * microseconds.
 *
 * @param low least value, or the first of a sequence
 * @param high greatest value, or the step of a sequence
 * @param nulls share of NULLs in 2^53rds
 */
record Field(
        DataType type,
        long seed,
        boolean sequence,
        Distribution distribution,
        double low,
        double high,
        long start,
        long step,
        int length,
        List<byte[]> values,
        long nulls) {
    static final String PREFIX = "fields.";

    private static final double UNIT = 0x1p-53;
    private static final byte[] LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789".getBytes(StandardCharsets.US_ASCII);
    private static final int MOST_LENGTH = 1 << 16;

    /** How often each value comes. */
    enum Distribution {
        UNIFORM,
        NORMAL,
        ZIPF
    }

    static Field of(Column column, long seed, Map<String, String> with) {
        Reading in = new Reading(column, with);
        DataType type = column.type();
        TypeKind kind = type.kind();
        boolean time = kind == TypeKind.TIMESTAMP || kind == TypeKind.TIMESTAMP_LTZ;
        boolean text = kind == TypeKind.VARCHAR;
        if (!(time
                || text
                || kind.isInteger()
                || kind == TypeKind.DECIMAL
                || kind == TypeKind.BOOLEAN
                || kind == TypeKind.REAL
                || kind == TypeKind.DOUBLE
                || kind == TypeKind.DATE
                || kind == TypeKind.TIME)) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED, "datagen cannot make up values of type " + type.sql());
        }
        String wanted = in.oneOf("kind", List.of("sequence", "random"));
        boolean sequence = wanted == null ? time : wanted.equals("sequence");
        if (sequence && (text || kind == TypeKind.BOOLEAN)) {
            throw Options.invalid(in.key("kind"), "sequence", "random for a column of type " + type.sql(), null);
        }
        in.refuse(sequence, List.of("min", "max", "length", "values", "distribution"), "random");
        in.refuse(!sequence, List.of("start", "step"), "sequence");
        String distribution = in.oneOf("distribution", List.of("uniform", "normal", "zipf"));
        double[] range = in.range(type);
        String values = in.text("values");
        if (!text) {
            in.refuse(true, List.of("length", "values"), "texts");
        }
        double nulls = in.share("nulls");
        if (nulls > 0 && !type.nullable()) {
            throw Options.invalid(in.key("nulls"), String.valueOf(in.text("nulls")), "0 for a NOT NULL column", null);
        }
        int limit = type.precision() > 0 ? Math.min(type.precision(), MOST_LENGTH) : MOST_LENGTH;
        return new Field(
                type,
                seed,
                sequence,
                distribution == null
                        ? Distribution.UNIFORM
                        : Distribution.valueOf(distribution.toUpperCase(Locale.ROOT)),
                range[0],
                range[1],
                in.start(type),
                (long) (in.number("step", 1).doubleValue() * unit(type, true)),
                (int) in.options.number(in.key("length"), Math.min(10, limit), 0, limit),
                values == null
                        ? List.of()
                        : Arrays.stream(values.split(",", -1))
                                .map(v -> v.strip().getBytes(StandardCharsets.UTF_8))
                                .toList(),
                (long) (nulls / UNIT));
    }

    /** What one of the user's numbers is in the column's unit; steps of times are milliseconds. */
    private static double unit(DataType type, boolean step) {
        return switch (type.kind()) {
            case DECIMAL -> Math.pow(10, type.scale());
            case TIMESTAMP, TIMESTAMP_LTZ, TIME -> step ? 1000 : 1;
            default -> 1;
        };
    }

    static long mix(long value) {
        long z = value;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** The draw number {@code draw} of a row. */
    private long random(long row, int draw) {
        return mix(seed + mix(row * 0x9E3779B97F4A7C15L + draw + 1));
    }

    private double uniform(long row, int draw) {
        return (random(row, draw) >>> 11) * UNIT;
    }

    boolean isNull(long row) {
        return nulls > 0 && (random(row, 0) >>> 11) < nulls;
    }

    /** Whether values never go down from row to row. */
    boolean ascends() {
        return sequence && step >= 0 && nulls == 0;
    }

    /** From 0 to 1, the latter excluded. */
    private double share(long row, long choices) {
        double u = uniform(row, 1);
        return switch (distribution) {
            case UNIFORM -> u;
            case NORMAL -> {
                double v = Math.max(u, UNIT);
                double gauss = StrictMath.sqrt(-2 * StrictMath.log(v)) * StrictMath.cos(2 * Math.PI * uniform(row, 2));
                yield Math.min(Math.max(0.5 + gauss / 6, 0), 1 - UNIT);
            }
            // The rank k has a share of about 1 / k.
            case ZIPF -> Math.min((StrictMath.pow(choices + 1.0, u) - 1) / choices, 1 - UNIT);
        };
    }

    /** The value in the column's unit, of all types but texts. */
    long number(long row) {
        if (sequence) {
            return cut(start + row * step);
        }
        double choices = high - low + 1;
        double value = Math.floor(low + share(row, (long) Math.max(1, Math.min(choices, 9e18))) * choices);
        return cut((long) Math.min(value, high));
    }

    private long cut(long value) {
        if (type.kind() != TypeKind.TIMESTAMP
                && type.kind() != TypeKind.TIMESTAMP_LTZ
                && type.kind() != TypeKind.TIME) {
            return value;
        }
        long unit = 1;
        for (int digit = type.precision(); digit < 6; digit++) {
            unit *= 10;
        }
        return Math.floorDiv(value, unit) * unit;
    }

    private double real(long row) {
        return sequence ? start + (double) row * step : low + share(row, 1 << 20) * (high - low);
    }

    void put(BatchBuilder out, int column, int row, long number) {
        if (isNull(number)) {
            out.setNull(column, row);
            return;
        }
        long data = out.data(column);
        switch (type.kind()) {
            case BOOLEAN -> Values.set(out, column, row, random(number, 1) < 0);
            case REAL -> Mem.putFloat(data + 4L * row, (float) real(number));
            case DOUBLE -> Mem.putDouble(data + 8L * row, real(number));
            case DECIMAL -> {
                long value = number(number);
                Mem.putLong(data + 16L * row, value);
                Mem.putLong(data + 16L * row + 8, value >> 63);
            }
            case VARCHAR -> text(out, column, row, number);
            default -> Values.set(out, column, row, number(number));
        }
    }

    private void text(BatchBuilder out, int column, int row, long number) {
        if (!values.isEmpty()) {
            byte[] value = values.get((int) (share(number, values.size()) * values.size()));
            out.putBytes(column, row, value, 0, value.length);
            return;
        }
        byte[] text = new byte[length];
        for (int i = 0; i < length; i++) {
            text[i] = LETTERS[(int) (uniform(number, 3 + i) * LETTERS.length)];
        }
        out.putBytes(column, row, text, 0, length);
    }

    /** One column's options. */
    private static final class Reading {
        private final String prefix;
        private final Options options;

        Reading(Column column, Map<String, String> with) {
            options = new Options(with);
            prefix = with.keySet().stream()
                    .filter(key -> key.startsWith(PREFIX))
                    .map(key -> key.substring(0, key.lastIndexOf('.') + 1))
                    .filter(p -> p.substring(PREFIX.length(), Math.max(PREFIX.length(), p.length() - 1))
                            .equalsIgnoreCase(column.name()))
                    .findFirst()
                    .orElse(PREFIX + column.name() + ".");
        }

        String key(String name) {
            return prefix + name;
        }

        @Nullable String text(String name) {
            return options.text(key(name));
        }

        @Nullable String oneOf(String name, List<String> allowed) {
            return options.oneOf(key(name), allowed);
        }

        void refuse(boolean when, List<String> names, String only) {
            for (String name : names) {
                if (when && text(name) != null) {
                    throw new StreamException(
                            ErrorCode.INVALID_PARAMETER_VALUE, "option \"" + key(name) + "\" is for " + only + " only");
                }
            }
        }

        BigDecimal number(String name, long fallback) {
            String value = text(name);
            if (value == null) {
                return BigDecimal.valueOf(fallback);
            }
            try {
                return new BigDecimal(value.strip());
            } catch (NumberFormatException e) {
                throw Options.invalid(key(name), value, "a number", e);
            }
        }

        double share(String name) {
            double value = number(name, 0).doubleValue();
            if (value < 0 || value > 1) {
                throw Options.invalid(key(name), String.valueOf(text(name)), "a number from 0 to 1", null);
            }
            return value;
        }

        /** Least and greatest value in the column's unit. */
        double[] range(DataType type) {
            double[] limits = limits(type);
            double low = bound("min", type, limits[0]);
            double high = bound("max", type, Math.max(limits[1], low));
            if (low > high) {
                throw Options.invalid(key("max"), String.valueOf(text("max")), "at least " + key("min"), null);
            }
            double[] all = extremes(type);
            if (low < all[0] || high > all[1]) {
                throw Options.invalid(
                        low < all[0] ? key("min") : key("max"),
                        String.valueOf(low < all[0] ? text("min") : text("max")),
                        "a value of type " + type.sql(),
                        null);
            }
            return new double[] {low, high};
        }

        private double bound(String name, DataType type, double fallback) {
            String value = text(name);
            if (value == null) {
                return fallback;
            }
            return switch (type.kind()) {
                case DATE, TIMESTAMP, TIMESTAMP_LTZ -> time(name, value, type);
                default -> number(name, 0).doubleValue() * unit(type, false);
            };
        }

        /** What is made up if nothing is said. */
        private static double[] limits(DataType type) {
            double[] all = extremes(type);
            return switch (type.kind()) {
                case REAL, DOUBLE -> new double[] {0, 1};
                case DATE -> new double[] {19_723, 20_088};
                case TIMESTAMP, TIMESTAMP_LTZ -> new double[] {19_723 * 86_400e6, 20_088 * 86_400e6};
                case TIME -> all;
                case DECIMAL -> new double[] {0, Math.min(all[1], 1000 * Math.pow(10, type.scale()))};
                default -> new double[] {0, Math.min(all[1], 1_000_000)};
            };
        }

        private static double[] extremes(DataType type) {
            return switch (type.kind()) {
                case TINYINT -> new double[] {Byte.MIN_VALUE, Byte.MAX_VALUE};
                case SMALLINT -> new double[] {Short.MIN_VALUE, Short.MAX_VALUE};
                case INTEGER, DATE -> new double[] {Integer.MIN_VALUE, Integer.MAX_VALUE};
                case DECIMAL -> {
                    double most = BigInteger.TEN
                            .pow(Math.min(type.precision(), 18))
                            .subtract(BigInteger.ONE)
                            .doubleValue();
                    yield new double[] {-most, most};
                }
                case TIME -> new double[] {0, 86_399_999_999.0};
                case REAL, DOUBLE -> new double[] {-Double.MAX_VALUE / 4, Double.MAX_VALUE / 4};
                default -> new double[] {-0x1p53, 0x1p53};
            };
        }

        long start(DataType type) {
            String value = text("start");
            boolean dated = type.kind() == TypeKind.DATE
                    || type.kind() == TypeKind.TIMESTAMP
                    || type.kind() == TypeKind.TIMESTAMP_LTZ;
            if (dated) {
                return time("start", value == null ? "2024-01-01" : value, type);
            }
            return number("start", 0)
                    .multiply(BigDecimal.valueOf(unit(type, false)))
                    .setScale(0, RoundingMode.HALF_UP)
                    .longValue();
        }

        private long time(String name, String value, DataType type) {
            try {
                String text = value.strip().replace(' ', 'T');
                LocalDateTime at = text.contains("T")
                        ? LocalDateTime.parse(text)
                        : LocalDate.parse(text).atStartOfDay();
                return type.kind() == TypeKind.DATE
                        ? at.toLocalDate().toEpochDay()
                        : ChronoUnit.MICROS.between(LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC), at);
            } catch (DateTimeException e) {
                throw Options.invalid(key(name), value, "a date or a timestamp such as 2024-01-01 12:00:00", e);
            }
        }
    }
}
