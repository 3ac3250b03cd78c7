package io.tailwater.api.applog;

import java.util.function.Consumer;

/** An application's log. One appender; opened once. Not thread-safe. */
public interface AppLog extends AutoCloseable {
    /** All records in order, up to the first that a crash tore. Call it before the first {@link #append}. */
    void replay(Consumer<AppRecord> consumer);

    /** Adds a record. It survives kill -9 of the process when this returns, and power loss after {@link #sync}. */
    void append(AppRecord record);

    /** Forces all appended records to the disk. */
    void sync();

    @Override
    void close();
}
