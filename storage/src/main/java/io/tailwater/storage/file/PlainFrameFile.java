package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** One frame after the other in the file {@code frames}, behind 64 bytes that begin with a magic number and the durable position. */
final class PlainFrameFile implements FrameFile {
    static final String NAME = "frames";
    static final int FILE_HEADER = 64;

    private static final long MAGIC = 0x01534D52465754L;

    private final Path path;
    private final FileIo.OpenFile file;
    private final long durableAtOpen;
    private final ByteBuffer slot = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);

    private PlainFrameFile(Path path, FileIo.OpenFile file, long durableAtOpen) {
        this.path = path;
        this.file = file;
        this.durableAtOpen = durableAtOpen;
    }

    /** Makes an empty file; its content is durable, its name is not. */
    static PlainFrameFile create(FileIo io, Path directory) throws IOException {
        Path path = directory.resolve(NAME);
        FileIo.OpenFile file = io.open(path);
        try {
            ByteBuffer header = ByteBuffer.allocateDirect(FILE_HEADER).order(ByteOrder.LITTLE_ENDIAN);
            header.putLong(0, MAGIC).putLong(8, FILE_HEADER);
            file.write(new ByteBuffer[] {header}, 0);
            file.sync();
            return new PlainFrameFile(path, file, FILE_HEADER);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    static PlainFrameFile open(FileIo io, Path directory) throws IOException {
        Path path = directory.resolve(NAME);
        FileIo.OpenFile file = io.open(path);
        try {
            ByteBuffer header = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);
            if (file.read(header, 0) < 16 || header.getLong(0) != MAGIC) {
                throw IoErrors.corrupt(path, 0, "not a frames file");
            }
            return new PlainFrameFile(path, file, header.getLong(8));
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public FileIo.OpenFile file() {
        return file;
    }

    @Override
    public long first() {
        return FILE_HEADER;
    }

    @Override
    public long durable() {
        return durableAtOpen;
    }

    @Override
    public String scan(Segment segment) throws IOException {
        ScanWindow window = new ScanWindow(file, segment.position());
        while (true) {
            long at = segment.position();
            if (at == window.size()) {
                return "the file ends";
            }
            String damage = window.frame(segment, at);
            if (damage != null) {
                return damage;
            }
        }
    }

    @Override
    public boolean appendable() {
        return true;
    }

    @Override
    public long cut(long position) throws IOException {
        long size = file.size();
        if (position < size) {
            file.truncate(position);
        }
        return size - position;
    }

    @Override
    public long append(FrameHeader header, ByteBuffer[] parts, long position) throws IOException {
        try {
            file.write(parts, position);
            return position;
        } catch (IOException e) {
            // A whole frame left behind would come to life at the next start although its writer was told otherwise.
            try {
                file.truncate(position);
            } catch (IOException again) {
                e.addSuppressed(again);
                throw new TailLost(e);
            }
            throw e;
        }
    }

    @Override
    public void sync(long durable) throws IOException {
        file.sync();
        slot.putLong(0, durable);
        file.write(new ByteBuffer[] {slot.duplicate()}, 8);
    }

    @Override
    public void finish(long position) {}

    @Override
    public void close() throws IOException {
        file.close();
    }
}
