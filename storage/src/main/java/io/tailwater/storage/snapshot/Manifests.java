package io.tailwater.storage.snapshot;

import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.IoErrors;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** The text of manifests: a line {@code tailwater-manifest <version> <crc32c> <bytes>}, the JSON it speaks of, and a line feed. Stateless. */
public final class Manifests {
    static final int VERSION = 1;

    private static final String MAGIC = "tailwater-manifest ";
    /** Bounds what a damaged file can make us read. */
    private static final long MAX_BYTES = 256L << 20;

    private Manifests() {}

    static byte[] write(String json) {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        return (header(body) + json + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static String header(byte[] body) {
        return MAGIC + VERSION + " " + String.format(java.util.Locale.ROOT, "%08x", Checksums.of(ByteBuffer.wrap(body)))
                + " " + body.length + "\n";
    }

    /**
     * The JSON of a manifest.
     *
     * @throws io.tailwater.common.error.StreamException XX001 if it is missing or not as it was written, 58030 if it cannot be read
     */
    public static String read(FileIo io, Path path) {
        try (FileIo.OpenFile in = io.openToRead(path)) {
            if (in.size() > MAX_BYTES) {
                throw IoErrors.corrupt(path, 0, "a manifest of " + in.size() + " bytes");
            }
            byte[] bytes = new byte[(int) in.size()];
            int found = in.read(ByteBuffer.wrap(bytes), 0);
            return parse(path, Arrays.copyOf(bytes, found));
        } catch (NoSuchFileException e) {
            throw IoErrors.corrupt(path, 0, "the file is missing");
        } catch (IOException e) {
            throw IoErrors.of("cannot read " + path, e);
        }
    }

    private static String parse(Path path, byte[] bytes) {
        int line = 0;
        while (line < bytes.length && bytes[line] != '\n') {
            line++;
        }
        String first = new String(bytes, 0, line, StandardCharsets.ISO_8859_1);
        if (first.startsWith(MAGIC) && !first.startsWith(MAGIC + VERSION + " ")) {
            throw IoErrors.corrupt(path, 0, "\"" + first + "\" is not known to this release");
        }
        int body = Math.min(line + 1, bytes.length);
        int end = Math.max(body, bytes.length - 1);
        String json = new String(bytes, body, end - body, StandardCharsets.UTF_8);
        // Written again it must be the same, to the last byte: so nothing in the file can be other than it was.
        if (!Arrays.equals(write(json), bytes)) {
            throw IoErrors.corrupt(path, 0, "the manifest is not as it was written");
        }
        return json;
    }
}
