package io.tailwater.storage.metadata;

import io.tailwater.api.storage.MetadataStore;
import io.tailwater.api.storage.MetadataStore.Operation;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.file.FileIo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EmbeddedMetadataStoreTest extends MetadataStoreContract {
    @TempDir
    Path directory;

    private long nanos = Long.MAX_VALUE - 1_000_000_000;

    private final Clock clock = new Clock() {
        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long wallMicros() {
            throw new AssertionError("leases run on monotonic time");
        }
    };

    @Override
    EmbeddedMetadataStore open() {
        return new EmbeddedMetadataStore(FileIo.DISK, directory, clock);
    }

    @Override
    void pass(Duration time) {
        nanos += time.toNanos();
    }

    @Test
    void aLeaseOutlivesARestartWithItsWholeTime() {
        long lease;
        try (MetadataStore store = open()) {
            lease = store.grantLease(Duration.ofSeconds(10));
            store.commit(List.of(), List.of(new Operation.Put("/n", "v", lease)));
            pass(Duration.ofSeconds(9));
        }
        try (MetadataStore store = open()) {
            pass(Duration.ofSeconds(9));
            assertThat(store.get("/n")).isPresent();
            pass(Duration.ofSeconds(2));
            assertThat(store.get("/n")).isEmpty();
            assertThat(store.grantLease(Duration.ofSeconds(1))).isGreaterThan(lease);
        }
    }

    @Test
    void theJournalStaysSmallAndKeepsItsContent() throws IOException {
        String value = "v".repeat(10_000);
        try (MetadataStore store = open()) {
            for (int i = 0; i < 500; i++) {
                store.put("/k" + i % 5, value + i);
            }
            assertThat(Files.size(directory.resolve("journal"))).isLessThan(3 << 20);
        }
        try (MetadataStore store = open()) {
            assertThat(store.range("/k")).hasSize(5);
            assertThat(store.get("/k4").orElseThrow().value()).endsWith("499");
            assertThat(store.get("/k4").orElseThrow().version()).isEqualTo(100);
            assertThat(store.revision()).isEqualTo(500);
        }
    }

    @Test
    void anUnfinishedLastRecordIsCutAtEveryByte() throws IOException {
        long keep;
        try (MetadataStore store = open()) {
            store.put("/acknowledged", "yes");
            keep = Files.size(directory.resolve("journal"));
            store.put("/torn", "maybe");
        }
        byte[] whole = Files.readAllBytes(directory.resolve("journal"));
        // As if killed before the acknowledgement of the last record.
        java.nio.ByteBuffer.wrap(whole).order(java.nio.ByteOrder.LITTLE_ENDIAN).putLong(8, keep);
        for (int length = (int) keep; length < whole.length; length++) {
            Files.write(directory.resolve("journal"), Arrays.copyOf(whole, length));
            try (MetadataStore store = open()) {
                assertThat(store.get("/acknowledged")).isPresent();
                assertThat(store.get("/torn")).isEmpty();
                assertThat(store.put("/torn", "anew")).isEqualTo(2);
            }
            try (MetadataStore store = open()) {
                assertThat(store.get("/torn").orElseThrow().value()).isEqualTo("anew");
            }
        }
    }

    @Test
    void damageToAnAcknowledgedRecordIsReportedWithFileAndOffset() throws IOException {
        long second;
        try (MetadataStore store = open()) {
            store.put("/one", "1");
            second = Files.size(directory.resolve("journal"));
            store.put("/two", "2");
        }
        byte[] whole = Files.readAllBytes(directory.resolve("journal"));
        for (int at = (int) second; at < whole.length - 8; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 4;
            Files.write(directory.resolve("journal"), damaged);
            assertThatThrownBy(this::open)
                    .isInstanceOf(StreamException.class)
                    .hasMessageStartingWith(directory.resolve("journal") + " is corrupt at offset " + second)
                    .extracting(e -> ((StreamException) e).code())
                    .isEqualTo(ErrorCode.DATA_CORRUPTED);
        }
        Files.write(directory.resolve("journal"), Arrays.copyOf(whole, (int) second));
        assertThatThrownBy(this::open).hasMessageContaining("below the acknowledged end");
    }

    @Test
    void aWatchFromForgottenTimesIsRefused() {
        try (MetadataStore store = open()) {
            for (int i = 0; i < 1100; i++) {
                store.put("/k", "" + i);
            }
            assertThatThrownBy(() -> store.watch("/k", 3, changes -> {}))
                    .isInstanceOf(StreamException.class)
                    .extracting(e -> ((StreamException) e).code())
                    .isEqualTo(ErrorCode.INVALID_PARAMETER_VALUE);
        }
    }
}
