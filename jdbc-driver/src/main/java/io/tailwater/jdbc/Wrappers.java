package io.tailwater.jdbc;

import java.sql.SQLException;

/** {@link java.sql.Wrapper} for objects that wrap nothing: they are what they are. */
final class Wrappers {
    private Wrappers() {}

    static <T> T unwrap(Object object, Class<T> type) throws SQLException {
        if (!type.isInstance(object)) {
            throw SqlErrors.invalidArgument(object.getClass().getSimpleName() + " is no " + type.getName());
        }
        return type.cast(object);
    }
}
