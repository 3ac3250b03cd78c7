package io.tailwater.connector.jdbc;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.Delivery;
import io.tailwater.api.connector.Options;
import io.tailwater.api.connector.StreamOptions;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/**
 * What a stream's WITH clause says. Immutable.
 *
 * @param table as PostgreSQL reads it: folded to lower case unless quoted, with or without a schema
 * @param mode null until the stream is resolved, unless given
 * @param key names of columns, in mode upsert; empty until the stream is resolved, unless given
 * @param exactlyOnce whether ticks are kept in mode append
 */
record JdbcOptions(
        String url,
        String table,
        @Nullable String user,
        @Nullable String password,
        @Nullable Mode mode,
        List<String> key,
        boolean exactlyOnce) {
    static final String MODE = "mode";
    static final String KEY = "key";

    static final List<ConnectorOption> DECLARED = List.of(
            new ConnectorOption(
                    "url",
                    true,
                    "jdbc:postgresql://localhost:5432/postgres",
                    "Where PostgreSQL is. Without user and password."),
            new ConnectorOption("table", true, "public.flights", "The table to write to. It must exist."),
            new ConnectorOption("user", false, "postgres", "Who connects. Default: who runs the server."),
            new ConnectorOption("password", false, "secret", "Their password. It is never shown.", true),
            new ConnectorOption(
                    MODE,
                    false,
                    "upsert",
                    "upsert: rows are put and deleted by key; append: they are added. Default: upsert if there is a key."),
            new ConnectorOption(
                    KEY, false, "id", "Columns of a unique constraint of the table. Default: its primary key."));

    /** How rows are written. */
    enum Mode {
        UPSERT,
        APPEND;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static JdbcOptions parse(CatalogObject.Stream stream) {
        Options options = new Options(stream.options());
        String url = options.required("url").strip();
        if (!url.startsWith("jdbc:postgresql:") || Driver.parseURL(url, new Properties()) == null) {
            // Not as Options words it: whatever was typed here may hold a password.
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "option \"url\" is not the address of a PostgreSQL database",
                    -1,
                    "It looks like jdbc:postgresql://localhost:5432/postgres.",
                    null);
        }
        Properties inUrl = java.util.Objects.requireNonNull(Driver.parseURL(url, new Properties()));
        if (inUrl.getProperty("password") != null) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "option \"url\" holds a password, and would be shown with it",
                    -1,
                    "Take it out and add password = '...', which is never shown.",
                    null);
        }
        String mode = options.oneOf(MODE, List.of("upsert", "append"));
        List<String> key = names(options.text(KEY));
        if ("append".equals(mode) && !key.isEmpty()) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "option \"key\" is for mode upsert only",
                    -1,
                    "Leave out key or mode.",
                    null);
        }
        return new JdbcOptions(
                url,
                options.required("table").strip(),
                options.text("user"),
                options.text("password"),
                mode == null ? null : mode.equals("upsert") ? Mode.UPSERT : Mode.APPEND,
                key,
                StreamOptions.delivery(stream) != Delivery.Guarantee.AT_LEAST_ONCE);
    }

    private static List<String> names(@Nullable String text) {
        return text == null
                ? List.of()
                : Arrays.stream(text.split(",", -1))
                        .map(String::strip)
                        .filter(name -> !name.isEmpty())
                        .toList();
    }

    /** The mode of a stream that was resolved. */
    Mode resolvedMode() {
        if (mode == null) {
            throw new AssertionError("the stream was not resolved");
        }
        return mode;
    }

    /** For messages: the address without what follows it. */
    String shortUrl() {
        int end = url.indexOf('?');
        return (end < 0 ? url : url.substring(0, end)).substring("jdbc:".length());
    }
}
