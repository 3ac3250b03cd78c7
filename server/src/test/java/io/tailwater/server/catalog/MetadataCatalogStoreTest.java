package io.tailwater.server.catalog;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.metadata.EmbeddedMetadataStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class MetadataCatalogStoreTest {
    @TempDir
    private Path directory;

    private EmbeddedMetadataStore open() {
        return new EmbeddedMetadataStore(FileIo.DISK, directory, Clock.SYSTEM);
    }

    @Test
    void definitionsAndVersionSurviveAReopening() {
        try (EmbeddedMetadataStore metadata = open()) {
            CatalogStore store = new MetadataCatalogStore(metadata);
            assertThat(store.load().version()).isZero();
            store.commit(0, Map.of("objects/public/a", "1", "jobs/j", "2"), List.of());
            store.commit(1, Map.of("objects/public/a", "3"), List.of("jobs/j", "jobs/none"));
        }
        try (EmbeddedMetadataStore metadata = open()) {
            CatalogStore.Stored stored = new MetadataCatalogStore(metadata).load();
            assertThat(stored.version()).isEqualTo(2);
            assertThat(stored.entries()).containsExactly(Map.entry("objects/public/a", "3"));
        }
    }

    @Test
    void aCommitOnAnotherVersionChangesNothing() {
        try (EmbeddedMetadataStore metadata = open()) {
            CatalogStore store = new MetadataCatalogStore(metadata);
            store.commit(0, Map.of("jobs/j", "1"), List.of());
            for (long version : List.of(0L, 2L)) {
                assertThatThrownBy(() -> store.commit(version, Map.of("jobs/j", "2"), List.of()))
                        .isInstanceOfSatisfying(
                                StreamException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE));
            }
            assertThat(store.load().entries()).containsExactly(Map.entry("jobs/j", "1"));
        }
    }
}
