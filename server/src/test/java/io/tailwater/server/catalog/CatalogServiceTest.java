package io.tailwater.server.catalog;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.catalog.CatalogChange.IfExists;
import io.tailwater.server.engine.Engine;
import org.junit.jupiter.api.Test;

import java.time.ZoneOffset;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class CatalogServiceTest {
    private final MemoryCatalogStore store = new MemoryCatalogStore();
    private final LoggedEngine engine = new LoggedEngine();
    private final CatalogObject.SystemTable system =
            new CatalogObject.SystemTable(new ObjectName("sys", "jobs"), Catalogs.SCHEMA);
    private final CatalogService catalog = new CatalogService(store, List.of(system));

    private CatalogDecision apply(CatalogChange change) {
        return catalog.apply(change, engine, ZoneOffset.UTC);
    }

    private CatalogDecision create(CatalogObject object) {
        return apply(new CatalogChange.Create(object, IfExists.FAIL));
    }

    @Test
    void whatIsCreatedIsDurableBeforeTheEngineWorksAndVisibleAfter() {
        engine.beforeEach = () -> {
            assertThat(store.load().entries()).containsKey("objects/public/bids");
            assertThat(catalog.image().objects()).doesNotContainKey(Catalogs.name("bids"));
        };
        assertThat(create(Catalogs.stream("bids")).created()).hasSize(1);
        assertThat(engine.log).containsExactly("create bids");
        assertThat(catalog.image().objects()).containsOnlyKeys(Catalogs.name("bids"), system.name());
    }

    @Test
    void aRestartFindsTheSameDefinitions() {
        create(Catalogs.stream("a/b%"));
        create(Catalogs.table("t"));
        create(Catalogs.view("v", "t"));
        create(Catalogs.materialized("mv", "v"));
        apply(new CatalogChange.CreateJob(Catalogs.job("j", "a/b%", "a/b%", "t")));
        CatalogService again = new CatalogService(store, List.of(system));
        assertThat(again.image()).isEqualTo(catalog.image());
        assertThat(again.image().version()).isEqualTo(5);
    }

    @Test
    void aJobThatDoesNotStartIsTakenBack() {
        create(Catalogs.stream("bids"));
        engine.refused.add("start mv");
        assertThatThrownBy(() -> create(Catalogs.materialized("mv", "bids"))).hasMessage("refused: start mv");
        assertThat(catalog.image().objects()).doesNotContainKey(Catalogs.name("mv"));
        assertThat(store.load().entries()).containsOnlyKeys("incarnations/public/bids", "objects/public/bids");
        engine.refused.clear();
        create(Catalogs.materialized("mv", "bids"));
        assertThat(new CatalogService(store, List.of(system)).image()).isEqualTo(catalog.image());
    }

    @Test
    void aFailedReplaceBringsTheOldViewBack() {
        create(Catalogs.stream("bids"));
        create(Catalogs.materialized("mv"));
        engine.log.clear();
        CatalogObject.MaterializedView second = Catalogs.materialized("mv", "bids");
        // The first start is the new view's, the second the old one's.
        engine.beforeEach = () -> {
            engine.refused.clear();
            if (engine.log.equals(List.of("stop mv"))) {
                engine.refused.add("start mv");
            }
        };
        assertThatThrownBy(() -> apply(new CatalogChange.Create(second, IfExists.REPLACE)))
                .hasMessage("refused: start mv");
        assertThat(engine.log).containsExactly("stop mv", "start mv", "stop mv", "start mv");
        assertThat(catalog.image().objects().get(Catalogs.name("mv"))).isEqualTo(Catalogs.materialized("mv"));
        assertThat(new CatalogService(store, List.of(system)).image()).isEqualTo(catalog.image());
    }

    @Test
    void whatIsDroppedDisappearsBeforeTheEngineFreesIt() {
        create(Catalogs.stream("bids"));
        create(Catalogs.materialized("mv", "bids"));
        apply(new CatalogChange.CreateJob(Catalogs.job("j", "bids", "bids")));
        engine.log.clear();
        engine.beforeEach = () -> assertThat(catalog.image().objects()).containsOnlyKeys(system.name());
        apply(new CatalogChange.Drop(Catalogs.name("bids"), "stream", false, true));
        assertThat(engine.log).containsExactly("stop j", "stop mv", "drop bids");
        assertThat(store.load().entries()).isEmpty();
    }

    @Test
    void aNameIsNotUsedAgainBeforeItsOldRowsAreGone() {
        create(Catalogs.stream("bids"));
        engine.refused.add("drop bids");
        assertThatThrownBy(() -> apply(new CatalogChange.Drop(Catalogs.name("bids"), "stream", false, false)))
                .hasMessage("refused: drop bids");
        assertThat(catalog.image().objects()).doesNotContainKey(Catalogs.name("bids"));
        assertThatThrownBy(() -> create(Catalogs.stream("bids"))).hasMessage("refused: drop bids");
        engine.refused.clear();
        engine.log.clear();
        create(Catalogs.stream("bids"));
        assertThat(engine.log).containsExactly("drop bids", "create bids");
    }

    @Test
    void restoreMakesWhatIsMissingAndFreesWhatWasDropped() {
        create(Catalogs.stream("bids"));
        create(Catalogs.table("t"));
        create(Catalogs.materialized("mv", "bids"));
        engine.log.clear();
        engine.streams = List.of(
                new Engine.StreamStatus(Catalogs.name("bids"), 1, 0, 0, 0),
                new Engine.StreamStatus(Catalogs.name("gone"), 1, 0, 0, 0));
        new CatalogService(store, List.of(system)).restore(engine);
        assertThat(engine.log).containsExactly("create bids", "create t", "drop gone");
    }

    @Test
    void anotherWritersCommitIsNotOverwritten() {
        create(Catalogs.stream("bids"));
        store.commit(1, java.util.Map.of(), List.of());
        assertThatThrownBy(() -> create(Catalogs.stream("asks")))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE));
        assertThat(engine.log).containsExactly("create bids");
    }
}
