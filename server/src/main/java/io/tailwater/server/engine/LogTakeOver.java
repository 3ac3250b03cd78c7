package io.tailwater.server.engine;

import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.control.LogRecords;
import io.tailwater.server.control.Manifest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The application log as a restart finds it, read once. Owned by who opens the engine; not thread-safe. */
final class LogTakeOver {
    private static final Logger LOG = LoggerFactory.getLogger(LogTakeOver.class);

    private final ApplicationLog log;
    private final @Nullable Manifest base;
    private final long from;
    private final List<ControlRecord> records = new ArrayList<>();

    /**
     * Reads the log.
     *
     * @param base snapshot to go on from, or null
     */
    LogTakeOver(ApplicationLog log, @Nullable Manifest base) {
        this.log = log;
        this.base = base;
        from = base == null ? 0 : base.logPosition();
        if (isThere()) {
            log.read(from, (position, record) -> records.add(record));
        }
    }

    private boolean isThere() {
        return from >= log.start() && from <= log.end();
    }

    /** What the snapshot does not cover; nothing if the log does not go back so far, which {@link #show} will say. */
    List<ControlRecord> records() {
        return records;
    }

    /**
     * Makes visible what snapshot and COMMITs name. Outputs are not synced tick by tick, so after a loss of power a COMMIT may name frames that did not survive: the log
     * is cut there, and what followed is derived anew from the input, which was synced. Returns the records that are left.
     *
     * @throws StreamException XX001 if the log does not go back to the snapshot
     */
    List<ControlRecord> show(FrameStorage streams) {
        if (!isThere()) {
            throw new StreamException(
                    ErrorCode.DATA_CORRUPTED,
                    "the application log has records %d to %d, but %s goes on from record %d"
                            .formatted(
                                    log.start(),
                                    log.end(),
                                    base == null
                                            ? "a start without a snapshot"
                                            : "the snapshot after tick " + base.tick(),
                                    from),
                    -1,
                    "Part of the data directory is lost. Nothing was changed; restore it from a backup.",
                    null);
        }
        Map<String, Integer> lastDrop = lastDrops(streams);
        if (base != null) {
            base.outputs().forEach((stream, ranges) -> {
                if (!lastDrop.containsKey(stream)) {
                    streams.commit(stream, ranges);
                }
            });
        }
        for (int i = 0; i < records.size(); i++) {
            if (records.get(i) instanceof ControlRecord.Commit commit) {
                int at = i;
                List<ControlRecord.OutputCommit> outputs = commit.outputs().stream()
                        .filter(output -> lastDrop.getOrDefault(output.stream(), -1) < at)
                        .toList();
                if (!streams.hasAll(outputs)) {
                    LOG.warn(
                            "the application log names output that was lost with the power; ticks from record {} on are derived anew",
                            from + i);
                    return cut(i);
                }
                outputs.forEach(output -> streams.commit(output.stream(), output.ranges()));
            }
        }
        return records;
    }

    /** Per stream, the last record that drops it. */
    private Map<String, Integer> lastDrops(FrameStorage streams) {
        Map<String, Integer> out = new HashMap<>();
        for (int i = 0; i < records.size(); i++) {
            if (records.get(i) instanceof ControlRecord.Plan plan) {
                String dropped = LogRecords.droppedStream(plan);
                if (dropped != null) {
                    out.put(dropped, i);
                }
            }
        }
        // A crash came between their end in the catalog and in the log. Nothing was written to what bears their name
        // now.
        streams.unopened().forEach(owner -> out.put(FrameStorage.textOf(owner), records.size()));
        return out;
    }

    /** Cuts the log, but keeps what it says of jobs that ended and streams that were dropped: those are gone all the same. */
    private List<ControlRecord> cut(int length) {
        List<ControlRecord> kept = new ArrayList<>(records.subList(0, length));
        log.truncate(from + length);
        for (ControlRecord record : records.subList(length, records.size())) {
            if (record instanceof ControlRecord.Plan plan && LogRecords.ends(plan)) {
                log.append(record);
                kept.add(record);
            }
        }
        log.sync();
        return kept;
    }
}
