package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The front end: SQL in, {@link Statement}s out. All methods throw {@link StreamException} with SQLSTATE, position and often a hint. Thread-safe.
 */
public final class SqlPlanner {
    private SqlPlanner() {}

    /** The statements of a script, in order; semicolons in strings, quoted names and comments do not count. Empty statements are left out. */
    public static List<ScriptStatement> split(String script) {
        throw new StreamException(ErrorCode.FEATURE_NOT_SUPPORTED, "split");
    }

    /**
     * Plans one statement.
     *
     * @param parameters values of the {@code ?} in the form of {@code api.batch.Values}
     */
    public static Statement plan(
            String sql,
            List<@Nullable Object> parameters,
            CatalogImage catalog,
            Session session,
            Connectors connectors) {
        throw new StreamException(ErrorCode.FEATURE_NOT_SUPPORTED, "plan");
    }

    /** Checks one statement and says what it will give. */
    public static Prepared prepare(String sql, CatalogImage catalog, Session session, Connectors connectors) {
        throw new StreamException(ErrorCode.FEATURE_NOT_SUPPORTED, "prepare");
    }
}
