package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.Values;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.TypeKind;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.Arena;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** SUM and AVG, exact in every type. Each keeps a count of values first. */
final class Sums {
    private static final BigInteger DECIMAL_LIMIT = BigInteger.TEN.pow(38);
    /** Integers up to here are doubles exactly. */
    private static final long EXACT_DOUBLE = 1L << 53;

    private Sums() {}

    private static StreamException overflow(String function, String type) {
        return new StreamException(
                ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
                "value of " + function + " is out of range for type " + type,
                -1,
                "Cast the argument to a wider type, such as DECIMAL(38, 0).",
                null);
    }

    /** Stores an unscaled value as DECIMAL(38, s). */
    static void putDecimal(long at, BigInteger unscaled, String function) {
        if (unscaled.abs().compareTo(DECIMAL_LIMIT) >= 0) {
            throw overflow(function, "DECIMAL(38)");
        }
        Mem.putLong(at, unscaled.longValue());
        Mem.putLong(at + 8, unscaled.shiftRight(64).longValue());
    }

    /** Over TINYINT to BIGINT and intervals: {count, 128-bit sum}. */
    static final class OfIntegers implements Accumulator {
        private static final int SUM = 8;
        private final int column;
        private final boolean average;
        private final int offset;
        private final ResultField field;

        OfIntegers(int column, boolean average, int offset, ResultField field) {
            this.column = column;
            this.average = average;
            this.offset = offset;
            this.field = field;
        }

        @Override
        public int stateBytes() {
            return 24;
        }

        @Override
        public void add(AggregateInput input, long[] groups, long @Nullable [] counts) {
            long[] values = input.longs(column);
            int n = input.rows();
            if (counts == null) {
                for (int i = 0; i < n; i++) {
                    long at = groups[i] + offset;
                    Mem.putLong(at, Mem.getLong(at) + 1);
                    WideInt.add128(at + SUM, values[i]);
                }
            } else {
                for (int i = 0; i < n; i++) {
                    if (counts[i] != 0) {
                        long at = groups[i] + offset;
                        Mem.putLong(at, Mem.getLong(at) + counts[i]);
                        WideInt.addProduct128(at + SUM, values[i], counts[i]);
                    }
                }
            }
        }

        @Override
        public void results(long[] groups, int n, long to) {
            for (int i = 0; i < n; i++) {
                long row = to + (long) i * field.stride();
                long at = groups[i] + offset;
                if (Mem.getLong(at) == 0) {
                    field.setNull(row);
                } else if (average) {
                    average(at, row);
                } else {
                    sum(at, row);
                }
            }
        }

        private void sum(long at, long row) {
            long low = Mem.getLong(at + SUM);
            boolean fits = Mem.getLong(at + SUM + 8) == low >> 63;
            TypeKind kind = field.type().kind();
            if (kind == TypeKind.DECIMAL) {
                putDecimal(field.address(row), WideInt.get(at + SUM, 2), "SUM");
            } else if (kind.isFloating()) {
                field.putDouble(row, fits ? low : WideInt.get(at + SUM, 2).doubleValue());
            } else if (!fits || (kind.width() == 4 && (int) low != low)) {
                throw overflow("SUM", field.type().sql());
            } else {
                field.putLong(row, low);
            }
        }

        private void average(long at, long row) {
            long count = Mem.getLong(at);
            long low = Mem.getLong(at + SUM);
            if (field.type().kind() == TypeKind.DECIMAL) {
                BigDecimal quotient = new BigDecimal(WideInt.get(at + SUM, 2))
                        .divide(BigDecimal.valueOf(count), field.type().scale(), RoundingMode.HALF_UP);
                putDecimal(field.address(row), quotient.unscaledValue(), "AVG");
            } else if (!field.type().kind().isFloating()) {
                field.putLong(
                        row,
                        WideInt.get(at + SUM, 2)
                                .divide(BigInteger.valueOf(count))
                                .longValueExact());
            } else if (Mem.getLong(at + SUM + 8) == low >> 63
                    && low > -EXACT_DOUBLE
                    && low < EXACT_DOUBLE
                    && count < EXACT_DOUBLE
                    && count > 0) {
                // Both are exact as doubles, so the one division rounds once.
                field.putDouble(row, (double) low / (double) count);
            } else {
                BigInteger sum = WideInt.get(at + SUM, 2);
                field.putDouble(
                        row,
                        Rounding.divide(
                                count < 0 ? sum.negate() : sum,
                                BigInteger.valueOf(count).abs(),
                                0));
            }
        }
    }

    /** Over DECIMAL: {count, 256-bit sum of unscaled values}. */
    static final class OfDecimals implements Accumulator {
        private static final int SUM = 8;
        private static final int WORDS = 4;
        private final int column;
        private final int scale;
        private final boolean average;
        private final int offset;
        private final ResultField field;

        OfDecimals(int column, int scale, boolean average, int offset, ResultField field) {
            this.column = column;
            this.scale = scale;
            this.average = average;
            this.offset = offset;
            this.field = field;
        }

        @Override
        public int stateBytes() {
            return 8 + 8 * WORDS;
        }

        @Override
        public void add(AggregateInput input, long[] groups, long @Nullable [] counts) {
            long data = input.batch().data(column);
            for (int i = 0; i < input.rows(); i++) {
                long count = counts == null ? 1 : counts[i];
                if (count == 0) {
                    continue;
                }
                long at = groups[i] + offset;
                Mem.putLong(at, Mem.getLong(at) + count);
                if (count == 1) {
                    WideInt.add(at + SUM, WORDS, Mem.getLong(data + 16L * i), Mem.getLong(data + 16L * i + 8));
                } else {
                    WideInt.add(at + SUM, WORDS, WideInt.get(data + 16L * i, 2).multiply(BigInteger.valueOf(count)));
                }
            }
        }

        @Override
        public void results(long[] groups, int n, long to) {
            for (int i = 0; i < n; i++) {
                long row = to + (long) i * field.stride();
                long at = groups[i] + offset;
                long count = Mem.getLong(at);
                if (count == 0) {
                    field.setNull(row);
                    continue;
                }
                BigDecimal sum = new BigDecimal(WideInt.get(at + SUM, WORDS), scale);
                if (field.type().kind().isFloating()) {
                    field.putDouble(
                            row,
                            average
                                    ? Rounding.divide(
                                            sum.unscaledValue(),
                                            BigInteger.TEN.pow(scale).multiply(BigInteger.valueOf(count)),
                                            0)
                                    : sum.doubleValue());
                    continue;
                }
                BigDecimal value = average
                        ? sum.divide(BigDecimal.valueOf(count), field.type().scale(), RoundingMode.HALF_UP)
                        : sum.setScale(field.type().scale(), RoundingMode.HALF_UP);
                putDecimal(field.address(row), value.unscaledValue(), average ? "AVG" : "SUM");
            }
        }
    }

    /** Over REAL and DOUBLE: {count, exact sum}. */
    static final class OfDoubles implements Accumulator {
        private static final int SUM = 8;
        private final int column;
        private final boolean average;
        private final int offset;
        private final ResultField field;
        private final Arena arena;

        OfDoubles(int column, boolean average, int offset, ResultField field, Arena arena) {
            this.column = column;
            this.average = average;
            this.offset = offset;
            this.field = field;
            this.arena = arena;
        }

        @Override
        public int stateBytes() {
            return 8 + ExactSum.BYTES;
        }

        @Override
        public void add(AggregateInput input, long[] groups, long @Nullable [] counts) {
            ColumnBatch batch = input.batch();
            long data = batch.data(column);
            boolean wide = batch.type(column).kind() == TypeKind.DOUBLE;
            for (int i = 0; i < input.rows(); i++) {
                long count = counts == null ? 1 : counts[i];
                if (count != 0) {
                    long at = groups[i] + offset;
                    Mem.putLong(at, Mem.getLong(at) + count);
                    double value = wide ? Mem.getDouble(data + 8L * i) : Mem.getFloat(data + 4L * i);
                    ExactSum.add(at + SUM, value, count, arena);
                }
            }
        }

        @Override
        public void results(long[] groups, int n, long to) {
            for (int i = 0; i < n; i++) {
                long row = to + (long) i * field.stride();
                long at = groups[i] + offset;
                long count = Mem.getLong(at);
                if (count == 0) {
                    field.setNull(row);
                } else if (!average || ExactSum.isSpecial(at + SUM)) {
                    field.putDouble(row, ExactSum.value(at + SUM));
                } else {
                    field.putDouble(
                            row,
                            Rounding.divide(
                                    ExactSum.units(at + SUM),
                                    BigInteger.valueOf(Math.max(count, 1)),
                                    ExactSum.scale(at + SUM)));
                }
            }
        }

        @Override
        public void snapshot(long at, StateWriter out) {
            out.putLong(Mem.getLong(at));
            ExactSum.snapshot(at + SUM, out);
        }

        @Override
        public int restore(long from, long at) {
            Mem.putLong(at, Mem.getLong(from));
            return SUM + ExactSum.restore(from + SUM, at + SUM, arena);
        }

        @Override
        public void release(long group, Arena from) {
            ExactSum.release(group + offset + SUM, from);
        }
    }

    /** The value of a numeric argument, exact; for the rare paths. */
    static BigDecimal exact(ColumnBatch batch, int column, int row) {
        Object value = Values.get(batch, column, row);
        if (value instanceof BigDecimal decimal) {
            return decimal;
        } else if (value instanceof Long number) {
            return BigDecimal.valueOf(number);
        }
        throw new AssertionError("not exact: " + value);
    }
}
