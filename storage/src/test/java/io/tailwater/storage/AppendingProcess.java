package io.tailwater.storage;

import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.FileSegmentStore;
import io.tailwater.storage.file.SegmentFormat;
import io.tailwater.storage.log.GroupCommit;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Appends to a data directory, its segments of a given format, until it is killed, and says what was acknowledged: {@code partition frame} a line, {@code log position}, {@code key n}. */
final class AppendingProcess {
    private AppendingProcess() {}

    public static void main(String[] args) throws InterruptedException {
        DataDirectory data = DataDirectory.open(
                FileIo.DISK,
                Path.of(args[0]),
                Clock.SYSTEM,
                new FileSegmentStore.Options(500_000, 1000, 0).with(SegmentFormat.valueOf(args[1])));
        System.out.println("open " + data.lastEnd());
        if (args.length > 2) {
            Thread.currentThread().join();
        }
        GroupCommit group = new GroupCommit();
        for (int p = 0; p < 2; p++) {
            PartitionLog log = data.streams().open(new PartitionName("orders", 0, p));
            int partition = p;
            Thread thread = new Thread(() -> {
                while (true) {
                    byte[] body = (partition + "/" + log.end() + "x".repeat((int) (log.end() * 37 % 900)))
                            .getBytes(StandardCharsets.UTF_8);
                    long frame = group.append(log, FrameHeader.data(1, 1, 1, 0, 0), ByteBuffer.wrap(body))
                            .join();
                    say(partition + " " + frame);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        ApplicationLog log = data.applicationLog("default");
        for (long n = 0; ; n++) {
            say("log " + log.append(new ControlRecord.Commit(1, log.end(), List.of(), List.of())));
            if (n % 16 == 0) {
                data.metadata().put("/n", Long.toString(log.end()));
                say("key " + log.end());
            }
        }
    }

    private static void say(String line) {
        PrintStream out = System.out;
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }
}
