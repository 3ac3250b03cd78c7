package io.tailwater.executor.expr;

import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Seeded values of every type, with the corners over-represented, in the form of {@link io.tailwater.api.batch.Values}. */
final class RandomValues {
    private static final String[] TEXTS = {
        "",
        "a",
        "abc",
        "Abc",
        "%",
        "_",
        "twelve bytes",
        "thirteen byte",
        "a,b,c",
        " padded ",
        "İstanbul",
        "straße",
        "日本語の文字列です",
        "😀x😀",
        "https://www.nexmark.com/item/1/x.html?q=17&channel_id=42",
        "42",
        "-7.5",
        "true",
        "2020-02-29",
        "12:34:56.789"
    };

    private RandomValues() {}

    /** A type of the kind, of middling precision. */
    static DataType type(TypeKind kind) {
        return switch (kind) {
            case DECIMAL -> DataType.decimal(20, 4);
            case VARCHAR, VARBINARY -> new DataType(kind, DataType.UNBOUNDED, 0, true);
            case TIME, TIMESTAMP, TIMESTAMP_LTZ -> new DataType(kind, 6, 0, true);
            default -> new DataType(kind, 0, 0, true);
        };
    }

    static List<@Nullable Object> row(Schema schema, Random random, double nulls) {
        List<@Nullable Object> row = new ArrayList<>();
        for (Column column : schema.columns()) {
            row.add(random.nextDouble() < nulls ? null : value(column.type(), random));
        }
        return row;
    }

    static Object value(DataType type, Random random) {
        return switch (type.kind()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> integer(random, Byte.MIN_VALUE, Byte.MAX_VALUE);
            case SMALLINT -> integer(random, Short.MIN_VALUE, Short.MAX_VALUE);
            case INTEGER -> integer(random, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT -> integer(random, Long.MIN_VALUE, Long.MAX_VALUE);
            case DATE -> (long) random.nextInt(-40_000, 40_000);
            case TIME -> random.nextLong(86_400_000_000L);
            case TIMESTAMP, TIMESTAMP_LTZ -> random.nextLong(-4_000_000_000_000_000L, 4_000_000_000_000_000L);
            case INTERVAL_DAY_TIME -> random.nextLong(-1_000_000_000_000L, 1_000_000_000_000L);
            case INTERVAL_YEAR_MONTH -> (long) random.nextInt(-500, 500);
            case REAL -> (float) floating(random);
            case DOUBLE -> floating(random);
            case DECIMAL -> decimal(type, random);
            case VARCHAR -> TEXTS[random.nextInt(TEXTS.length)];
            case VARBINARY -> TEXTS[random.nextInt(TEXTS.length)].getBytes(StandardCharsets.UTF_8);
            case NULL -> throw new AssertionError(type);
        };
    }

    private static long integer(Random random, long min, long max) {
        return switch (random.nextInt(8)) {
            case 0 -> min;
            case 1 -> max;
            case 2 -> 0;
            case 3 -> Math.max(min, Math.min(max, random.nextLong()));
            default -> random.nextInt(-20, 20);
        };
    }

    private static double floating(Random random) {
        return switch (random.nextInt(10)) {
            case 0 -> -0.0;
            case 1 -> Double.NaN;
            case 2 -> Double.POSITIVE_INFINITY;
            case 3 -> Double.NEGATIVE_INFINITY;
            case 4 -> random.nextGaussian() * 1e12;
            default -> random.nextInt(-40, 40) / 4.0;
        };
    }

    private static BigDecimal decimal(DataType type, Random random) {
        BigInteger bound = BigInteger.TEN.pow(type.precision());
        BigInteger unscaled = switch (random.nextInt(6)) {
            case 0 -> bound.subtract(BigInteger.ONE);
            case 1 -> bound.subtract(BigInteger.ONE).negate();
            case 2 -> BigInteger.ZERO;
            case 3 -> new BigInteger(120, random).mod(bound).multiply(BigInteger.valueOf(random.nextInt(2) * 2L - 1));
            default -> BigInteger.valueOf(random.nextInt(-99_999, 99_999)).mod(bound);
        };
        return new BigDecimal(unscaled, type.scale());
    }
}
