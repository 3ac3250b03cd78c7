package io.tailwater.storage.file;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/**
 * A disk in memory that forgets like a real one. What was not synced may be lost at {@link #crash}: of file content any 512-byte sectors, of names the latest
 * changes of each directory. {@link #fault} makes operations fail.
 */
public final class SimulatedDisk implements FileIo {
    private static final int SECTOR = 512;

    /** Decides which operations fail. */
    public interface Fault {
        /** Fails a write by throwing; first lets through as many bytes as it returns from {@link #partOf}. */
        default void write(Path path) throws IOException {}

        /** How much of a write that fails reaches the file. */
        default long partOf(long bytes) {
            return 0;
        }

        default void read(Path path) throws IOException {}

        default void sync(Path path) throws IOException {}

        default void truncate(Path path) throws IOException {}

        default void rename(Path path) throws IOException {}

        default void delete(Path path) throws IOException {}
    }

    /** Bytes at a position; none for a truncation there. */
    private static final class Write {
        final long position;
        final byte[] bytes;

        Write(long position, byte[] bytes) {
            this.position = position;
            this.bytes = bytes;
        }
    }

    private static final class Inode {
        byte[] content = new byte[0];
        byte[] durable = new byte[0];
        long modified;
        final List<Write> unsynced = new ArrayList<>();
        TreeMap<String, Inode> children = new TreeMap<>();
        final TreeMap<String, Inode> durableChildren = new TreeMap<>();
        final List<NameChange> pending = new ArrayList<>();
    }

    /** A name in a directory now means this inode; null means that it is gone. */
    private record Edit(
            Inode directory, String name, @Nullable Inode inode) {
        void apply(TreeMap<String, Inode> to) {
            if (inode == null) {
                to.remove(name);
            } else {
                to.put(name, inode);
            }
        }
    }

    /** Edits that a file system makes together. */
    private static final class NameChange {
        final List<Edit> edits;
        boolean durable;

        NameChange(List<Edit> edits) {
            this.edits = edits;
        }

        void makeDurable() {
            if (!durable) {
                durable = true;
                edits.forEach(e -> e.apply(e.directory().durableChildren));
            }
        }
    }

    private final Inode root = new Inode();
    private final List<Inode> inodes = new ArrayList<>(List.of(root));
    private int generation;
    private Fault fault = new Fault() {};
    private Space space = new Space(1L << 40, 1L << 40);
    private long syncs;
    private long wallMicros;

    public synchronized void fault(Fault next) {
        fault = next;
    }

    public synchronized void space(Space next) {
        space = next;
    }

    /** What the wall clock says from now on. */
    public synchronized void time(long micros) {
        wallMicros = micros;
    }

    /** File syncs that succeeded. */
    public synchronized long syncs() {
        return syncs;
    }

    /** The power goes and comes back. Files opened before are dead. */
    public synchronized void crash(Random random) {
        for (Inode inode : inodes) {
            int kept = random.nextInt(inode.pending.size() + 1);
            inode.pending.subList(0, kept).forEach(NameChange::makeDurable);
            inode.pending.clear();
        }
        for (Inode inode : inodes) {
            inode.children = new TreeMap<>(inode.durableChildren);
            settle(inode, random);
        }
        generation++;
    }

    private static void settle(Inode inode, Random random) {
        for (Write write : inode.unsynced) {
            if (write.bytes.length == 0) {
                if (random.nextBoolean()) {
                    inode.durable = Arrays.copyOf(inode.durable, (int) write.position);
                }
                continue;
            }
            int odds = random.nextInt(4);
            long at = write.position;
            long end = write.position + write.bytes.length;
            while (at < end) {
                long next = Math.min(end, (at / SECTOR + 1) * SECTOR);
                if (random.nextInt(3) < odds) {
                    int from = (int) (at - write.position);
                    byte[] part = Arrays.copyOfRange(write.bytes, from, (int) (next - write.position));
                    inode.durable = put(inode.durable, at, part);
                }
                at = next;
            }
        }
        inode.unsynced.clear();
        inode.content = inode.durable.clone();
    }

    private static byte[] put(byte[] content, long position, byte[] bytes) {
        int end = (int) position + bytes.length;
        byte[] out = end > content.length ? Arrays.copyOf(content, end) : content;
        System.arraycopy(bytes, 0, out, (int) position, bytes.length);
        return out;
    }

    private static void change(Edit... edits) {
        NameChange change = new NameChange(List.of(edits));
        for (Edit edit : edits) {
            edit.apply(edit.directory().children);
            edit.directory().pending.add(change);
        }
    }

    private @Nullable Inode find(Path path) {
        Inode at = root;
        for (Path name : path) {
            Inode next = at.children.get(name.toString());
            if (next == null) {
                return null;
            }
            at = next;
        }
        return at;
    }

    private Inode existing(@Nullable Path path) throws NoSuchFileException {
        Inode inode = path == null ? null : find(path);
        if (inode == null) {
            throw new NoSuchFileException(String.valueOf(path));
        }
        return inode;
    }

    private static String name(Path path) {
        return path.getFileName().toString();
    }

    private Inode make() {
        Inode made = new Inode();
        inodes.add(made);
        return made;
    }

    @Override
    public synchronized OpenFile open(Path path) throws IOException {
        Inode inode = find(path);
        if (inode == null) {
            inode = make();
            inode.modified = wallMicros;
            change(new Edit(existing(path.getParent()), name(path), inode));
        }
        return new SimulatedFile(path, inode, generation);
    }

    @Override
    public synchronized OpenFile create(Path path) throws IOException {
        if (find(path) != null) {
            throw new FileAlreadyExistsException(path.toString());
        }
        return open(path);
    }

    @Override
    public synchronized OpenFile openToRead(Path path) throws IOException {
        return new SimulatedFile(path, existing(path), generation);
    }

    @Override
    public synchronized long modifiedMicros(Path path) throws IOException {
        return existing(path).modified;
    }

    @Override
    public synchronized void createDirectories(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent != null && find(path) == null) {
            createDirectories(parent);
            change(new Edit(existing(parent), name(path), make()));
        }
    }

    @Override
    public synchronized void syncDirectory(Path path) throws IOException {
        fault.sync(path);
        Inode directory = existing(path);
        directory.pending.forEach(NameChange::makeDurable);
        directory.pending.clear();
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        fault.rename(to);
        change(
                new Edit(existing(from.getParent()), name(from), null),
                new Edit(existing(to.getParent()), name(to), existing(from)));
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        fault.delete(path);
        Inode inode = find(path);
        if (inode != null) {
            for (String child : List.copyOf(inode.children.keySet())) {
                delete(path.resolve(child));
            }
            change(new Edit(existing(path.getParent()), name(path), null));
        }
    }

    @Override
    public synchronized List<String> list(Path directory) {
        Inode inode = find(directory);
        return inode == null ? List.of() : List.copyOf(inode.children.keySet());
    }

    @Override
    public synchronized Space space(Path path) {
        return space;
    }

    private final class SimulatedFile implements OpenFile {
        private final Path path;
        private final Inode inode;
        private final int born;
        private boolean closed;

        SimulatedFile(Path path, Inode inode, int born) {
            this.path = path;
            this.inode = inode;
            this.born = born;
        }

        private void alive() throws IOException {
            if (closed || born != generation) {
                throw new java.nio.channels.ClosedChannelException();
            }
        }

        @Override
        public void write(ByteBuffer[] buffers, long position) throws IOException {
            synchronized (SimulatedDisk.this) {
                alive();
                int total =
                        Arrays.stream(buffers).mapToInt(ByteBuffer::remaining).sum();
                ByteBuffer all = ByteBuffer.allocate(total);
                for (ByteBuffer buffer : buffers) {
                    all.put(buffer);
                }
                try {
                    fault.write(path);
                } catch (IOException e) {
                    put(position, Arrays.copyOf(all.array(), (int) fault.partOf(total)));
                    throw e;
                }
                put(position, all.array());
            }
        }

        private void put(long position, byte[] bytes) {
            if (bytes.length > 0) {
                inode.modified = wallMicros;
                inode.content = SimulatedDisk.put(inode.content, position, bytes);
                inode.unsynced.add(new Write(position, bytes));
            }
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            synchronized (SimulatedDisk.this) {
                alive();
                fault.read(path);
                int n = (int) Math.max(0, Math.min(into.remaining(), inode.content.length - position));
                into.put(inode.content, (int) Math.min(position, inode.content.length), n);
                return n;
            }
        }

        @Override
        public void sync() throws IOException {
            synchronized (SimulatedDisk.this) {
                alive();
                fault.sync(path);
                inode.durable = inode.content.clone();
                inode.unsynced.clear();
                syncs++;
            }
        }

        @Override
        public long size() throws IOException {
            synchronized (SimulatedDisk.this) {
                alive();
                return inode.content.length;
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (SimulatedDisk.this) {
                alive();
                fault.truncate(path);
                if (size < inode.content.length) {
                    inode.content = Arrays.copyOf(inode.content, (int) size);
                    inode.unsynced.add(new Write(size, new byte[0]));
                }
            }
        }

        @Override
        public void close() {
            synchronized (SimulatedDisk.this) {
                closed = true;
            }
        }
    }
}
