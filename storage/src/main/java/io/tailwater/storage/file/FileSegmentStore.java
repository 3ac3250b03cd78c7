package io.tailwater.storage.file;

import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Partition logs as files under {@code <root>/<owner>/w<writer>/p<partition>/}. The root belongs to this process alone. Thread-safe. */
public final class FileSegmentStore implements SegmentStore {
    private static final String TRASH = ".trash";

    /**
     * When segments end and appends are refused.
     *
     * @param segmentBytes a segment is full with this many
     * @param segmentFrames or with this many frames
     * @param maxReserve see {@link SpaceGuard}
     * @param format of new segments
     * @param log whether the store holds application logs and not streams
     * @param clock says when segments begin and end
     */
    public record Options(
            long segmentBytes, int segmentFrames, long maxReserve, SegmentFormat format, boolean log, Clock clock) {
        public static final Options DEFAULT = new Options(256L << 20, 1 << 20, SpaceGuard.DEFAULT_MAX_RESERVE);

        public Options(long segmentBytes, int segmentFrames, long maxReserve) {
            this(segmentBytes, segmentFrames, maxReserve, SegmentFormat.FILE, false, Clock.SYSTEM);
        }

        public Options with(SegmentFormat other) {
            return new Options(segmentBytes, segmentFrames, maxReserve, other, log, clock);
        }

        public Options withReserve(long bytes) {
            return new Options(segmentBytes, segmentFrames, bytes, format, log, clock);
        }

        public Options forLogs() {
            return new Options(segmentBytes, segmentFrames, maxReserve, format, true, clock);
        }

        public Options with(Clock other) {
            return new Options(segmentBytes, segmentFrames, maxReserve, format, log, other);
        }
    }

    private final FileIo io;
    private final Path root;
    private final Options options;
    private final SpaceGuard inputs;
    private final SpaceGuard others;
    private final ReadBuffers buffers = new ReadBuffers();
    private final Map<PartitionName, FilePartition> open = new HashMap<>();
    private long trashed;
    private boolean closed;

    public FileSegmentStore(FileIo io, Path root, Options options) {
        this.io = io;
        this.root = root;
        this.options = options;
        this.inputs = new SpaceGuard(io, root, options.maxReserve(), SpaceGuard.Share.INPUT, options.clock());
        this.others = new SpaceGuard(
                io,
                root,
                options.maxReserve(),
                options.log() ? SpaceGuard.Share.LOG : SpaceGuard.Share.OUTPUT,
                options.clock());
        try {
            FileIo.createDurably(io, root);
            io.delete(root.resolve(TRASH));
        } catch (IOException e) {
            throw IoErrors.of("cannot open the segment store in " + root, e);
        }
    }

    private Path directory(PartitionName name) {
        return root.resolve(DirectoryNames.encode(name.owner()))
                .resolve("w" + name.writer())
                .resolve("p" + name.partition());
    }

    @Override
    public synchronized PartitionLog open(PartitionName name) {
        if (closed) {
            throw new StreamException(ErrorCode.ADMIN_SHUTDOWN, "the segment store in " + root + " is closed");
        }
        FilePartition known = open.get(name);
        if (known != null) {
            return known;
        }
        Path directory = directory(name);
        SpaceGuard space = name.writer() == 0 && !options.log() ? inputs : others;
        try {
            FilePartition opened = FilePartition.open(io, root, directory, name.toString(), options, space, buffers);
            open.put(name, opened);
            return opened;
        } catch (IOException e) {
            throw space.failure("cannot open partition " + name + " in " + directory, e);
        }
    }

    @Override
    public List<String> owners() {
        return list(root).stream()
                .filter(n -> !n.startsWith("."))
                .map(DirectoryNames::decode)
                .sorted()
                .toList();
    }

    @Override
    public List<PartitionName> partitions(String owner) {
        Path directory = root.resolve(DirectoryNames.encode(owner));
        List<PartitionName> out = new ArrayList<>();
        for (String writer : list(directory)) {
            for (String partition : list(directory.resolve(writer))) {
                out.add(new PartitionName(owner, number(writer, 'w'), number(partition, 'p')));
            }
        }
        out.sort(Comparator.comparingInt(PartitionName::writer).thenComparingInt(PartitionName::partition));
        return out;
    }

    private static int number(String name, char prefix) {
        try {
            if (name.charAt(0) == prefix) {
                return Integer.parseInt(name, 1, name.length(), 10);
            }
        } catch (NumberFormatException e) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "unexpected directory " + name, -1, null, e);
        }
        throw new StreamException(ErrorCode.DATA_CORRUPTED, "unexpected directory " + name);
    }

    private List<String> list(Path directory) {
        try {
            return io.list(directory);
        } catch (IOException e) {
            throw IoErrors.of("cannot list " + directory, e);
        }
    }

    @Override
    public synchronized void delete(String owner) {
        open.keySet().stream().filter(n -> n.owner().equals(owner)).toList().forEach(n -> {
            FilePartition partition = open.remove(n);
            if (partition != null) {
                partition.close();
            }
        });
        Path directory = root.resolve(DirectoryNames.encode(owner));
        try {
            if (io.list(root).contains(directory.getFileName().toString())) {
                // One rename makes all of it go at once; a crash leaves the rest to the next start.
                Path trash = root.resolve(TRASH);
                io.createDirectories(trash);
                Path gone = trash.resolve(Long.toString(trashed++));
                io.delete(gone);
                io.rename(directory, gone);
                io.syncDirectory(root);
                io.delete(gone);
            }
        } catch (IOException e) {
            throw IoErrors.of("cannot remove " + directory, e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        StreamException failure = null;
        for (FilePartition partition : open.values()) {
            try {
                partition.close();
            } catch (StreamException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        open.clear();
        buffers.close();
        if (failure != null) {
            throw failure;
        }
    }
}
