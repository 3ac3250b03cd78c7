package io.tailwater.storage.inspect;

import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.FrameHeader;

import java.util.List;
import java.util.stream.Collectors;

/** A record of an application log as one line. Stateless. */
final class RecordText {
    private RecordText() {}

    static String of(ControlRecord record) {
        return text(record).replace("\n", "\\n");
    }

    private static String text(ControlRecord record) {
        if (record instanceof ControlRecord.Owner owner) {
            return "OWNER epoch %d, clock %s".formatted(owner.epoch(), Report.time(owner.clockMicros()));
        } else if (record instanceof ControlRecord.Plan plan) {
            return "PLAN epoch %d, version %d from tick %d on: %s"
                    .formatted(plan.epoch(), plan.version(), plan.tick(), plan.plan());
        } else if (record instanceof ControlRecord.Bind bind) {
            return "BIND epoch %d, tick %d, plan %d, clock %s%s"
                    .formatted(
                            bind.epoch(),
                            bind.tick(),
                            bind.planVersion(),
                            Report.time(bind.clockMicros()),
                            joined(bind.readers().stream()
                                    .map(RecordText::reader)
                                    .toList()));
        } else if (record instanceof ControlRecord.Commit commit) {
            return "COMMIT epoch %d, tick %d%s%s"
                    .formatted(
                            commit.epoch(),
                            commit.tick(),
                            joined(commit.outputs().stream()
                                    .map(RecordText::output)
                                    .toList()),
                            joined(commit.sinks().stream()
                                    .map(s -> s.job() + " to " + s.target() + " at " + s.positions())
                                    .toList()));
        } else if (record instanceof ControlRecord.Fail fail) {
            return "FAIL epoch %d, tick %d, job %s: %s %s"
                    .formatted(fail.epoch(), fail.tick(), fail.job(), fail.sqlState(), fail.message());
        }
        throw new AssertionError(record);
    }

    private static String joined(List<String> parts) {
        return parts.stream().map(p -> "; " + p).collect(Collectors.joining());
    }

    private static String reader(ControlRecord.ReaderBind reader) {
        String ranges = reader.ranges().stream()
                .map(r -> r.split() + " " + r.from() + " to " + r.to() + " (" + r.rows() + " rows)")
                .collect(Collectors.joining(", "));
        return "%s#%d %s, watermark %s%s"
                .formatted(
                        reader.job(),
                        reader.reader(),
                        ranges.isEmpty() ? "nothing" : ranges,
                        reader.watermark() == FrameHeader.NO_TIME ? "none" : Report.time(reader.watermark()),
                        reader.idle() ? ", idle" : "");
    }

    private static String output(ControlRecord.OutputCommit output) {
        return output.job() + " to " + output.stream() + " w" + output.writer() + " "
                + output.ranges().stream()
                        .map(r -> "p" + r.partition() + " " + r.from() + " to " + r.to())
                        .collect(Collectors.joining(", "));
    }
}
