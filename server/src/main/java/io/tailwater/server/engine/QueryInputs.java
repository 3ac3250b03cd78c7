package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.catalog.SideStreams;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.connector.StreamOptions;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.executor.runtime.PlanReaders;
import io.tailwater.server.control.EventTime;

import java.util.List;
import java.util.Map;

/** Opens what a job's or query's scans read: splits of stored streams and of connectors. Thread-safe. */
final class QueryInputs {
    private final StreamStorage streams;
    private final Map<String, Connector> connectors;
    private final Clock clock;

    QueryInputs(StreamStorage streams, Map<String, Connector> connectors, Clock clock) {
        this.streams = streams;
        this.connectors = connectors;
        this.clock = clock;
    }

    /** One scan for each reader of a plan, with all columns that are read of it. */
    static List<PlanNode.Scan> scans(PlanNode root) {
        return PlanReaders.of(root);
    }

    Connector connector(CatalogObject.Stream stream) {
        Connector connector = connectors.get(String.valueOf(stream.connector()));
        if (connector == null) {
            throw new StreamException(
                    ErrorCode.UNDEFINED_OBJECT, "connector \"" + stream.connector() + "\" is not installed");
        }
        return connector;
    }

    static CatalogObject.Stream stream(CatalogImage catalog, ObjectName name) {
        if (catalog.find(name).orElse(null) instanceof CatalogObject.Stream stream) {
            return stream;
        }
        throw new StreamException(ErrorCode.UNDEFINED_TABLE, "stream \"" + name + "\" does not exist");
    }

    /** Ids of the splits that a scan has; none for views and system tables. */
    List<String> splits(PlanNode.Scan scan, CatalogImage catalog, int parallelism) {
        return switch (scan.kind()) {
            case STREAM -> streams.splits(scan.object());
            case CONNECTOR -> {
                CatalogObject.Stream stream = stream(catalog, scan.object());
                yield connector(stream).splits(stream, parallelism);
            }
            case VIEW, TABLE, SYSTEM -> List.of();
        };
    }

    /** Makes sure that the storage of the streams beside streams that a plan reads is there: nobody creates them. */
    void openSides(PlanNode plan, CatalogImage catalog) {
        for (PlanNode.Scan scan : scans(plan)) {
            if (scan.kind() == PlanNode.ScanKind.STREAM && SideStreams.isSideStream(scan.object())) {
                streams.open(
                        StreamStorage.Layout.of(stream(catalog, scan.object()), catalog.incarnation(scan.object())));
            }
        }
    }

    /** Splits of a scan that have come since, for a stream whose connector says that there may be some. */
    List<String> newSplits(PlanNode.Scan scan, List<String> known, CatalogImage catalog) {
        if (scan.kind() != PlanNode.ScanKind.CONNECTOR) {
            return List.of();
        }
        CatalogObject.Stream stream = stream(catalog, scan.object());
        Connector connector = connector(stream);
        return connector.growing(stream) ? connector.newSplits(stream, known) : List.of();
    }

    /** Where the splits of a stored stream end now; empty for other scans. */
    List<Long> visibleEnds(PlanNode.Scan scan) {
        return scan.kind() == PlanNode.ScanKind.STREAM ? streams.visibleEnds(scan.object()) : List.of();
    }

    /** @param number of the split within its reader */
    SplitReader open(PlanNode.Scan scan, String split, int number, CatalogImage catalog, MemoryAccount memory) {
        if (scan.kind() == PlanNode.ScanKind.STREAM) {
            return streams.read(scan.object(), split, number, scan.columns(), memory);
        }
        CatalogObject.Stream stream = stream(catalog, scan.object());
        CatalogObject.Watermark watermark = stream.watermark();
        return connector(stream)
                .open(
                        stream,
                        split,
                        new Connector.ReadContext(
                                scan.columns(),
                                watermark == null ? -1 : watermark.column(),
                                Connector.ReadContext.arrivalBase(number),
                                memory,
                                clock));
    }

    /** How event time of a scan advances. */
    static EventTime time(PlanNode.Scan scan, CatalogImage catalog) {
        if (catalog.objects().get(scan.object()) instanceof CatalogObject.Stream stream) {
            CatalogObject.Watermark watermark = stream.watermark();
            if (watermark != null) {
                return new EventTime(watermark.delayMicros(), StreamOptions.idleMicros(stream));
            }
        }
        return EventTime.NONE;
    }

    static void closeAll(List<ColumnBatch> batches) {
        batches.forEach(ColumnBatch::close);
    }
}
