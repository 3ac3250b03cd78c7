package io.tailwater.server.sql;

import java.time.ZoneId;

/** Opens sessions. Thread-safe. */
public interface SqlService {
    /**
     * Opens one.
     *
     * @param user as given by the client, possibly empty
     * @param schema default schema; empty means {@code public}
     * @param zone of the session
     * @throws io.tailwater.common.error.StreamException 3F000 if the schema does not exist
     */
    SqlSession open(String user, String schema, ZoneId zone);
}
