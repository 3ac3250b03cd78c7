package io.tailwater.connector.files;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Files one after the other as if they were one: a position in a file is moved by the sizes of those before it. Each is opened when its turn comes, and
 * must then still be what it was. Owned by one thread.
 */
final class FileSequence implements ChunkSource {
    private static final String PREFIX = "set:";

    private final List<Member> members;
    private final Opener opener;
    /** Where each file begins, and where the last one ends. */
    private final long[] bases;

    private int current = -1;
    private @Nullable FileChannel channel;
    private @Nullable ChunkSource source;

    /** One of the files, as it was when the query began. */
    record Member(FileIdentity identity, Path path) {}

    /** Makes a source of one file. */
    @FunctionalInterface
    interface Opener {
        ChunkSource open(Member member, FileChannel channel);
    }

    FileSequence(List<Member> members, Opener opener) {
        this.members = members;
        this.opener = opener;
        bases = new long[members.size() + 1];
        for (int i = 0; i < members.size(); i++) {
            // Even an empty file has a place of its own.
            bases[i + 1] = bases[i] + members.get(i).identity().size() + 1;
        }
    }

    /** The split that names these files. */
    static String split(List<Member> members) {
        StringBuilder out = new StringBuilder(PREFIX);
        for (Member member : members) {
            out.append(out.length() == PREFIX.length() ? "" : "\n")
                    .append(member.identity())
                    .append(':')
                    .append(member.path());
        }
        return out.toString();
    }

    static boolean isSplit(String split) {
        return split.startsWith(PREFIX);
    }

    static List<Member> parse(String split) {
        List<Member> out = new ArrayList<>();
        for (String line : split.substring(PREFIX.length()).split("\n", -1)) {
            String[] parts = line.split(":", 4);
            if (parts.length < 4) {
                throw new StreamException(ErrorCode.DATA_CORRUPTED, "no split of a set of files: " + line);
            }
            out.add(new Member(FileIdentity.parse(parts[0] + ":" + parts[1] + ":" + parts[2]), Path.of(parts[3])));
        }
        return out;
    }

    @Override
    public Chunk next(long from, long limit) {
        int index = 0;
        while (index < members.size() - 1 && from >= bases[index + 1]) {
            index++;
        }
        boolean lastFile = index == members.size() - 1;
        if (members.get(index).identity().size() == 0 || from >= bases[index + 1]) {
            return new Chunk(from, Math.max(from, bases[index + 1]), null, null, List.of(), lastFile);
        }
        ChunkSource in = open(index);
        long inner = limit == Long.MAX_VALUE || limit >= bases[index + 1] ? Long.MAX_VALUE : limit - bases[index];
        return in.next(from - bases[index], inner).movedBy(bases[index], bases[index + 1], lastFile);
    }

    private ChunkSource open(int index) {
        ChunkSource in = source;
        if (in != null && current == index) {
            return in;
        }
        close();
        Member member = members.get(index);
        FileChannel opened = member.identity().open(member.path());
        channel = opened;
        in = opener.open(member, opened);
        source = in;
        current = index;
        return in;
    }

    @Override
    public void close() {
        if (source != null) {
            source.close();
            source = null;
        }
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                throw FileIdentity.failure(members.get(Math.max(current, 0)).path(), e);
            }
            channel = null;
        }
    }
}
