package io.tailwater.storage.snapshot;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.ipc.MessageBuffer;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.SnapshotStore;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.file.DirectoryNames;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.IoErrors;
import io.tailwater.storage.file.SpaceGuard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * Snapshots under {@code <root>/<application>/}: state files and manifests, named by {@link SnapshotName}. A file is made under a name that nobody has, written once
 * from front to back, synced, closed, and its name synced, before anybody hears of it. Makes nothing before the first write. Thread-safe.
 */
public final class FileSnapshotStore implements SnapshotStore {
    private static final Logger LOG = LoggerFactory.getLogger(FileSnapshotStore.class);

    /** More names in use than anyone could draw by chance. */
    private static final int TRIES = 8;

    private static final int FIRST_BYTES = 1 << 16;
    private static final int VERIFY_BYTES = 1 << 20;
    /** Buffers kept for reuse, and the size up to which one is. */
    private static final int KEPT = 2;

    private static final int KEPT_BYTES = 16 << 20;
    /** Values of a batch. Readers hold one batch at a time. */
    private static final int MESSAGE_BYTES = 64 << 20;

    private final FileIo io;
    private final Path root;
    private final SpaceGuard space;
    private final LongSupplier random;
    private final int messageBytes;
    private final MemoryAccount memory = MemoryAccount.unlimited("snapshots");
    private final Set<String> durable = ConcurrentHashMap.newKeySet();
    private final ArrayDeque<MessageBuffer> idle = new ArrayDeque<>();

    /** @param maxReserve of the volume, see {@link SpaceGuard} */
    public FileSnapshotStore(FileIo io, Path root, Clock clock, long maxReserve) {
        this(io, root, clock, maxReserve, new SecureRandom()::nextLong, MESSAGE_BYTES);
    }

    FileSnapshotStore(FileIo io, Path root, Clock clock, long maxReserve, LongSupplier random, int messageBytes) {
        this.io = io;
        this.root = root;
        this.space = new SpaceGuard(io, root, maxReserve, SpaceGuard.Share.OUTPUT, clock);
        this.random = random;
        this.messageBytes = messageBytes;
    }

    /** What fills a file that was made for it. */
    private interface Content<T> {
        T write(FileIo.OpenFile file) throws IOException;
    }

    /** A durable file, and what its content said of itself. */
    private record Made<T>(String name, T content) {}

    @Override
    public SnapshotFile write(String application, long epoch, long tick, VnodeRange full, List<StateRows> state) {
        MessageBuffer buffer = take();
        try {
            Map<String, String> metadata = Map.of(
                    StateFile.FORMAT, Integer.toString(StateFile.VERSION),
                    StateFile.APPLICATION, application,
                    StateFile.EPOCH, Long.toString(epoch),
                    StateFile.TICK, Long.toString(tick),
                    StateFile.FULL, full.from() + "-" + full.to());
            Made<StateFileWriter> made = make(application, epoch, tick, SnapshotName.STATE, file -> {
                StateFileWriter out = new StateFileWriter(file, buffer, space, memory, messageBytes, metadata);
                for (StateRows part : state) {
                    out.add(part);
                }
                out.finish();
                return out;
            });
            StateFileWriter out = made.content();
            return new SnapshotFile(made.name(), out.bytes(), out.crc(), out.rows(), tick, full);
        } finally {
            give(buffer);
        }
    }

    @Override
    public String writeManifest(String application, long epoch, long tick, String json) {
        byte[] text = Manifests.write(json);
        return make(application, epoch, tick, SnapshotName.MANIFEST, file -> {
                    space.admit(text.length);
                    file.write(new ByteBuffer[] {ByteBuffer.wrap(text)}, 0);
                    file.sync();
                    return text;
                })
                .name();
    }

    /** Makes a durable file and returns its name, or leaves nothing behind that anybody knows of. */
    private <T> Made<T> make(String application, long epoch, long tick, String kind, Content<T> content) {
        String encoded = DirectoryNames.encode(application);
        Path directory = root.resolve(encoded);
        Path path = directory;
        makeDurable(encoded);
        try {
            FileIo.OpenFile file = null;
            for (int i = 1; file == null; i++) {
                path = directory.resolve(new SnapshotName(epoch, tick, random.getAsLong(), kind).toString());
                try {
                    file = io.create(path);
                } catch (FileAlreadyExistsException e) {
                    if (i == TRIES) {
                        throw new IOException("each of " + TRIES + " names was in use", e);
                    }
                }
            }
            return new Made<>(encoded + "/" + path.getFileName(), fill(file, path, content));
        } catch (NoSuchFileException e) {
            // Somebody has removed the directory: the next attempt makes it again.
            durable.remove(encoded);
            throw IoErrors.of("cannot write " + path, e);
        } catch (IOException e) {
            throw space.failure("cannot write " + path, e);
        }
    }

    private <T> T fill(FileIo.OpenFile file, Path path, Content<T> content) throws IOException {
        boolean done = false;
        try {
            T out;
            // A network file system may only say at the end that it could not write.
            try (file) {
                out = content.write(file);
            }
            io.syncDirectory(Objects.requireNonNull(path.getParent()));
            done = true;
            return out;
        } finally {
            if (!done) {
                discard(path);
            }
        }
    }

    /** The name is ours and nobody else has heard of it. */
    private void discard(Path path) {
        try {
            io.delete(path);
        } catch (IOException e) {
            LOG.warn("{}: part of a snapshot that could not be written is left: {}", path, e.toString());
        }
    }

    /** Once per process and application, even if the directory is there: who made it may have died before it was durable. */
    private void makeDurable(String encoded) {
        if (durable.contains(encoded)) {
            return;
        }
        Path directory = root.resolve(encoded);
        try {
            FileIo.createDurably(io, root);
            io.createDirectories(directory);
            io.syncDirectory(root);
        } catch (IOException e) {
            throw IoErrors.of("cannot make " + directory, e);
        }
        durable.add(encoded);
    }

    private Path path(String name) {
        return root.resolve(SnapshotName.checked(name));
    }

    @Override
    public void verify(SnapshotFile file) {
        Path path = path(file.name());
        try (FileIo.OpenFile in = io.openToRead(path)) {
            checkLength(path, in.size(), file);
            CRC32C crc = new CRC32C();
            ByteBuffer piece = ByteBuffer.allocateDirect((int) Math.min(VERIFY_BYTES, file.bytes()));
            for (long at = 0; at < file.bytes(); at += piece.limit()) {
                piece.clear();
                if (in.read(piece, at) == 0) {
                    throw IoErrors.corrupt(path, at, "the file ends, " + file.bytes() + " bytes were written");
                }
                crc.update(piece.flip());
            }
            checkCrc(path, crc.getValue(), file);
        } catch (NoSuchFileException e) {
            throw IoErrors.corrupt(path, 0, "the file is missing");
        } catch (IOException e) {
            throw IoErrors.of("cannot read " + path, e);
        }
    }

    private static void checkLength(Path path, long bytes, SnapshotFile file) {
        if (bytes != file.bytes()) {
            throw IoErrors.corrupt(
                    path,
                    Math.min(bytes, file.bytes()),
                    "it has " + bytes + " bytes, " + file.bytes() + " were written");
        }
    }

    private static void checkCrc(Path path, long crc, SnapshotFile file) {
        if (crc != file.crc()) {
            throw IoErrors.corrupt(path, 0, "the file is not as it was written");
        }
    }

    @Override
    public void read(SnapshotFile file, long job, int worker, Consumer<StateRows> out) {
        Path path = path(file.name());
        MessageBuffer buffer = take();
        try (StateFile in = StateFile.open(io, path)) {
            checkLength(path, in.bytes(), file);
            checkCrc(path, in.crc(), file);
            for (StateIndex.Part part : in.index().parts()) {
                if (part.job() == job && (worker < 0 || part.worker() == worker)) {
                    for (StateIndex.Batch batch : part.batches()) {
                        ColumnBatch rows = in.read(batch, buffer, memory);
                        try (StateRows some = new StateRows(job, part.worker(), part.operators(), List.of(rows))) {
                            out.accept(some);
                        }
                    }
                }
            }
        } finally {
            give(buffer);
        }
    }

    @Override
    public String readManifest(String name) {
        return Manifests.read(io, path(name));
    }

    @Override
    public List<String> manifests(String application) {
        String encoded = DirectoryNames.encode(application);
        return list(root.resolve(encoded)).stream()
                .map(SnapshotName::parse)
                .filter(n -> n != null && n.kind().equals(SnapshotName.MANIFEST))
                .map(Objects::requireNonNull)
                .sorted(SnapshotName.OLD_TO_NEW)
                .map(n -> encoded + "/" + n)
                .filter(this::readable)
                .toList();
    }

    private boolean readable(String manifest) {
        try {
            readManifest(manifest);
            return true;
        } catch (StreamException e) {
            if (e.code() != ErrorCode.DATA_CORRUPTED && e.code() != ErrorCode.IO_ERROR) {
                throw e;
            }
            LOG.warn("Manifest left out: {}", e.getMessage());
            return false;
        }
    }

    @Override
    public List<String> applications() {
        return list(root).stream()
                .filter(DirectoryNames::isEncoded)
                .map(DirectoryNames::decode)
                .sorted()
                .toList();
    }

    @Override
    public int collect(String application, Set<String> kept, long olderThanMicros) {
        String encoded = DirectoryNames.encode(application);
        Path directory = root.resolve(encoded);
        int removed = 0;
        for (String name : list(directory)) {
            if (SnapshotName.parse(name) == null || kept.contains(encoded + "/" + name)) {
                continue;
            }
            Path path = directory.resolve(name);
            try {
                if (io.modifiedMicros(path) <= olderThanMicros) {
                    io.delete(path);
                    removed++;
                }
            } catch (NoSuchFileException e) {
                // Another one was faster.
                LOG.debug("{} is gone already", path);
            } catch (IOException e) {
                LOG.warn("{}: an old part of a snapshot cannot be removed now: {}", path, e.toString());
            }
        }
        return removed;
    }

    private List<String> list(Path directory) {
        try {
            return io.list(directory);
        } catch (IOException e) {
            throw IoErrors.of("cannot list " + directory, e);
        }
    }

    private MessageBuffer take() {
        synchronized (idle) {
            MessageBuffer out = idle.poll();
            return out != null ? out : new MessageBuffer(FIRST_BYTES);
        }
    }

    private void give(MessageBuffer buffer) {
        buffer.clear();
        synchronized (idle) {
            if (idle.size() < KEPT && buffer.capacity() <= KEPT_BYTES) {
                idle.push(buffer);
                return;
            }
        }
        buffer.close();
    }
}
