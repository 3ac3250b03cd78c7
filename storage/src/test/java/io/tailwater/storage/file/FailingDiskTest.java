package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.metadata.EmbeddedMetadataStore;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Full disks, failed and short writes, failed syncs: nothing is torn, nothing is acknowledged that is not there. */
class FailingDiskTest {
    private static final Path ROOT = Path.of("/data");
    private static final PartitionName P = new PartitionName("orders", 0, 0);

    private final SimulatedDisk disk = new SimulatedDisk();

    private PartitionLog open() {
        return open(2L << 30);
    }

    private PartitionLog open(long reserve) {
        return new FileSegmentStore(disk, ROOT, new FileSegmentStore.Options(1 << 20, 1000, reserve)).open(P);
    }

    private static long append(PartitionLog log, String body) {
        return log.append(FrameHeader.data(1, 1, 1, 0, 0), SegmentStoreContract.bytes(body));
    }

    private static void assertFails(ThrowableAssert.ThrowingCallable call, ErrorCode code, String message) {
        assertThatThrownBy(call)
                .isInstanceOf(StreamException.class)
                .hasMessageContaining(message)
                .extracting(e -> ((StreamException) e).code())
                .isEqualTo(code);
    }

    private SimulatedDisk.Fault writesFail(String message, int part) {
        return new SimulatedDisk.Fault() {
            @Override
            public void write(Path path) throws IOException {
                throw new IOException(message);
            }

            @Override
            public long partOf(long bytes) {
                return bytes * part / 10;
            }
        };
    }

    @Test
    void aFullDiskRefusesTheFrameAndTakesTheNextOnceThereIsRoom() {
        for (int part = 0; part <= 10; part++) {
            PartitionLog log = open();
            long before = log.end();
            append(log, "kept");
            disk.fault(writesFail("No space left on device", part));
            assertFails(() -> append(log, "refused"), ErrorCode.DISK_FULL, "No space left on device");
            assertThat(log.end()).isEqualTo(before + 1);
            disk.fault(new SimulatedDisk.Fault() {});
            // Reopened without another append: even a frame that was written whole must not come to life.
            assertThat(open().end()).isEqualTo(before + 1);
            assertThat(append(log, "x")).isEqualTo(before + 1);
            log.sync();
            assertThat(SegmentStoreContract.bodies(open()))
                    .hasSize((int) before + 2)
                    .endsWith("kept", "x");
            log.close();
        }
    }

    @Test
    void whatTheSystemCallsAFullDiskDoesNotMatter() {
        PartitionLog log = open(0);
        append(log, "kept");
        disk.fault(writesFail("Auf dem Gerät ist kein Speicherplatz mehr verfügbar", 5));
        disk.space(new FileIo.Space(100, 1 << 30));
        assertFails(() -> append(log, "refused"), ErrorCode.DISK_FULL, "volume is full");
        disk.space(new FileIo.Space(1 << 29, 1 << 30));
        assertFails(() -> append(log, "refused"), ErrorCode.IO_ERROR, "cannot append to /data/orders/w0/p0");
    }

    @Test
    void appendsAreRefusedWhileTheVolumeIsInItsReserve() {
        PartitionLog log = open();
        disk.space(new FileIo.Space(5L << 30, 1L << 40));
        append(log, "a");
        disk.space(new FileIo.Space(1L << 30, 1L << 40));
        List<String> refused = new ArrayList<>();
        String megabyte = "m".repeat(1 << 20);
        for (int i = 0; i < 6; i++) {
            try {
                append(log, megabyte);
            } catch (StreamException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL);
                assertThat(e.hint()).isPresent();
                refused.add(e.getMessage());
            }
        }
        // Looked at once per 4 MB, then at each append while full.
        assertThat(refused)
                .hasSizeGreaterThanOrEqualTo(2)
                .containsOnly("disk full: the volume of /data has 1024 MB left and keeps 2048 MB in reserve");
        disk.space(new FileIo.Space(5L << 30, 1L << 40));
        append(log, "b");
    }

    @Test
    void aSmallVolumeKeepsATenth() {
        PartitionLog log = open();
        disk.space(new FileIo.Space(101, 1000));
        assertFails(() -> append(log, "a"), ErrorCode.DISK_FULL, "disk full");
        disk.space(new FileIo.Space(181 + 100, 1000));
        append(log, "a");
    }

    @Test
    void afterAFailedSyncNothingIsAcknowledgedUntilItIsOpenedAgain() {
        PartitionLog log = open();
        append(log, "durable");
        log.sync();
        append(log, "lost?");
        disk.fault(new SimulatedDisk.Fault() {
            @Override
            public void sync(Path path) throws IOException {
                throw new IOException("Input/output error");
            }
        });
        assertFails(log::sync, ErrorCode.IO_ERROR, "fsync of /data/orders/w0/p0/seg-0-1/frames failed");
        disk.fault(new SimulatedDisk.Fault() {});
        assertThat(log.durableEnd()).isEqualTo(1);
        assertFails(log::sync, ErrorCode.IO_ERROR, "takes no more data after a failure");
        assertFails(() -> append(log, "x"), ErrorCode.IO_ERROR, "takes no more data after a failure");
        assertThat(SegmentStoreContract.bodies(log)).as("reading goes on").hasSize(2);
        log.close();
        disk.crash(new Random(1));
        assertThat(SegmentStoreContract.bodies(open())).startsWith("durable");
    }

    @Test
    void aWriteThatCanNeitherBeDoneNorUndoneEndsThePartition() {
        PartitionLog log = open();
        append(log, "kept");
        disk.fault(new SimulatedDisk.Fault() {
            @Override
            public void write(Path path) throws IOException {
                throw new IOException("Input/output error");
            }

            @Override
            public void truncate(Path path) throws IOException {
                throw new IOException("Input/output error");
            }
        });
        assertFails(() -> append(log, "x"), ErrorCode.IO_ERROR, "cannot append");
        disk.fault(new SimulatedDisk.Fault() {});
        assertFails(() -> append(log, "y"), ErrorCode.IO_ERROR, "takes no more data");
        assertThat(SegmentStoreContract.bodies(open())).containsExactly("kept");
    }

    @Test
    void aFailureWhileASegmentIsMadeLeavesTheLogWhole() {
        for (int failing = 0; failing < 14; failing++) {
            SimulatedDisk fresh = new SimulatedDisk();
            FileSegmentStore store = new FileSegmentStore(fresh, ROOT, new FileSegmentStore.Options(200, 2, 0));
            PartitionLog log = store.open(P);
            append(log, "0");
            append(log, "1");
            int[] left = {failing};
            fresh.fault(new SimulatedDisk.Fault() {
                private void count() throws IOException {
                    if (left[0]-- == 0) {
                        throw new IOException("No space left on device");
                    }
                }

                @Override
                public void write(Path path) throws IOException {
                    count();
                }

                @Override
                public void sync(Path path) throws IOException {
                    count();
                }

                @Override
                public void rename(Path path) throws IOException {
                    count();
                }
            });
            boolean done;
            try {
                append(log, "2");
                done = true;
            } catch (StreamException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL);
                done = false;
            }
            fresh.fault(new SimulatedDisk.Fault() {});
            PartitionLog again = new FileSegmentStore(fresh, ROOT, new FileSegmentStore.Options(200, 2, 0)).open(P);
            assertThat(SegmentStoreContract.bodies(again))
                    .as("failure %d", failing)
                    .containsExactlyElementsOf(done ? List.of("0", "1", "2") : List.of("0", "1"));
            append(again, "next");
        }
    }

    @Test
    void theMetadataStoreRefusesWhatItCannotKeep() {
        EmbeddedMetadataStore store = new EmbeddedMetadataStore(disk, ROOT, Clock.SYSTEM);
        store.put("/a", "1");
        for (int part = 0; part <= 10; part++) {
            disk.fault(writesFail("No space left on device", part));
            assertFails(() -> store.put("/a", "2"), ErrorCode.DISK_FULL, "No space left on device");
            disk.fault(new SimulatedDisk.Fault() {});
            assertThat(store.get("/a").orElseThrow().value()).isEqualTo("1");
            assertThat(new EmbeddedMetadataStore(disk, ROOT, Clock.SYSTEM)
                            .get("/a")
                            .orElseThrow()
                            .value())
                    .isEqualTo("1");
        }
        store.put("/a", "3");
        disk.fault(new SimulatedDisk.Fault() {
            @Override
            public void sync(Path path) throws IOException {
                throw new IOException("Input/output error");
            }
        });
        assertFails(() -> store.put("/a", "4"), ErrorCode.IO_ERROR, "is not acknowledged");
        disk.fault(new SimulatedDisk.Fault() {});
        assertThat(store.get("/a").orElseThrow().value()).isEqualTo("3");
        assertFails(() -> store.put("/a", "5"), ErrorCode.IO_ERROR, "takes no more changes");
    }
}
