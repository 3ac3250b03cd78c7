package io.tailwater.storage.inspect;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.storage.ControlCodec;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.FrameInfo;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.common.error.StreamException;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.SegmentInspection;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Shows the partitions of a segment store. Owned by one thread. */
final class PartitionsReport {
    private static final Pattern SEGMENT = Pattern.compile("seg-(\\d{1,18})-(-?\\d{1,18})");

    private final Report report;
    private final Inspector.Options options;
    private final boolean logs;

    /** @param logs whether these are application logs */
    PartitionsReport(Report report, Inspector.Options options, boolean logs) {
        this.report = report;
        this.options = options;
        this.logs = logs;
    }

    /** A segment's directory, in the order of frames. */
    private record Named(String name, long base, long epoch) {}

    void store(Path root) {
        for (String owner : Report.list(root)) {
            if (!owner.startsWith(".")) {
                report.look(1, root.resolve(owner), () -> owner(root.resolve(owner)));
            }
        }
    }

    private void owner(Path path) {
        for (String writer : Report.list(path)) {
            for (String partition : Report.list(path.resolve(writer))) {
                Path directory = path.resolve(writer).resolve(partition);
                report.line(1, Report.decoded(path.getFileName() + "") + " " + writer + " " + partition);
                report.look(2, directory, () -> partition(directory));
            }
        }
    }

    private void partition(Path path) {
        List<Named> segments = new ArrayList<>();
        for (String name : Report.list(path)) {
            Matcher matcher = SEGMENT.matcher(name);
            if (matcher.matches()) {
                segments.add(new Named(name, Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))));
            } else if (name.startsWith("seg-")) {
                report.damaged(2, path.resolve(name) + ": not the name of a segment");
            }
        }
        segments.sort(Comparator.comparingLong(Named::base).thenComparingLong(Named::epoch));
        long[] end = {-1};
        for (int i = 0; i < segments.size(); i++) {
            Path segment = path.resolve(segments.get(i).name());
            boolean last = i == segments.size() - 1;
            report.look(2, segment, () -> end[0] = segment(segment, last, end[0]));
        }
    }

    /** Returns where the segment ends, -1 if that cannot be told; given where the one before it does. */
    private long segment(Path path, boolean last, long before) {
        Optional<SegmentInspection> opened = SegmentInspection.open(FileIo.DISK, path, last);
        if (opened.isEmpty()) {
            report.line(2, path.getFileName() + ": nothing yet");
            return before;
        }
        try (SegmentInspection segment = opened.get()) {
            PartitionLog.SegmentInfo info = segment.info();
            report.line(
                    2,
                    "%s: frames %d to %d, epoch %d, %d bytes, %s, begun %s, %s"
                            .formatted(
                                    path.getFileName(),
                                    info.base(),
                                    info.end(),
                                    segment.epoch(),
                                    info.bytes(),
                                    logs ? segment.frames() + " records" : segment.rows() + " rows",
                                    Report.time(info.begunMicros()),
                                    segment.sealed() ? "sealed " + Report.time(info.sealedMicros()) : "open"));
            if (before >= 0 && before != info.base()) {
                report.damaged(3, path + ": begins at frame " + info.base() + ", the one before ends at " + before);
            }
            if (options.frames()) {
                for (int i = 0; i < segment.frames(); i++) {
                    report.line(3, frame(segment.frame(i)));
                }
            }
            if (logs && options.log()) {
                segment.read((header, body, length) -> record(path, header, body, length));
            }
            segment.tail().ifPresent(tail -> report.line(3, "unfinished " + tail));
            segment.damage().ifPresent(damage -> report.damaged(3, damage));
            return segment.damage().isPresent() ? -1 : info.end();
        }
    }

    private static String frame(SegmentInspection.FrameAt at) {
        FrameInfo info = at.info();
        return "frame %d at %d: %d bytes, %d rows, event times %s to %s"
                .formatted(
                        info.frame(),
                        at.position(),
                        info.bodyLength(),
                        info.rows(),
                        eventTime(info.minTime()),
                        eventTime(info.maxTime()));
    }

    private static String eventTime(long micros) {
        return micros == FrameHeader.NO_TIME ? "none" : Report.time(micros);
    }

    private void record(Path segment, FrameHeader header, long body, int length) {
        byte[] bytes = new byte[length];
        Mem.copyToArray(body, bytes, 0, length);
        try {
            report.line(3, header.frame() + " " + RecordText.of(ControlCodec.read(bytes, header.schemaVersion())));
        } catch (StreamException e) {
            report.damaged(3, segment + ", record " + header.frame() + ": " + e.getMessage());
        }
    }
}
