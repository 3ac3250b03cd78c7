package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.ResultColumn;

import java.sql.ParameterMetaData;
import java.sql.SQLException;
import java.util.List;

/** Describes the question marks of a statement. Immutable. */
final class ParameterColumns implements ParameterMetaData {
    private final List<ResultColumn> parameters;

    ParameterColumns(List<ResultColumn> parameters) {
        this.parameters = parameters;
    }

    private ResultColumn at(int parameter) throws SQLException {
        if (parameter < 1 || parameter > parameters.size()) {
            throw new SQLException("no parameter " + parameter + ", the statement has " + parameters.size(), "07009");
        }
        return parameters.get(parameter - 1);
    }

    @Override
    public int getParameterCount() {
        return parameters.size();
    }

    @Override
    public int isNullable(int parameter) throws SQLException {
        at(parameter);
        return parameterNullableUnknown;
    }

    @Override
    public boolean isSigned(int parameter) throws SQLException {
        return at(parameter).kind().isNumber();
    }

    @Override
    public int getPrecision(int parameter) throws SQLException {
        return at(parameter).precision();
    }

    @Override
    public int getScale(int parameter) throws SQLException {
        return at(parameter).scale();
    }

    @Override
    public int getParameterType(int parameter) throws SQLException {
        return at(parameter).kind().jdbcType();
    }

    @Override
    public String getParameterTypeName(int parameter) throws SQLException {
        return at(parameter).kind().sqlName();
    }

    @Override
    public String getParameterClassName(int parameter) throws SQLException {
        return at(parameter).kind().objectClass().getName();
    }

    @Override
    public int getParameterMode(int parameter) throws SQLException {
        at(parameter);
        return parameterModeIn;
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
