package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.Arena;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP from a count, the exact sum and the exact sum of squares, so that nothing is lost to cancellation. A
 * double's square is summed as its rounded value plus the rest that rounding cut off.
 */
final class Variance implements Accumulator {
    private static final int EXACT_WORDS = 6;
    private static final MathContext DIGITS = new MathContext(40, RoundingMode.HALF_EVEN);

    private final AggregateFunction function;
    private final int column;
    private final DataType argument;
    private final int offset;
    private final ResultField field;
    private final Arena arena;

    Variance(AggregateFunction function, int column, DataType argument, int offset, ResultField field, Arena arena) {
        this.function = function;
        this.column = column;
        this.argument = argument;
        this.offset = offset;
        this.field = field;
        this.arena = arena;
    }

    private boolean floating() {
        return argument.kind().isFloating();
    }

    private int sumBytes() {
        return floating() ? ExactSum.BYTES : 8 * EXACT_WORDS;
    }

    @Override
    public int stateBytes() {
        return 8 + 2 * sumBytes();
    }

    @Override
    public void add(AggregateInput input, long[] groups, long @Nullable [] counts) {
        ColumnBatch batch = input.batch();
        for (int i = 0; i < input.rows(); i++) {
            long count = counts == null ? 1 : counts[i];
            if (count == 0) {
                continue;
            }
            long at = groups[i] + offset;
            Mem.putLong(at, Mem.getLong(at) + count);
            if (floating()) {
                double value = argument.kind() == TypeKind.DOUBLE
                        ? Mem.getDouble(batch.data(column) + 8L * i)
                        : Mem.getFloat(batch.data(column) + 4L * i);
                addDouble(at, value, count);
            } else {
                BigInteger value = Sums.exact(batch, column, i).unscaledValue();
                BigInteger times = BigInteger.valueOf(count);
                WideInt.add(at + 8, EXACT_WORDS, value.multiply(times));
                WideInt.add(
                        at + 8 + sumBytes(), EXACT_WORDS, value.multiply(value).multiply(times));
            }
        }
    }

    private void addDouble(long at, double value, long count) {
        ExactSum.add(at + 8, value, count, arena);
        double square = value * value;
        ExactSum.add(at + 8 + ExactSum.BYTES, square, count, arena);
        if (Double.isFinite(square)) {
            ExactSum.add(at + 8 + ExactSum.BYTES, Math.fma(value, value, -square), count, arena);
        }
    }

    @Override
    public void results(long[] groups, int n, long to) {
        boolean sample = function == AggregateFunction.VAR_SAMP || function == AggregateFunction.STDDEV_SAMP;
        boolean root = function == AggregateFunction.STDDEV_POP || function == AggregateFunction.STDDEV_SAMP;
        for (int i = 0; i < n; i++) {
            long row = to + (long) i * field.stride();
            long at = groups[i] + offset;
            long count = Mem.getLong(at);
            if (count == 0 || (sample && count == 1)) {
                field.setNull(row);
            } else if (floating() && (ExactSum.isSpecial(at + 8) || ExactSum.isSpecial(at + 8 + ExactSum.BYTES))) {
                field.putDouble(row, Double.NaN);
            } else {
                put(row, variance(at, count, sample ? count - 1 : count), root);
            }
        }
    }

    /** (n * sum of squares - square of the sum) / (n * divisor), to 40 digits. */
    private BigDecimal variance(long at, long count, long divisor) {
        BigDecimal sum = sum(at + 8, argument.scale());
        BigDecimal squares = sum(at + 8 + sumBytes(), 2 * argument.scale());
        BigDecimal n = BigDecimal.valueOf(count);
        return n.multiply(squares)
                .subtract(sum.multiply(sum))
                .max(BigDecimal.ZERO)
                .divide(n.multiply(BigDecimal.valueOf(divisor)), DIGITS);
    }

    private BigDecimal sum(long at, int scale) {
        if (!floating()) {
            return new BigDecimal(WideInt.get(at, EXACT_WORDS), scale);
        }
        BigInteger units = ExactSum.units(at);
        int exponent = ExactSum.scale(at);
        return exponent >= 0
                ? new BigDecimal(units.shiftLeft(exponent))
                : new BigDecimal(units).divide(new BigDecimal(BigInteger.ONE.shiftLeft(-exponent)));
    }

    private void put(long row, BigDecimal variance, boolean root) {
        BigDecimal value = root ? variance.sqrt(DIGITS) : variance;
        if (field.type().kind() == TypeKind.DECIMAL) {
            Sums.putDecimal(
                    field.address(row),
                    value.setScale(field.type().scale(), RoundingMode.HALF_UP).unscaledValue(),
                    function.name());
        } else {
            field.putDouble(row, value.doubleValue());
        }
    }

    @Override
    public void snapshot(long at, StateWriter out) {
        if (!floating()) {
            Accumulator.super.snapshot(at, out);
            return;
        }
        out.putLong(Mem.getLong(at));
        ExactSum.snapshot(at + 8, out);
        ExactSum.snapshot(at + 8 + ExactSum.BYTES, out);
    }

    @Override
    public int restore(long from, long at) {
        if (!floating()) {
            return Accumulator.super.restore(from, at);
        }
        Mem.putLong(at, Mem.getLong(from));
        int sum = ExactSum.restore(from + 8, at + 8, arena);
        return 8 + sum + ExactSum.restore(from + 8 + sum, at + 8 + ExactSum.BYTES, arena);
    }

    @Override
    public void release(long group, Arena from) {
        if (floating()) {
            ExactSum.release(group + offset + 8, from);
            ExactSum.release(group + offset + 8 + ExactSum.BYTES, from);
        }
    }
}
