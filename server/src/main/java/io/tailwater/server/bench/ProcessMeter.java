package io.tailwater.server.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.tailwater.common.time.Clock;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Measures what this process used between two moments: time, processor time of all threads (JIT and GC too), heap allocated, peak memory. */
final class ProcessMeter {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path CLEAR_REFS = Path.of("/proc/self/clear_refs");

    private final Clock clock;
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Map<Long, Long> allocatedBefore = new HashMap<>();
    private long startNanos;
    private long startCpuNanos;

    ProcessMeter(Clock clock) {
        this.clock = clock;
    }

    /**
     * What was used.
     *
     * @param allocatedBytes on the heap, by threads that still live
     * @param peakBytes largest resident memory, or -1 where the system does not tell
     */
    record Usage(long wallNanos, long cpuNanos, long allocatedBytes, long peakBytes) {}

    void start() {
        resetPeak();
        forgetAllocations();
        startCpuNanos = system.getProcessCpuTime();
        startNanos = clock.nanoTime();
    }

    /** Counts the heap that is allocated from here on only. */
    void forgetAllocations() {
        allocatedBefore.clear();
        long[] ids = threads.getAllThreadIds();
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        for (int i = 0; i < ids.length; i++) {
            allocatedBefore.put(ids[i], bytes[i]);
        }
    }

    Usage stop() {
        long wall = clock.nanoTime() - startNanos;
        long cpu = system.getProcessCpuTime() - startCpuNanos;
        long[] ids = threads.getAllThreadIds();
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        long allocated = 0;
        for (int i = 0; i < ids.length; i++) {
            allocated += Math.max(0, bytes[i] - allocatedBefore.getOrDefault(ids[i], 0L));
        }
        return new Usage(wall, cpu, allocated, peak());
    }

    /** Linux forgets the peak so far when asked; elsewhere the peak stays that of the whole process. */
    private static void resetPeak() {
        if (Files.isWritable(CLEAR_REFS)) {
            try {
                Files.writeString(CLEAR_REFS, "5");
            } catch (IOException e) {
                throw new java.io.UncheckedIOException("cannot reset the peak of the memory used", e);
            }
        }
    }

    private static long peak() {
        if (!Files.isReadable(STATUS)) {
            return -1;
        }
        try {
            for (String line : Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
                }
            }
            return -1;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("cannot read " + STATUS, e);
        }
    }
}
