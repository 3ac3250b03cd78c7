package io.tailwater.jdbc.arrow;

/** Name and type of a column of a result. Immutable. */
public final class ResultColumn {
    private final String label;
    private final Kind kind;
    private final int precision;
    private final int scale;
    private final boolean nullable;
    private final String schema;
    private final String table;

    private ResultColumn(
            String label, Kind kind, int precision, int scale, boolean nullable, String schema, String table) {
        this.label = label;
        this.kind = kind;
        this.precision = precision;
        this.scale = scale;
        this.nullable = nullable;
        this.schema = schema;
        this.table = table;
    }

    /**
     * A column that comes from no table.
     *
     * @param precision digits of a number, characters of a text or time
     * @param scale digits after the point, of seconds too
     */
    public static ResultColumn of(String label, Kind kind, int precision, int scale, boolean nullable) {
        return new ResultColumn(label, kind, precision, scale, nullable, "", "");
    }

    /** A nullable column of this kind's usual precision. */
    public static ResultColumn of(String label, Kind kind) {
        return of(label, kind, kind.precision(), 0, true);
    }

    ResultColumn from(String newSchema, String newTable) {
        return new ResultColumn(label, kind, precision, scale, nullable, newSchema, newTable);
    }

    public String label() {
        return label;
    }

    public Kind kind() {
        return kind;
    }

    public int precision() {
        return precision;
    }

    public int scale() {
        return scale;
    }

    public boolean nullable() {
        return nullable;
    }

    /** Schema of the table it comes from; empty if unknown. */
    public String schema() {
        return schema;
    }

    /** Empty if unknown. */
    public String table() {
        return table;
    }
}
