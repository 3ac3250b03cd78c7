package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.server.engine.Engine;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The tables of {@code information_schema} and {@code sys}: their columns, which clients rely on, and their rows, made up when asked from one catalog
 * image and the engine's state of that moment. Thread-safe.
 */
public final class SystemTables {
    /** The one catalog. */
    public static final String CATALOG = "tailwater";

    public static final String INFORMATION_SCHEMA = "information_schema";
    public static final String SYS = "sys";

    private static final Map<ObjectName, Definition> DEFINITIONS = build();

    private final Engine engine;
    private final Supplier<List<Setting>> settings;
    private final Supplier<List<Node>> nodes;

    public SystemTables(Engine engine, Supplier<List<Setting>> settings, Supplier<List<Node>> nodes) {
        this.engine = engine;
        this.settings = settings;
        this.nodes = nodes;
    }

    /** A row of {@code sys.settings}. {@code scope} is session or server. */
    public record Setting(String name, String value, String defaultValue, String scope, String description) {}

    /** A row of {@code sys.nodes}. */
    public record Node(
            String nodeId,
            String role,
            boolean primary,
            @Nullable String zone,
            String address,
            long pid,
            String state) {}

    /** What a table is made from. */
    record Source(CatalogImage image, Engine engine, List<Setting> settings, List<Node> nodes) {}

    record Definition(Schema schema, Function<Source, List<List<@Nullable Object>>> rows) {}

    /** A server's settings as rows. */
    public static List<Setting> settingsOf(io.tailwater.common.settings.Settings settings) {
        Map<String, String> values = settings.all();
        List<Setting> out = new ArrayList<>();
        for (io.tailwater.common.settings.Setting<?> setting : io.tailwater.common.settings.ServerSettings.ALL) {
            out.add(new Setting(
                    setting.key(),
                    values.getOrDefault(setting.key(), setting.defaultText()),
                    setting.defaultText(),
                    "server",
                    setting.doc()));
        }
        return out;
    }

    /** Tables for the catalog image. */
    public static Collection<CatalogObject.SystemTable> definitions() {
        List<CatalogObject.SystemTable> out = new ArrayList<>();
        DEFINITIONS.forEach((name, definition) -> out.add(new CatalogObject.SystemTable(name, definition.schema())));
        return out;
    }

    /** Settings of the server as they are now. */
    List<Setting> settings() {
        return settings.get();
    }

    /** Rows as one image has them. */
    Engine.SystemRows rows(CatalogImage image) {
        return (table, memory) -> batches(table, image, memory);
    }

    private List<ColumnBatch> batches(ObjectName table, CatalogImage image, MemoryAccount memory) {
        Definition definition = DEFINITIONS.get(table);
        if (definition == null) {
            throw new AssertionError("no such system table: " + table);
        }
        return BatchRows.of(definition.schema(), list(table, image), memory);
    }

    /** Rows of one table on the heap. */
    List<List<@Nullable Object>> list(ObjectName table, CatalogImage image) {
        Definition definition = DEFINITIONS.get(table);
        if (definition == null) {
            throw new AssertionError("no such system table: " + table);
        }
        return definition.rows().apply(new Source(image, engine, settings.get(), nodes.get()));
    }

    private static Map<ObjectName, Definition> build() {
        Map<ObjectName, Definition> out = new LinkedHashMap<>();
        InformationSchema.define(out);
        SysTables.define(out);
        return Collections.unmodifiableMap(out);
    }

    static Column column(String name, DataType type) {
        return new Column(name, type);
    }

    static void define(
            Map<ObjectName, Definition> out,
            String schema,
            String name,
            Function<Source, List<List<@Nullable Object>>> rows,
            Column... columns) {
        define(out, schema, name, rows, Schema.of(columns));
    }

    static void define(
            Map<ObjectName, Definition> out,
            String schema,
            String name,
            Function<Source, List<List<@Nullable Object>>> rows,
            Schema columns) {
        out.put(new ObjectName(schema, name), new Definition(columns, rows));
    }

    static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }

    /** All schemas there are, in the order of names. */
    static List<String> schemas() {
        return List.of(INFORMATION_SCHEMA, ObjectName.PUBLIC, SYS);
    }

    /** A watermark at either end of time is no time to show: nothing has come yet, or all has. */
    static @Nullable Long watermark(Engine.JobStatus job) {
        return shown(job.watermarkMicros());
    }

    /** As {@link #watermark}, of any watermark. */
    static @Nullable Long shown(@Nullable Long micros) {
        return micros == null || micros == Long.MIN_VALUE || micros == Long.MAX_VALUE ? null : micros;
    }
}
