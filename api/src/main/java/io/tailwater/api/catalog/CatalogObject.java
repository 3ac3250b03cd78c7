package io.tailwater.api.catalog;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Something a query can name. The stored form is {@code PlanCodec}'s JSON. Immutable. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "object")
@JsonSubTypes({
    @JsonSubTypes.Type(value = CatalogObject.Stream.class, name = "stream"),
    @JsonSubTypes.Type(value = CatalogObject.Table.class, name = "table"),
    @JsonSubTypes.Type(value = CatalogObject.View.class, name = "view"),
    @JsonSubTypes.Type(value = CatalogObject.MaterializedView.class, name = "materializedView"),
    @JsonSubTypes.Type(value = CatalogObject.SystemTable.class, name = "systemTable")
})
public sealed interface CatalogObject {
    ObjectName name();

    Schema schema();

    /** In messages: "stream", "table" ... */
    @JsonIgnore
    String kindName();

    /**
     * {@code WATERMARK FOR column AS column - delay}, {@code LATENESS lateness}. Microseconds.
     *
     * @param latenessMicros how far below the greatest time a row may be before continuous queries leave it out, at least the delay; or {@link #NO_LATENESS}
     */
    record Watermark(int column, long delayMicros, long latenessMicros) {
        /** Nothing is left out, except by {@code EMIT ON WINDOW CLOSE}. */
        public static final long NO_LATENESS = -1;

        public boolean hasLateness() {
            return latenessMicros != NO_LATENESS;
        }
    }

    /**
     * An append-only stream: stored by us, or with a {@code connector} option only a definition that each reader and writer opens afresh.
     *
     * @param partitionBy columns whose hash decides a row's partition; empty for round-robin
     * @param options of WITH, keys in lower case; includes {@code connector}
     */
    record Stream(
            ObjectName name,
            Schema schema,
            @Nullable Watermark watermark,
            List<Integer> partitionBy,
            int partitions,
            SortedMap<String, String> options)
            implements CatalogObject {
        public Stream {
            partitionBy = List.copyOf(partitionBy);
            options = new TreeMap<>(options);
        }

        /** The connector's name, or null for a stored stream. */
        public @Nullable String connector() {
            return options.get("connector");
        }

        @Override
        public String kindName() {
            return "stream";
        }
    }

    /** A keyed table. {@code primaryKey} are column indices, never empty. */
    record Table(ObjectName name, Schema schema, List<Integer> primaryKey, SortedMap<String, String> options)
            implements CatalogObject {
        public Table {
            primaryKey = List.copyOf(primaryKey);
            options = new TreeMap<>(options);
        }

        @Override
        public String kindName() {
            return "table";
        }
    }

    /** A named query, expanded where it is used. {@code query} is SQL that {@code schema} was derived from. */
    record View(ObjectName name, Schema schema, String query, List<ObjectName> dependsOn) implements CatalogObject {
        public View {
            dependsOn = List.copyOf(dependsOn);
        }

        @Override
        public String kindName() {
            return "view";
        }
    }

    /** A query kept up to date by the job of the same name. {@code key} is a unique key the planner proved, or empty. */
    record MaterializedView(
            ObjectName name, Schema schema, String query, JobPlan plan, List<Integer> key, List<ObjectName> dependsOn)
            implements CatalogObject {
        public MaterializedView {
            key = List.copyOf(key);
            dependsOn = List.copyOf(dependsOn);
        }

        @Override
        public String kindName() {
            return "materialized view";
        }
    }

    /** A table of {@code sys} or {@code information_schema}; the server makes up its rows. */
    record SystemTable(ObjectName name, Schema schema) implements CatalogObject {
        @Override
        public String kindName() {
            return "system table";
        }
    }
}
