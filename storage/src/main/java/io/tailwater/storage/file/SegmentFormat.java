package io.tailwater.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** What new segments are made of. Those that are there are read whatever they are made of, so a store may change its format at any time. */
public enum SegmentFormat {
    /** A file of frames. */
    FILE,
    /** A cycle of Chronicle Queue. */
    CHRONICLE;

    FrameFile create(FileIo io, Path directory) throws IOException {
        return switch (this) {
            case FILE -> PlainFrameFile.create(io, directory);
            case CHRONICLE -> ChronicleFrameFile.create(io, directory);
        };
    }

    /** Opens what a segment's directory holds. */
    static FrameFile open(FileIo io, Path directory, List<String> names) throws IOException {
        return isChronicle(names) ? ChronicleFrameFile.open(io, directory) : PlainFrameFile.open(io, directory);
    }

    /** Whether a directory that nothing describes never held a frame that anybody was told of. */
    static boolean neverUsed(FileIo io, Path directory, List<String> names) throws IOException {
        if (isChronicle(names)) {
            return ChronicleFrameFile.neverUsed(io, directory);
        }
        ByteBuffer frames = Segment.readAll(io, directory.resolve(PlainFrameFile.NAME));
        return frames == null || frames.remaining() <= PlainFrameFile.FILE_HEADER;
    }

    private static boolean isChronicle(List<String> names) {
        return names.stream().anyMatch(n -> n.endsWith(ChronicleFrameFile.SUFFIX));
    }
}
