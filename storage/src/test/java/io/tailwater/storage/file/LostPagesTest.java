package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Losses of power on real files, written through calls or mappings: of each page that was not synced since it changed, the disk has what was synced last, or
 * what the process saw. What was acknowledged is there, what is there was written, and nothing is mistaken for damage.
 */
class LostPagesTest {
    private static final int HISTORIES = Integer.getInteger("tailwater.losses", 12);
    private static final int PAGE = 4096;
    private static final PartitionName P = new PartitionName("orders", 0, 0);

    @TempDir
    Path directory;

    /** Content of each file as of its last sync. */
    private final Map<Path, byte[]> synced = new HashMap<>();

    private final WatchedIo io = new WatchedIo(path -> {
        try {
            synced.put(path, content(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    });

    /** Chronicle's files are sparse: nothing is behind this. */
    private static byte[] content(Path path) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            return in.readNBytes(2 << 20);
        }
    }

    @ParameterizedTest
    @EnumSource(SegmentFormat.class)
    void aPartitionKeepsWhatItAcknowledged(SegmentFormat format) throws IOException {
        int lost = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            lost += history(seed, format);
            synced.clear();
        }
        assertThat(lost).as("frames lost, or nothing was tried").isPositive();
    }

    private int history(int seed, SegmentFormat format) throws IOException {
        Random random = new Random(seed);
        List<String> written = new ArrayList<>();
        Path root = directory.resolve(format + "-" + seed + "-0");
        int lost = 0;
        for (int cut = 0; cut < 3; cut++) {
            FileSegmentStore.Options options =
                    new FileSegmentStore.Options(30_000 + random.nextInt(200_000), 1000, 0).with(format);
            FileSegmentStore store = new FileSegmentStore(io, root, options);
            PartitionLog log = store.open(P);
            List<String> found = SegmentStoreContract.bodies(log);
            assertThat(found).as("seed %d", seed).isEqualTo(written.subList(0, found.size()));
            lost += written.size() - found.size();
            written = new ArrayList<>(found);
            int steps = random.nextInt(250);
            for (int step = 0; step < steps; step++) {
                if (random.nextInt(12) == 0) {
                    log.sync();
                } else {
                    String body = "%d/%d/%d/".formatted(seed, cut, step) + "x".repeat(random.nextInt(4000));
                    log.append(FrameHeader.data(1, 1, 1, 0, 0), SegmentStoreContract.bytes(body));
                    written.add(body);
                }
            }
            long acknowledged = log.durableEnd();
            Path next = directory.resolve(format + "-" + seed + "-" + (cut + 1));
            lose(root, next, random);
            store.close();
            FileIo.DISK.delete(root);
            root = next;
            try (FileSegmentStore after = new FileSegmentStore(io, copy(root), options)) {
                assertThat(after.open(P).end()).as("seed %d", seed).isGreaterThanOrEqualTo(acknowledged);
            }
        }
        return lost;
    }

    private Path copy(Path root) throws IOException {
        Path to = directory.resolve("copy");
        FileIo.DISK.delete(to);
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(root.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
        return to;
    }

    /** What the disk holds after the power is back. Names and files that are replaced by renaming are synced by those who make them. */
    private void lose(Path from, Path to, Random random) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                    continue;
                }
                byte[] seen = content(file);
                byte[] out = seen.clone();
                byte[] durable = synced.getOrDefault(file, new byte[0]);
                String name = String.valueOf(file.getFileName());
                if (!name.equals("meta") && !name.equals("index")) {
                    int odds = random.nextInt(4);
                    for (int page = 0; page < seen.length; page += PAGE) {
                        if (random.nextInt(3) < odds) {
                            continue;
                        }
                        for (int i = page; i < Math.min(seen.length, page + PAGE); i++) {
                            out[i] = i < durable.length ? durable[i] : 0;
                        }
                    }
                }
                Files.write(target, out);
                synced.put(target, out);
            }
        }
    }
}
