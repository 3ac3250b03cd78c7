package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.type.DataType;
import io.tailwater.server.engine.Engine;
import io.tailwater.server.sql.SystemTables.Definition;
import io.tailwater.server.sql.SystemTables.Source;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tables of {@code sys}: what the engine does. */
final class SysTables {
    private static final DataType TEXT = DataType.VARCHAR.notNull();
    private static final DataType MAYBE_TEXT = DataType.VARCHAR;
    private static final DataType LONG = DataType.BIGINT.notNull();
    private static final DataType INT = DataType.INTEGER.notNull();
    private static final DataType BOOL = DataType.BOOLEAN.notNull();

    private SysTables() {}

    static void define(Map<ObjectName, Definition> out) {
        SystemTables.define(
                out,
                SystemTables.SYS,
                "jobs",
                SysTables::jobs,
                SystemTables.column("job_name", TEXT),
                SystemTables.column("application", TEXT),
                SystemTables.column("kind", TEXT),
                SystemTables.column("state", TEXT),
                SystemTables.column("target", MAYBE_TEXT),
                SystemTables.column("rows_in", LONG),
                SystemTables.column("rows_out", LONG),
                SystemTables.column("skipped", LONG),
                SystemTables.column("tick", LONG),
                SystemTables.column("watermark", DataType.TIMESTAMP),
                SystemTables.column("error", MAYBE_TEXT),
                SystemTables.column("statement", MAYBE_TEXT));
        SystemTables.define(
                out,
                SystemTables.SYS,
                "streams",
                SysTables::streams,
                SystemTables.column("stream_schema", TEXT),
                SystemTables.column("stream_name", TEXT),
                SystemTables.column("kind", TEXT),
                SystemTables.column("connector", MAYBE_TEXT),
                SystemTables.column("partitions", INT),
                SystemTables.column("frames", DataType.BIGINT),
                SystemTables.column("row_count", DataType.BIGINT),
                SystemTables.column("bytes", DataType.BIGINT));
        SystemTables.define(
                out,
                SystemTables.SYS,
                "operators",
                SysTables::operators,
                SystemTables.column("job_name", TEXT),
                SystemTables.column("node", INT),
                SystemTables.column("operator", TEXT),
                SystemTables.column("rows_in", LONG),
                SystemTables.column("rows_out", LONG),
                SystemTables.column("state_rows", LONG),
                SystemTables.column("state_bytes", LONG));
        SystemTables.define(
                out,
                SystemTables.SYS,
                "watermarks",
                SysTables::watermarks,
                SystemTables.column("job_name", TEXT),
                SystemTables.column("stream_schema", TEXT),
                SystemTables.column("stream_name", TEXT),
                SystemTables.column("tick", LONG),
                SystemTables.column("watermark", DataType.TIMESTAMP),
                SystemTables.column("needs", DataType.TIMESTAMP),
                SystemTables.column("ended", BOOL),
                SystemTables.column("idle", BOOL),
                SystemTables.column("idle_splits", INT),
                SystemTables.column("splits", INT));
        SystemTables.define(
                out,
                SystemTables.SYS,
                "errors",
                SysTables::errors,
                SystemTables.column("job_name", TEXT),
                SystemTables.column("stream_schema", MAYBE_TEXT),
                SystemTables.column("stream_name", MAYBE_TEXT),
                SystemTables.column("error", MAYBE_TEXT),
                SystemTables.column("skipped", LONG),
                SystemTables.column("late", LONG));
        SystemTables.define(
                out,
                SystemTables.SYS,
                "settings",
                SysTables::settingRows,
                SystemTables.column("name", TEXT),
                SystemTables.column("value", TEXT),
                SystemTables.column("default_value", TEXT),
                SystemTables.column("scope", TEXT),
                SystemTables.column("description", TEXT));
        SystemTables.define(
                out,
                SystemTables.SYS,
                "nodes",
                SysTables::nodeRows,
                SystemTables.column("node_id", TEXT),
                SystemTables.column("role", TEXT),
                SystemTables.column("is_primary", BOOL),
                SystemTables.column("zone", MAYBE_TEXT),
                SystemTables.column("address", TEXT),
                SystemTables.column("pid", LONG),
                SystemTables.column("state", TEXT));
        SystemTables.define(
                out,
                SystemTables.SYS,
                "snapshots",
                source -> RecoveryStatements.snapshots(source.engine(), null),
                RecoveryStatements.SNAPSHOTS);
        SystemTables.define(
                out,
                SystemTables.SYS,
                "recovery_points",
                source -> RecoveryStatements.points(source.engine(), null),
                RecoveryStatements.POINTS);
    }

    private static List<List<@Nullable Object>> jobs(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Engine.JobStatus job : source.engine().jobs()) {
            JobDefinition definition = source.image().jobs().get(job.name());
            CatalogObject view = source.image().objects().get(ObjectName.inPublic(job.name()));
            String target = definition != null
                    ? definition.target().toString()
                    : view != null ? view.name().toString() : null;
            String statement = definition != null
                    ? definition.sql()
                    : view instanceof CatalogObject.MaterializedView materialized ? materialized.query() : null;
            out.add(SystemTables.row(
                    job.name(),
                    definition == null ? "default" : definition.application(),
                    job.kind(),
                    job.state().name(),
                    target,
                    job.rowsIn(),
                    job.rowsOut(),
                    job.skipped(),
                    job.tick(),
                    SystemTables.watermark(job),
                    job.error(),
                    statement));
        }
        return out;
    }

    private static List<List<@Nullable Object>> streams(Source source) {
        Map<ObjectName, Engine.StreamStatus> status = new java.util.TreeMap<>();
        source.engine().streams().forEach(stream -> status.put(stream.name(), stream));
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (CatalogObject object : source.image().objects().values()) {
            if (object instanceof CatalogObject.Stream stream) {
                Engine.StreamStatus stored = status.get(stream.name());
                out.add(SystemTables.row(
                        stream.name().schema(),
                        stream.name().name(),
                        stream.connector() == null ? "stored" : "connector",
                        stream.connector(),
                        (long) stream.partitions(),
                        stored == null ? null : stored.frames(),
                        stored == null ? null : stored.rows(),
                        stored == null ? null : stored.bytes()));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> operators(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Engine.JobStatus job : source.engine().jobs()) {
            for (Engine.OperatorStatus operator : job.operators()) {
                out.add(SystemTables.row(
                        job.name(),
                        (long) operator.node(),
                        operator.operator(),
                        operator.rowsIn(),
                        operator.rowsOut(),
                        operator.stateRows(),
                        operator.stateBytes()));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> watermarks(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Engine.JobStatus job : source.engine().jobs()) {
            for (Engine.ReaderStatus reader : job.readers()) {
                Long watermark = reader.watermarkMicros();
                out.add(SystemTables.row(
                        job.name(),
                        reader.object().schema(),
                        reader.object().name(),
                        job.tick(),
                        SystemTables.shown(watermark),
                        SystemTables.shown(reader.needsMicros()),
                        watermark != null && watermark == Long.MAX_VALUE,
                        reader.idleSplits() > 0,
                        (long) reader.idleSplits(),
                        (long) reader.positions().size()));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> errors(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Engine.JobStatus job : source.engine().jobs()) {
            if (job.error() != null) {
                out.add(SystemTables.row(job.name(), null, null, job.error(), 0L, 0L));
            }
            for (Engine.ReaderStatus reader : job.readers()) {
                if (reader.skipped() > 0 || reader.late() > 0) {
                    out.add(SystemTables.row(
                            job.name(),
                            reader.object().schema(),
                            reader.object().name(),
                            null,
                            reader.skipped(),
                            reader.late()));
                }
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> settingRows(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (SystemTables.Setting setting : source.settings()) {
            out.add(SystemTables.row(
                    setting.name(), setting.value(), setting.defaultValue(), setting.scope(), setting.description()));
        }
        return out;
    }

    private static List<List<@Nullable Object>> nodeRows(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (SystemTables.Node node : source.nodes()) {
            out.add(SystemTables.row(
                    node.nodeId(), node.role(), node.primary(), node.zone(), node.address(), node.pid(), node.state()));
        }
        return out;
    }
}
