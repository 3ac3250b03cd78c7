package io.tailwater.common.error;

/** Every failure a client can see. The SQLSTATE is wire format; the name is documentation. Never renumber. */
public enum ErrorCode {
    CONNECTION_FAILURE("08006", Kind.RETRYABLE),
    FEATURE_NOT_SUPPORTED("0A000", Kind.USER),
    /** A scalar sub-query gave more than one row. */
    CARDINALITY_VIOLATION("21000", Kind.USER),
    DATA_EXCEPTION("22000", Kind.USER),
    STRING_TOO_LONG("22001", Kind.USER),
    NUMERIC_VALUE_OUT_OF_RANGE("22003", Kind.USER),
    INVALID_DATETIME_FORMAT("22007", Kind.USER),
    DATETIME_FIELD_OVERFLOW("22008", Kind.USER),
    DIVISION_BY_ZERO("22012", Kind.USER),
    INVALID_PARAMETER_VALUE("22023", Kind.USER),
    INVALID_ARGUMENT_FOR_LOGARITHM("2201E", Kind.USER),
    INVALID_ARGUMENT_FOR_POWER("2201F", Kind.USER),
    INVALID_REGULAR_EXPRESSION("2201B", Kind.USER),
    INVALID_TEXT_REPRESENTATION("22P02", Kind.USER),
    BAD_RECORD("22P04", Kind.USER),
    NOT_NULL_VIOLATION("23502", Kind.USER),
    UNIQUE_VIOLATION("23505", Kind.USER),
    INVALID_AUTHORIZATION("28000", Kind.USER),
    DEPENDENT_OBJECTS_STILL_EXIST("2BP01", Kind.USER),
    INVALID_SCHEMA_NAME("3F000", Kind.USER),
    SYNTAX_ERROR("42601", Kind.USER),
    UNDEFINED_COLUMN("42703", Kind.USER),
    UNDEFINED_OBJECT("42704", Kind.USER),
    DUPLICATE_COLUMN("42701", Kind.USER),
    AMBIGUOUS_COLUMN("42702", Kind.USER),
    DUPLICATE_OBJECT("42710", Kind.USER),
    GROUPING_ERROR("42803", Kind.USER),
    DATATYPE_MISMATCH("42804", Kind.USER),
    WRONG_OBJECT_TYPE("42809", Kind.USER),
    UNDEFINED_FUNCTION("42883", Kind.USER),
    UNDEFINED_TABLE("42P01", Kind.USER),
    DUPLICATE_TABLE("42P07", Kind.USER),
    AMBIGUOUS_NAME("42P09", Kind.USER),
    INVALID_TABLE_DEFINITION("42P16", Kind.USER),
    /** A query that updates or retracts may not feed this target. */
    APPEND_ONLY_VIOLATION("42P17", Kind.USER),
    DISK_FULL("53100", Kind.RESOURCE),
    OUT_OF_MEMORY("53200", Kind.RESOURCE),
    TOO_MANY_CONNECTIONS("53300", Kind.RESOURCE),
    STATEMENT_TOO_COMPLEX("54001", Kind.USER),
    OBJECT_NOT_IN_PREREQUISITE_STATE("55000", Kind.USER),
    OBJECT_IN_USE("55006", Kind.USER),
    LOCK_NOT_AVAILABLE("55P03", Kind.RESOURCE),
    QUERY_CANCELED("57014", Kind.USER),
    ADMIN_SHUTDOWN("57P01", Kind.RETRYABLE),
    CANNOT_CONNECT_NOW("57P03", Kind.RETRYABLE),
    IO_ERROR("58030", Kind.RESOURCE),
    UNDEFINED_FILE("58P01", Kind.USER),
    CONFIG_FILE_ERROR("F0000", Kind.USER),
    /** A statement waited longer than its time-out allows. */
    TIMEOUT("HYT00", Kind.RETRYABLE),
    INTERNAL_ERROR("XX000", Kind.INTERNAL),
    DATA_CORRUPTED("XX001", Kind.INTERNAL);

    /** Who must act on a failure. */
    public enum Kind {
        USER,
        RESOURCE,
        RETRYABLE,
        INTERNAL
    }

    private final String sqlState;
    private final Kind kind;

    ErrorCode(String sqlState, Kind kind) {
        this.sqlState = sqlState;
        this.kind = kind;
    }

    public String sqlState() {
        return sqlState;
    }

    public Kind kind() {
        return kind;
    }
}
