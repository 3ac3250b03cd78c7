package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.server.engine.Engine.Position;

import java.util.HashMap;
import java.util.Map;

/**
 * How far a session has written, so that its queries see it. Thread-safe.
 *
 * <p>A position counts only for the very object that was written: of one dropped and created anew under the same name it means nothing, and would be
 * waited for in vain.
 */
final class SessionWrites {
    private final Map<ObjectName, Write> writes = new HashMap<>();

    private record Write(CatalogObject object, Position position) {}

    synchronized void record(CatalogObject object, Position position) {
        Write earlier = writes.get(object.name());
        Position greatest = earlier != null && earlier.object() == object
                ? earlier.position().max(position)
                : position;
        writes.put(object.name(), new Write(object, greatest));
    }

    /** What a query over {@code image} must see. */
    synchronized Map<ObjectName, Position> in(CatalogImage image) {
        Map<ObjectName, Position> out = new HashMap<>();
        writes.forEach((name, write) -> {
            if (image.objects().get(name) == write.object()) {
                out.put(name, write.position());
            }
        });
        return out;
    }
}
