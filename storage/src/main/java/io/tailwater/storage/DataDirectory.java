package io.tailwater.storage;

import io.tailwater.api.snapshot.SnapshotStore;
import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.FileSegmentStore;
import io.tailwater.storage.file.IoErrors;
import io.tailwater.storage.log.SegmentApplicationLog;
import io.tailwater.storage.metadata.EmbeddedMetadataStore;
import io.tailwater.storage.snapshot.FileSnapshotStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a server keeps everything. Belongs to one process at a time.
 *
 * <pre>
 * format          tailwater-data 2
 * lock            who has it
 * boot            boot id of the machine, and whether the last server ended cleanly
 * metadata/       the embedded metadata store
 * streams/        partition logs of streams and tables
 * applications/   one application log each
 * snapshots/      state files and manifests of each application, unless they are kept on another file system; made with the first
 * tmp/            emptied at start
 * </pre>
 *
 * Thread-safe.
 */
public final class DataDirectory implements AutoCloseable {
    private static final String FORMAT = "tailwater-data 2";
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** How the directory was left. */
    public enum LastEnd {
        /** Made just now. */
        NEW,
        CLEAN,
        /** The process was killed: all it wrote is there. */
        CRASH,
        /** The machine went down with it: only what was synced is sure to be there. */
        POWER_LOSS
    }

    private final FileIo io;
    private final Path path;
    private final Clock clock;
    private final DirectoryLock lock;
    private final LastEnd lastEnd;
    private final String bootId;
    private final FileSegmentStore streams;
    private final FileSegmentStore applications;
    private final EmbeddedMetadataStore metadata;
    private final long maxReserve;
    private final SnapshotStore snapshots;

    private DataDirectory(FileIo io, Path path, Clock clock, FileSegmentStore.Options options, DirectoryLock lock)
            throws IOException {
        this.io = io;
        this.path = path;
        this.clock = clock;
        this.lock = lock;
        this.bootId = Files.exists(BOOT_ID) ? Files.readString(BOOT_ID).strip() : "unknown";
        if (isNew(io, path)) {
            replace("format", FORMAT);
        }
        this.lastEnd = readLastEnd();
        mark("running");
        io.delete(path.resolve("tmp"));
        io.createDirectories(path.resolve("tmp"));
        this.streams = new FileSegmentStore(io, path.resolve("streams"), options);
        this.applications = new FileSegmentStore(io, path.resolve("applications"), options.forLogs());
        this.maxReserve = options.maxReserve();
        this.snapshots = snapshots(path.resolve("snapshots"));
        // Last, because it is the only one that holds a file from the start.
        this.metadata = new EmbeddedMetadataStore(io, path.resolve("metadata"), clock, options.maxReserve());
    }

    public static DataDirectory open(Path path, Clock clock) {
        return open(FileIo.DISK, path, clock, FileSegmentStore.Options.DEFAULT);
    }

    public static DataDirectory open(Path path, Clock clock, FileSegmentStore.Options options) {
        return open(FileIo.DISK, path, clock, options.with(clock));
    }

    /**
     * Opens a data directory, making it if it is not there. Writes nothing to one that it refuses.
     *
     * @throws StreamException 55006 if another server has it, 55000 if it has another format, XX001 if what it holds is damaged
     */
    public static DataDirectory open(FileIo io, Path path, Clock clock, FileSegmentStore.Options options) {
        try {
            if (!Files.isDirectory(path)) {
                FileIo.createDurably(io, path);
            }
            // First only looking: not even a lock is written to a directory that is not ours.
            isNew(io, path);
            DirectoryLock lock = DirectoryLock.acquire(path);
            try {
                return new DataDirectory(io, path, clock, options, lock);
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw IoErrors.of("cannot open data directory " + path, e);
        }
    }

    /** Whether nobody has used the directory yet; 55000 if it is not ours. */
    private static boolean isNew(FileIo io, Path path) throws IOException {
        Path file = path.resolve("format");
        if (Files.exists(file)) {
            String found = Files.readString(file).strip();
            if (!found.equals(FORMAT)) {
                throw new StreamException(
                        ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "data directory " + path + " has format \"" + found + "\", this release reads \"" + FORMAT
                                + "\"",
                        -1,
                        "Use the release that wrote it, or another data directory.",
                        null);
            }
            return false;
        }
        // A server that is about to make this directory its own has a lock here; a launcher may have put its log here.
        if (io.list(path).stream().anyMatch(n -> !n.equals("lock") && !n.equals("format.new") && !n.equals("log"))) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "directory " + path + " is not empty and not a data directory",
                    -1,
                    "Name an empty directory, or one that a server has used before.",
                    null);
        }
        return true;
    }

    private LastEnd readLastEnd() throws IOException {
        Path file = path.resolve("boot");
        if (!Files.exists(file)) {
            return LastEnd.NEW;
        }
        String[] parts = Files.readString(file).strip().split(" ", -1);
        if (parts.length == 2 && parts[1].equals("clean")) {
            return LastEnd.CLEAN;
        }
        // Where the machine does not say, the worse is assumed.
        return parts[0].equals(bootId) && !bootId.equals("unknown") ? LastEnd.CRASH : LastEnd.POWER_LOSS;
    }

    private void mark(String state) throws IOException {
        replace("boot", bootId + " " + state);
    }

    private void replace(String name, String text) throws IOException {
        Path fresh = path.resolve(name + ".new");
        io.delete(fresh);
        try (FileIo.OpenFile out = io.open(fresh)) {
            out.write(new ByteBuffer[] {ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.UTF_8))}, 0);
            out.sync();
        }
        io.rename(fresh, path.resolve(name));
        io.syncDirectory(path);
    }

    public Path path() {
        return path;
    }

    public LastEnd lastEnd() {
        return lastEnd;
    }

    public EmbeddedMetadataStore metadata() {
        return metadata;
    }

    /** Partition logs of streams and tables. */
    public FileSegmentStore streams() {
        return streams;
    }

    /** The log of an application, empty if it is new. */
    public ApplicationLog applicationLog(String application) {
        return SegmentApplicationLog.open(applications, application);
    }

    /** Snapshots of all applications. */
    public SnapshotStore snapshots() {
        return snapshots;
    }

    /** Snapshots that are kept elsewhere: on a file system that other servers share. */
    public SnapshotStore snapshots(Path elsewhere) {
        return new FileSnapshotStore(io, elsewhere, clock, maxReserve);
    }

    /** For files that need not outlive the process. */
    public Path temporary() {
        return path.resolve("tmp");
    }

    public Clock clock() {
        return clock;
    }

    /** Makes everything durable and leaves the directory. */
    @Override
    public void close() {
        try (lock;
                metadata) {
            streams.close();
            applications.close();
            mark("clean");
        } catch (IOException e) {
            throw IoErrors.of("cannot leave data directory " + path + " cleanly", e);
        }
    }
}
