package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.Delivery;
import io.tailwater.common.type.DataType;
import io.tailwater.server.catalog.ConnectorRegistry;
import io.tailwater.server.engine.Engine;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Rows of DESCRIBE JOB: what a job does, and what it waits for. */
final class JobDescription {
    /** Splits whose positions are listed; a directory may have thousands. */
    private static final int POSITIONS = 8;

    private JobDescription() {}

    static List<List<@Nullable Object>> rows(Engine.JobStatus job, CatalogImage image, ConnectorRegistry connectors) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        out.add(row("name", job.name()));
        out.add(row("kind", job.kind()));
        out.add(row("state", state(job)));
        JobDefinition definition = image.jobs().get(job.name());
        CatalogObject view = image.objects().get(ObjectName.inPublic(job.name()));
        if (definition != null) {
            out.add(row("application", definition.application()));
            out.add(row("target", definition.target().toString()));
            out.add(row("reads", reads(definition.dependsOn(), definition.target())));
            out.add(row("statement", definition.sql()));
        } else if (view instanceof CatalogObject.MaterializedView materialized) {
            out.add(row("target", view.name().toString()));
            out.add(row("reads", reads(materialized.dependsOn(), view.name())));
            out.add(row("statement", materialized.query()));
        }
        out.add(row("delivery", delivery(definition, image, connectors)));
        out.add(row("rows in", Long.toString(job.rowsIn())));
        out.add(row("rows out", Long.toString(job.rowsOut())));
        out.add(row("skipped", Long.toString(job.skipped())));
        out.add(row("tick", Long.toString(job.tick())));
        Long watermark = SystemTables.watermark(job);
        out.add(row("watermark", watermark == null ? null : time(watermark)));
        out.add(row("error", job.error()));
        for (Engine.ReaderStatus reader : job.readers()) {
            out.add(row("reader " + reader.reader(), reader(reader)));
        }
        for (Engine.OperatorStatus operator : job.operators()) {
            out.add(row(
                    "operator " + operator.node(),
                    operator.operator() + ": " + operator.rowsIn() + " rows in, " + operator.rowsOut()
                            + " rows out, state " + operator.stateRows() + " rows, " + operator.stateBytes()
                            + " bytes"));
        }
        return out;
    }

    /** How often each row counts in the target, whatever dies when, and what that rests on: the weakest link. */
    private static String delivery(
            @Nullable JobDefinition definition, CatalogImage image, ConnectorRegistry connectors) {
        if (definition != null
                && image.objects().get(definition.target()) instanceof CatalogObject.Stream stream
                && stream.connector() != null) {
            return connectors.delivery(stream);
        }
        return Delivery.Guarantee.EXACTLY_ONCE + ": a COMMIT names the rows of each tick";
    }

    private static String state(Engine.JobStatus job) {
        String state = job.state().name();
        return switch (job.state()) {
            case RUNNING -> {
                String waits = job.readers().stream()
                        .flatMap(reader -> waits(reader).stream())
                        .collect(Collectors.joining(" and "));
                yield waits.isEmpty() ? state : state + ", waiting for " + waits;
            }
            case FINISHED -> state + ", " + job.rowsIn() + " rows in, " + job.rowsOut() + " rows out";
            case PAUSED, FAILED -> job.error() == null ? state : state + ": " + job.error();
        };
    }

    /** What of a reader holds rows back: at most one text. */
    private static List<String> waits(Engine.ReaderStatus reader) {
        Long needs = reader.needsMicros();
        return needs == null
                ? List.of()
                : List.of("the watermark of " + name(reader) + ": " + watermark(reader.watermarkMicros()) + ", needs "
                        + time(needs));
    }

    private static String reader(Engine.ReaderStatus reader) {
        StringBuilder out = new StringBuilder(name(reader));
        out.append(": watermark ").append(watermark(reader.watermarkMicros()));
        if (reader.idleSplits() > 0) {
            out.append(", idle ")
                    .append(reader.idleSplits())
                    .append(" of ")
                    .append(reader.positions().size())
                    .append(" splits");
        }
        if (reader.skipped() > 0) {
            out.append(", ").append(reader.skipped()).append(" skipped");
        }
        if (reader.late() > 0) {
            out.append(", ").append(reader.late()).append(" late");
        }
        List<Engine.SplitPosition> positions = reader.positions();
        if (!positions.isEmpty()) {
            out.append(", position ")
                    .append(positions.stream()
                            .limit(POSITIONS)
                            .map(at -> at.split() + " at " + at.position())
                            .collect(Collectors.joining(", ")));
        }
        if (positions.size() > POSITIONS) {
            out.append(" and ").append(positions.size() - POSITIONS).append(" more splits");
        }
        return out.toString();
    }

    /** As users write it: schema public goes without saying. */
    private static String name(Engine.ReaderStatus reader) {
        ObjectName name = reader.object();
        return name.equals(ObjectName.inPublic(name.name())) ? name.name() : name.toString();
    }

    private static String watermark(@Nullable Long micros) {
        if (micros == null) {
            return "none yet";
        }
        return micros == Long.MAX_VALUE ? "at the end" : time(micros);
    }

    private static String time(long micros) {
        return SqlText.value(micros, DataType.TIMESTAMP);
    }

    private static String reads(List<ObjectName> dependsOn, ObjectName target) {
        return dependsOn.stream()
                .filter(name -> !name.equals(target))
                .map(ObjectName::toString)
                .collect(Collectors.joining(", "));
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }
}
