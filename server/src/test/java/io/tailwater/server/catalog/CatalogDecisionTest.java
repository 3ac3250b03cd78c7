package io.tailwater.server.catalog;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.server.catalog.CatalogChange.IfExists;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

final class CatalogDecisionTest {
    private final CatalogImage image = CatalogImage.EMPTY
            .with(Catalogs.stream("bids"))
            .with(Catalogs.table("accounts"))
            .with(Catalogs.view("v", "bids"))
            .with(Catalogs.materialized("mv", "v", "accounts"))
            .withJob(Catalogs.job("copy", "bids", "accounts", "bids"));

    private static CatalogDecision create(CatalogImage image, CatalogObject object, IfExists ifExists) {
        return CatalogDecision.decide(image, new CatalogChange.Create(object, ifExists));
    }

    private static StreamException failure(CatalogImage image, CatalogChange change) {
        return catchThrowableOfType(StreamException.class, () -> CatalogDecision.decide(image, change));
    }

    @Test
    void aNewObjectIsAddedAndTheVersionGrowsByOne() {
        CatalogDecision decision = create(image, Catalogs.stream("asks"), IfExists.FAIL);
        CatalogImage after = decision.applyTo(image);
        assertThat(after.version()).isEqualTo(image.version() + 1);
        assertThat(after.objects()).containsKey(Catalogs.name("asks")).hasSize(5);
        assertThat(decision.puts(3)).containsOnlyKeys("incarnations/public/asks", "objects/public/asks");
    }

    @Test
    void aTakenNameIsRefusedWhateverBearsIt() {
        StreamException same = failure(image, new CatalogChange.Create(Catalogs.stream("bids"), IfExists.FAIL));
        assertThat(same.code()).isEqualTo(ErrorCode.DUPLICATE_TABLE);
        assertThat(same).hasMessage("stream \"bids\" already exists");
        StreamException other = failure(image, new CatalogChange.Create(Catalogs.table("bids"), IfExists.SKIP));
        assertThat(other.code()).isEqualTo(ErrorCode.DUPLICATE_TABLE);
        assertThat(other).hasMessage("\"bids\" already exists, as a stream");
        StreamException cased = failure(image, new CatalogChange.Create(Catalogs.stream("BIDS"), IfExists.FAIL));
        assertThat(cased.code()).isEqualTo(ErrorCode.DUPLICATE_TABLE);
        assertThat(cased.getMessage()).contains("differs only in case");
    }

    @Test
    void ifNotExistsSkipsWithANotice() {
        CatalogDecision decision = create(image, Catalogs.stream("bids"), IfExists.SKIP);
        assertThat(decision.isNothing()).isTrue();
        assertThat(decision.notices()).containsExactly("stream \"bids\" already exists, skipping");
    }

    @Test
    void replaceDropsTheOldOneUnlessSomethingDependsOnIt() {
        CatalogDecision decision = create(image, Catalogs.materialized("mv", "bids"), IfExists.REPLACE);
        assertThat(decision.dropped()).extracting(o -> o.name().name()).containsExactly("mv");
        assertThat(decision.deletes()).isEmpty();
        assertThat(decision.applyTo(image).objects()).hasSize(4);
        StreamException used = failure(image, new CatalogChange.Create(Catalogs.view("v"), IfExists.REPLACE));
        assertThat(used.code()).isEqualTo(ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST);
        assertThat(used.getMessage()).contains("materialized view mv");
    }

    @Test
    void columnsMustDifferByMoreThanCase() {
        CatalogObject.Stream bad = new CatalogObject.Stream(
                Catalogs.name("s"),
                Schema.of(new Column("a", DataType.BIGINT), new Column("A", DataType.BIGINT)),
                null,
                List.of(),
                1,
                new TreeMap<>());
        assertThat(failure(image, new CatalogChange.Create(bad, IfExists.FAIL)).code())
                .isEqualTo(ErrorCode.DUPLICATE_COLUMN);
    }

    @Test
    void onlyTheSchemaPublicTakesObjects() {
        for (String schema : List.of("sys", "information_schema", "nowhere")) {
            CatalogObject.View view =
                    new CatalogObject.View(new ObjectName(schema, "v"), Catalogs.SCHEMA, "SELECT 1", List.of());
            assertThat(failure(image, new CatalogChange.Create(view, IfExists.FAIL))
                            .code())
                    .isEqualTo(ErrorCode.INVALID_SCHEMA_NAME);
        }
    }

    @Test
    void whatADefinitionReadsMustStillBeThere() {
        StreamException gone = failure(image, new CatalogChange.Create(Catalogs.view("w", "bidz"), IfExists.FAIL));
        assertThat(gone.code()).isEqualTo(ErrorCode.UNDEFINED_TABLE);
        assertThat(gone.hint()).contains("Did you mean \"bids\"?");
        assertThat(failure(image, new CatalogChange.CreateJob(Catalogs.job("j", "gone", "gone")))
                        .code())
                .isEqualTo(ErrorCode.UNDEFINED_TABLE);
    }

    @Test
    void jobsAndMaterializedViewsShareOneNameSpace() {
        assertThat(failure(image, new CatalogChange.CreateJob(Catalogs.job("MV", "bids")))
                        .code())
                .isEqualTo(ErrorCode.DUPLICATE_OBJECT);
        assertThat(failure(image, new CatalogChange.CreateJob(Catalogs.job("Copy", "bids")))
                        .code())
                .isEqualTo(ErrorCode.DUPLICATE_OBJECT);
        assertThat(failure(image, new CatalogChange.Create(Catalogs.materialized("copy"), IfExists.FAIL))
                        .code())
                .isEqualTo(ErrorCode.DUPLICATE_OBJECT);
    }

    @Test
    void dropNamesWhatDependsOnTheObject() {
        StreamException used = failure(image, new CatalogChange.Drop(Catalogs.name("bids"), "stream", false, false));
        assertThat(used.code()).isEqualTo(ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST);
        assertThat(used).hasMessage("cannot drop stream \"bids\" because other objects depend on it: view v, job copy");
    }

    @Test
    void cascadeDropsDependantsFirst() {
        CatalogDecision decision =
                CatalogDecision.decide(image, new CatalogChange.Drop(Catalogs.name("bids"), "stream", false, true));
        assertThat(decision.dropped()).extracting(o -> o.name().name()).containsExactly("mv", "v", "bids");
        assertThat(decision.stopped()).extracting(j -> j.name()).containsExactly("copy");
        assertThat(decision.notices())
                .containsExactly(
                        "drop cascades to job copy",
                        "drop cascades to materialized view mv",
                        "drop cascades to view v");
        assertThat(decision.applyTo(image).objects()).containsOnlyKeys(Catalogs.name("accounts"));
        assertThat(decision.deletes())
                .containsExactlyInAnyOrder(
                        "objects/public/mv",
                        "objects/public/v",
                        "objects/public/bids",
                        "incarnations/public/bids",
                        "jobs/copy");
    }

    @Test
    void dropOfAnotherKindSaysWhichStatementFits() {
        StreamException wrong =
                failure(image, new CatalogChange.Drop(Catalogs.name("accounts"), "stream", false, false));
        assertThat(wrong.code()).isEqualTo(ErrorCode.WRONG_OBJECT_TYPE);
        assertThat(wrong.hint()).contains("Use DROP TABLE to remove it.");
        assertThat(failure(image, new CatalogChange.DropJob("mv", false)).hint())
                .contains("Use DROP MATERIALIZED VIEW mv.");
    }

    @Test
    void aReversedDecisionGivesTheSameDefinitions() {
        CatalogDecision decision =
                CatalogDecision.decide(image, new CatalogChange.Drop(Catalogs.name("bids"), "stream", false, true));
        CatalogImage back = decision.reverse().applyTo(decision.applyTo(image));
        assertThat(back.objects()).isEqualTo(image.objects());
        assertThat(back.jobs()).isEqualTo(image.jobs());
    }
}
