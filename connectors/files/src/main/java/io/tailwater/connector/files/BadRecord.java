package io.tailwater.connector.files;

import org.jspecify.annotations.Nullable;

/** A record that cannot be made into a row. Without a stack trace, for there may be many. Never leaves this package. */
final class BadRecord extends Exception {
    private static final long serialVersionUID = 1L;

    private final @Nullable String column;

    BadRecord(@Nullable String column, String reason) {
        super(reason, null, false, false);
        this.column = column;
    }

    /** The column at fault, or null if it is the record as a whole. */
    @Nullable String column() {
        return column;
    }

    String reason() {
        return String.valueOf(getMessage());
    }

    BadRecord in(String name) {
        return column == null ? new BadRecord(name, reason()) : this;
    }
}
