package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.Mem;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.state.RowLayout;

/** Where a call's result goes in an encoded result row. Immutable. */
record ResultField(RowLayout layout, int column) {
    DataType type() {
        return layout.type(column);
    }

    int stride() {
        return layout.width();
    }

    void putLong(long row, long value) {
        layout.putLong(column, row, value);
    }

    void putDouble(long row, double value) {
        // Canonical, as every encoded float: equal results must be equal bytes.
        long bits = Double.doubleToLongBits(value + 0.0d);
        if (layout.type(column).kind().width() == 4) {
            Mem.putInt(address(row), Float.floatToIntBits((float) value + 0.0f));
        } else {
            Mem.putLong(address(row), bits);
        }
    }

    void setNull(long row) {
        layout.markNull(column, row);
    }

    long address(long row) {
        return row + layout.offset(column);
    }
}
