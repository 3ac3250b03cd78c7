package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.Kind;
import io.tailwater.jdbc.arrow.ResultColumn;

import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;

/** Describes the columns of a result. Immutable. */
final class ResultColumns implements ResultSetMetaData {
    private final List<ResultColumn> columns;

    ResultColumns(List<ResultColumn> columns) {
        this.columns = columns;
    }

    private ResultColumn at(int column) throws SQLException {
        if (column < 1 || column > columns.size()) {
            throw new SQLException("no column " + column + ", the result has " + columns.size(), "42703");
        }
        return columns.get(column - 1);
    }

    @Override
    public int getColumnCount() {
        return columns.size();
    }

    @Override
    public String getColumnLabel(int column) throws SQLException {
        return at(column).label();
    }

    @Override
    public String getColumnName(int column) throws SQLException {
        return at(column).label();
    }

    @Override
    public String getSchemaName(int column) throws SQLException {
        return at(column).schema();
    }

    @Override
    public String getTableName(int column) throws SQLException {
        return at(column).table();
    }

    @Override
    public String getCatalogName(int column) throws SQLException {
        return at(column).table().isEmpty() ? "" : TailwaterConnection.CATALOG;
    }

    @Override
    public int getColumnType(int column) throws SQLException {
        return at(column).kind().jdbcType();
    }

    @Override
    public String getColumnTypeName(int column) throws SQLException {
        return at(column).kind().sqlName();
    }

    @Override
    public String getColumnClassName(int column) throws SQLException {
        return at(column).kind().objectClass().getName();
    }

    /** Digits, characters or bytes; for times the length of their text. */
    @Override
    public int getPrecision(int column) throws SQLException {
        ResultColumn at = at(column);
        return at.kind().hasFraction()
                ? at.kind().precision() + (at.scale() == 0 ? 0 : at.scale() + 1)
                : at.precision();
    }

    @Override
    public int getScale(int column) throws SQLException {
        return at(column).scale();
    }

    @Override
    public int getColumnDisplaySize(int column) throws SQLException {
        ResultColumn at = at(column);
        switch (at.kind()) {
            case DECIMAL:
                return at.precision() + 2;
            case VARCHAR:
                return at.precision();
            case VARBINARY:
                return (int) Math.min(Integer.MAX_VALUE, 2L * at.precision());
            default:
                return at.kind().displaySize();
        }
    }

    @Override
    public int isNullable(int column) throws SQLException {
        return at(column).nullable() ? columnNullable : columnNoNulls;
    }

    @Override
    public boolean isSigned(int column) throws SQLException {
        return at(column).kind().isNumber();
    }

    @Override
    public boolean isCaseSensitive(int column) throws SQLException {
        return at(column).kind() == Kind.VARCHAR;
    }

    @Override
    public boolean isSearchable(int column) throws SQLException {
        at(column);
        return true;
    }

    @Override
    public boolean isAutoIncrement(int column) throws SQLException {
        at(column);
        return false;
    }

    @Override
    public boolean isCurrency(int column) throws SQLException {
        at(column);
        return false;
    }

    @Override
    public boolean isReadOnly(int column) throws SQLException {
        at(column);
        return true;
    }

    @Override
    public boolean isWritable(int column) throws SQLException {
        at(column);
        return false;
    }

    @Override
    public boolean isDefinitelyWritable(int column) throws SQLException {
        at(column);
        return false;
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return Wrappers.unwrap(this, type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
