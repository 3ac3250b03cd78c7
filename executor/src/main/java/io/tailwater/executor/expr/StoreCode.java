package io.tailwater.executor.expr;

/** Writes values into output columns. */
final class StoreCode {
    private StoreCode() {}

    /** Emits the statements that put a value into row {@code row} of an output column whose address is in {@code o<column>}. */
    static void store(Val value, int column, String row, MethodWriter out) {
        if (value.alwaysNull()) {
            out.line("out.setNull(" + column + ", " + row + ");");
            return;
        }
        if (value.kind().isView() && !value.scratch()) {
            out.kernel().viewsInput();
        }
        String put = put(value, column, row);
        if (value.neverNull()) {
            out.line(put);
        } else {
            out.line("if (" + value.isNull() + ") { out.setNull(" + column + ", " + row + "); } else { " + put + " }");
        }
    }

    private static String put(Val value, int column, String row) {
        String base = "o" + column;
        return switch (value.kind()) {
            case BOOLEAN -> "if (" + value.first() + ") { Mem.setBit(" + base + ", " + row + "); }";
            case TINYINT -> "Mem.putByte(" + base + " + " + row + ", (byte) " + value.first() + ");";
            case SMALLINT -> "Mem.putShort(" + base + " + 2L * " + row + ", (short) " + value.first() + ");";
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL ->
                "Mem.putInt(" + base + " + 4L * " + row + ", " + value.first() + ");";
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME ->
                "Mem.putLong(" + base + " + 8L * " + row + ", " + value.first() + ");";
            case REAL -> "Mem.putFloat(" + base + " + 4L * " + row + ", " + value.first() + ");";
            case DOUBLE -> "Mem.putDouble(" + base + " + 8L * " + row + ", " + value.first() + ");";
            case DECIMAL ->
                "Mem.putLong(" + base + " + 16L * " + row + ", " + value.low() + "); Mem.putLong(" + base + " + 16L * "
                        + row + " + 8L, " + value.high() + ");";
            case VARCHAR, VARBINARY -> putText(value, column, row);
        };
    }

    private static String putText(Val value, int column, String row) {
        String slot = "o" + column + " + 16L * " + row;
        if (value.form() == Val.Form.SLOT) {
            return "StringView.copySlot(" + value.first() + ", " + slot + ");";
        }
        return value.scratch()
                ? "out.putBytes(" + column + ", " + row + ", " + value.first() + ", " + value.second() + ");"
                : "StringView.put(" + slot + ", " + value.first() + ", " + value.second() + ");";
    }
}
