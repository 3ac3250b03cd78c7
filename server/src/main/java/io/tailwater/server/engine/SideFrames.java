package io.tailwater.server.engine;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.catalog.SideStreams;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.runtime.SideSink;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One worker's share of what a job leaves out: rows that came too late go to {@code <stream>$late}, malformed records to {@code <stream>$errors}, as frames that the
 * tick's COMMIT names. A stream's storage is opened when the first row for it comes. Owned by the worker.
 */
final class SideFrames implements SideSink {
    /** Malformed records gathered on the heap before they are written. */
    private static final int MOST_GATHERED_BYTES = 1 << 20;

    private static final int MOST_GATHERED = 1024;

    private final String application;
    private final String job;
    private final int worker;
    private final int workers;
    private final List<PlanNode.Scan> scans;
    private final StreamStorage storage;
    private final JobServices services;
    private final MemoryAccount memory;
    private final SortedMap<ObjectName, StreamStorage.Writer> writers = new TreeMap<>();
    private final SortedMap<Integer, List<SplitReader.Malformed>> gathered = new TreeMap<>();
    private int gatheredRecords;
    private long gatheredBytes;
    private long clockMicros;
    private boolean muted;

    SideFrames(
            String job,
            int worker,
            int workers,
            List<PlanNode.Scan> scans,
            StreamStorage storage,
            JobServices services,
            MemoryAccount memory) {
        this.application = ApplicationEngine.APPLICATION;
        this.job = job;
        this.worker = worker;
        this.workers = workers;
        this.scans = scans;
        this.storage = storage;
        this.services = services;
        this.memory = memory;
    }

    @Override
    public void begin(Tick tick, boolean mute) {
        muted = mute;
        clockMicros = tick.clockMicros();
    }

    @Override
    public void late(int reader, ColumnBatch rows) {
        try (rows) {
            if (!muted && rows.rows() > 0) {
                PlanNode.Scan scan = scan(reader);
                CatalogObject.Stream late = SideStreams.late(QueryInputs.stream(services.catalog(), scan.object()));
                writer(late).write(lateRows(scan, late, rows));
            }
        }
    }

    /** The stream's columns, then application, job, arrival and by how much. */
    private ColumnBatch lateRows(PlanNode.Scan scan, CatalogObject.Stream late, ColumnBatch rows) {
        DataType[] types = BatchBuilder.types(late.schema());
        int own = types.length - 4;
        boolean[] shared = new boolean[types.length];
        Arrays.fill(shared, true);
        shared[own] = false;
        shared[own + 1] = false;
        try (BatchBuilder out = new BatchBuilder(types, rows.rows(), false, memory, shared)) {
            for (int column = 0; column < own; column++) {
                out.share(column, rows, place(scan, column));
            }
            for (int row = 0; row < rows.rows(); row++) {
                out.putString(own, row, application);
                out.putString(own + 1, row, job);
            }
            out.share(own + 2, rows, place(scan, PlanNode.Scan.ARRIVAL));
            out.share(own + 3, rows, rows.columns() - 1);
            return out.finish(rows.rows());
        }
    }

    private static int place(PlanNode.Scan scan, int column) {
        int at = scan.columns().indexOf(column);
        if (at < 0) {
            throw new AssertionError("a late filter above a scan of " + scan.object() + " without column " + column);
        }
        return at;
    }

    @Override
    public void malformed(int reader, SplitReader.Malformed record) {
        if (muted) {
            return;
        }
        gathered.computeIfAbsent(reader, r -> new ArrayList<>()).add(record);
        gatheredRecords++;
        gatheredBytes += record.raw().length;
        if (gatheredRecords >= MOST_GATHERED || gatheredBytes >= MOST_GATHERED_BYTES) {
            writeGathered();
        }
    }

    private void writeGathered() {
        gathered.forEach((reader, records) -> {
            CatalogObject.Stream errors = SideStreams.errors(
                    QueryInputs.stream(services.catalog(), scan(reader).object()));
            writer(errors).write(errorRows(errors, records));
        });
        gathered.clear();
        gatheredRecords = 0;
        gatheredBytes = 0;
    }

    private ColumnBatch errorRows(CatalogObject.Stream errors, List<SplitReader.Malformed> records) {
        try (BatchBuilder out = new BatchBuilder(errors.schema(), records.size(), false, memory)) {
            for (int row = 0; row < records.size(); row++) {
                SplitReader.Malformed record = records.get(row);
                out.putString(0, row, application);
                out.putString(1, row, job);
                out.putString(2, row, record.source());
                Mem.putLong(out.data(3) + 8L * row, record.position());
                out.putString(4, row, record.reason());
                out.putBytes(5, row, record.raw(), 0, record.raw().length);
                // Columns of milliseconds hold microseconds cut to them.
                Mem.putLong(out.data(6) + 8L * row, Math.floorDiv(clockMicros, 1000L) * 1000);
            }
            return out.finish(records.size());
        }
    }

    private PlanNode.Scan scan(int reader) {
        for (PlanNode.Scan scan : scans) {
            if (scan.reader() == reader) {
                return scan;
            }
        }
        throw new AssertionError("no reader " + reader);
    }

    private StreamStorage.Writer writer(CatalogObject.Stream stream) {
        return writers.computeIfAbsent(stream.name(), name -> {
            storage.open(StreamStorage.Layout.of(stream, services.catalog().incarnation(stream.name())));
            return storage.writer(name, List.of(), worker, workers);
        });
    }

    @Override
    public List<SinkOutcome.Side> onTickEnd(Tick tick, boolean mute) {
        if (gatheredRecords > 0) {
            writeGathered();
        }
        List<SinkOutcome.Side> out = new ArrayList<>();
        writers.forEach((name, writer) -> {
            List<SinkOutcome.Range> ranges = writer.endTick(tick.number());
            if (!ranges.isEmpty()) {
                out.add(new SinkOutcome.Side(name, ranges));
            }
        });
        return out;
    }

    @Override
    public void close() {
        writers.values().forEach(StreamStorage.Writer::close);
    }
}
