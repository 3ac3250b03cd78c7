package io.tailwater.jdbc;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.util.Optional;

/** A failure that the server reported, with its place in the statement and what to do about it. */
public final class TailwaterSQLException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final String primaryMessage;
    private final int position;
    private final @Nullable String hint;

    TailwaterSQLException(
            String primaryMessage,
            String fullMessage,
            String sqlState,
            int position,
            @Nullable String hint,
            @Nullable Throwable cause) {
        super(fullMessage, sqlState, cause);
        this.primaryMessage = primaryMessage;
        this.position = position;
        this.hint = hint;
    }

    /** What was wrong, without place and hint, which {@link #getMessage} has too. */
    public String primaryMessage() {
        return primaryMessage;
    }

    /** Offset of the offending character in the SQL text, from 0; -1 if the error has no place there. */
    public int position() {
        return position;
    }

    public Optional<String> hint() {
        return Optional.ofNullable(hint);
    }
}
