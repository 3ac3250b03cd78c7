package io.tailwater.api.catalog;

import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** The streams beside a stream are found by name, and never beside anything else. */
final class SideStreamsTest {
    private static final CatalogObject.Stream BIDS = new CatalogObject.Stream(
            ObjectName.inPublic("Bids"),
            Schema.of(new Column("price", DataType.BIGINT), new Column("job", DataType.VARCHAR)),
            null,
            List.of(),
            1,
            new TreeMap<>());
    private static final CatalogObject.Table TABLE = new CatalogObject.Table(
            ObjectName.inPublic("accounts"),
            Schema.of(new Column("id", DataType.BIGINT.notNull())),
            List.of(0),
            new TreeMap<>());
    private static final CatalogImage CATALOG = CatalogImage.EMPTY.with(BIDS).with(TABLE);

    @Test
    void foundByName() {
        assertThat(CATALOG.find(ObjectName.inPublic("bids$LATE"))).contains(SideStreams.late(BIDS));
        assertThat(CATALOG.find(ObjectName.inPublic("Bids$errors"))).contains(SideStreams.errors(BIDS));
        assertThat(SideStreams.late(BIDS).name()).isEqualTo(ObjectName.inPublic("Bids$late"));
        assertThat(SideStreams.base(SideStreams.errorsName(BIDS.name()))).contains(BIDS.name());
    }

    @Test
    void notBesideOthers() {
        assertThat(CATALOG.find(ObjectName.inPublic("accounts$late"))).isEmpty();
        assertThat(CATALOG.find(ObjectName.inPublic("$late"))).isEmpty();
        assertThat(CATALOG.find(ObjectName.inPublic("bids$late$late"))).isEmpty();
        assertThat(CATALOG.find(ObjectName.inPublic("bids$x"))).isEmpty();
        assertThat(SideStreams.isSideStream(BIDS.name())).isFalse();
    }

    @Test
    void aColumnOfTheSameNameKeepsItsName() {
        assertThat(SideStreams.late(BIDS).schema().columns().stream().map(Column::name))
                .containsExactly("price", "job", "application", "job_1", "arrival", "late_by");
    }

    @Test
    void dependsOnWhatItStandsBeside() {
        assertThat(CatalogImage.depends(List.of(SideStreams.lateName(BIDS.name())), BIDS.name()))
                .isTrue();
        assertThat(CatalogImage.depends(List.of(TABLE.name()), BIDS.name())).isFalse();
    }
}
