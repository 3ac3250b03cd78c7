package io.tailwater.planner;

import io.tailwater.api.catalog.ObjectName;

import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * What of a session a statement's meaning depends on.
 *
 * @param schema where unqualified names are looked up and created
 * @param zone of TIMESTAMP WITH LOCAL TIME ZONE literals and casts
 */
public record Session(String schema, ZoneId zone) {
    public static final Session DEFAULT = new Session(ObjectName.PUBLIC, ZoneOffset.UTC);
}
