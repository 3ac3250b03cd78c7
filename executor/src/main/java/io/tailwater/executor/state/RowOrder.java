package io.tailwater.executor.state;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.plan.SortKey;

import java.util.ArrayList;
import java.util.List;

/**
 * A total order of encoded rows: by sort keys, then by every column from left to right, ascending with NULL last, so that two rows tie only if they
 * are equal. Strings compare as bytes, NaN is the greatest number. Immutable.
 */
public final class RowOrder {
    private final RowLayout layout;
    private final int[] columns;
    private final boolean[] descending;
    private final boolean[] nullsFirst;
    private final boolean oneLong;

    public RowOrder(RowLayout layout, List<SortKey> keys) {
        this.layout = layout;
        List<SortKey> all = new ArrayList<>(keys);
        for (int c = 0; c < layout.columns(); c++) {
            int column = c;
            if (keys.stream().noneMatch(key -> key.column() == column)) {
                all.add(new SortKey(c, false, false));
            }
        }
        columns = all.stream().mapToInt(SortKey::column).toArray();
        descending = new boolean[columns.length];
        nullsFirst = new boolean[columns.length];
        for (int i = 0; i < columns.length; i++) {
            descending[i] = all.get(i).descending();
            nullsFirst[i] = all.get(i).nullsFirst();
        }
        oneLong = layout.columns() == 1
                && !layout.type(0).nullable()
                && layout.type(0).kind().width() == 8
                && !layout.type(0).kind().isFloating();
    }

    /** By the columns from left to right, NULL last. */
    public static RowOrder ascending(RowLayout layout) {
        return new RowOrder(layout, List.of());
    }

    public int compare(long a, long b) {
        if (oneLong) {
            int compared = Long.compare(Mem.getLong(a), Mem.getLong(b));
            return descending[0] ? -compared : compared;
        }
        for (int i = 0; i < columns.length; i++) {
            int column = columns[i];
            boolean aNull = layout.isNull(column, a);
            boolean bNull = layout.isNull(column, b);
            if (aNull || bNull) {
                if (aNull != bNull) {
                    return aNull == nullsFirst[i] ? -1 : 1;
                }
                continue;
            }
            int compared = compareField(column, a + layout.offset(column), b + layout.offset(column));
            if (compared != 0) {
                return descending[i] ? -compared : compared;
            }
        }
        return 0;
    }

    private int compareField(int column, long a, long b) {
        return switch (layout.type(column).kind()) {
            case BOOLEAN, TINYINT -> Byte.compare(Mem.getByte(a), Mem.getByte(b));
            case SMALLINT -> Short.compare(Mem.getShort(a), Mem.getShort(b));
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL -> Integer.compare(Mem.getInt(a), Mem.getInt(b));
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME ->
                Long.compare(Mem.getLong(a), Mem.getLong(b));
            case REAL -> Float.compare(Mem.getFloat(a), Mem.getFloat(b));
            case DOUBLE -> Double.compare(Mem.getDouble(a), Mem.getDouble(b));
            case DECIMAL -> {
                int high = Long.compare(Mem.getLong(a + 8), Mem.getLong(b + 8));
                yield high != 0 ? high : Long.compareUnsigned(Mem.getLong(a), Mem.getLong(b));
            }
            case VARCHAR, VARBINARY -> Integer.signum(StringView.compare(a, b));
        };
    }
}
