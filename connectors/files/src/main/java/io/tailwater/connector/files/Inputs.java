package io.tailwater.connector.files;

import io.tailwater.common.time.Clock;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/** What a reader can read: a file, several, or one that grows. */
final class Inputs {
    private Inputs() {}

    /** A file that must be what it was. */
    static final class One implements FileSplitReader.Input {
        private final Path path;
        private final FileIdentity identity;
        private final Sources sources;
        private final FileChannel channel;

        One(Path path, FileIdentity identity, Sources sources) {
            this.path = path;
            this.identity = identity;
            this.sources = sources;
            channel = identity.open(path);
        }

        @Override
        public @Nullable Growth growth() {
            return null;
        }

        @Override
        public ChunkSource source(long end) {
            return sources.open(path, channel, identity.size(), false);
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                throw FileIdentity.failure(path, e);
            }
        }
    }

    /** Files one after the other. Each source opens them for itself. */
    static final class Several implements FileSplitReader.Input {
        private final List<FileSequence.Member> members;
        private final Sources sources;

        Several(List<FileSequence.Member> members, Sources sources) {
            this.members = members;
            this.sources = sources;
        }

        @Override
        public @Nullable Growth growth() {
            return null;
        }

        @Override
        public ChunkSource source(long end) {
            return new FileSequence(
                    members,
                    (member, channel) -> sources.open(
                            member.path(), channel, member.identity().size(), false));
        }

        @Override
        public void close() {
            // Sources close what they open.
        }
    }

    /** A file that is followed. */
    static final class Growing implements FileSplitReader.Input {
        private final TailedFile file;
        private final Sources sources;
        private final Growth growth;

        Growing(TailedFile file, Sources sources, Clock clock) {
            this.file = file;
            this.sources = sources;
            growth = new Growth(file, clock);
        }

        @Override
        public Growth growth() {
            return growth;
        }

        @Override
        public ChunkSource source(long end) {
            return sources.open(file.path(), growth.channel(), end, true);
        }

        @Override
        public void close() {
            growth.close();
        }
    }
}
