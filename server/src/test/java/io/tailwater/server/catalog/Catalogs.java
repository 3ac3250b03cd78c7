package io.tailwater.server.catalog;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;

import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** Small definitions for tests. */
public final class Catalogs {
    public static final Schema SCHEMA =
            Schema.of(new Column("id", DataType.BIGINT.notNull()), new Column("name", DataType.VARCHAR));

    private Catalogs() {}

    public static ObjectName name(String name) {
        return ObjectName.inPublic(name);
    }

    public static CatalogObject.Stream stream(String name) {
        return new CatalogObject.Stream(name(name), SCHEMA, null, List.of(), 1, new TreeMap<>());
    }

    public static CatalogObject.Table table(String name) {
        return new CatalogObject.Table(name(name), SCHEMA, List.of(0), new TreeMap<>());
    }

    public static CatalogObject.View view(String name, String... dependsOn) {
        return new CatalogObject.View(name(name), SCHEMA, "SELECT 1", names(dependsOn));
    }

    public static CatalogObject.MaterializedView materialized(String name, String... dependsOn) {
        return new CatalogObject.MaterializedView(
                name(name), SCHEMA, "SELECT 1", plan(new JobPlan.Sink.View(name(name))), List.of(), names(dependsOn));
    }

    public static JobDefinition job(String name, String target, String... dependsOn) {
        return new JobDefinition(
                name,
                "default",
                "INSERT INTO " + target + " SELECT 1",
                name(target),
                plan(new JobPlan.Sink.Stream(name(target), List.of())),
                names(dependsOn),
                false);
    }

    private static JobPlan plan(JobPlan.Sink sink) {
        return new JobPlan(new PlanNode.Values(List.of(), SCHEMA, Traits.NONE), sink);
    }

    private static List<ObjectName> names(String... names) {
        return Arrays.stream(names).map(ObjectName::inPublic).toList();
    }
}
