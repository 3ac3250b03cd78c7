package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.Connectors;
import io.tailwater.planner.Session;
import io.tailwater.planner.SqlPlanner;
import io.tailwater.planner.Statement;
import io.tailwater.server.catalog.LoggedEngine;
import io.tailwater.server.engine.Engine.Retained;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** What EXPLAIN UPGRADE says, and what CREATE OR REPLACE refuses, with input that is there, gone, or gone before. */
final class UpgradesTest {
    private static final ObjectName S = ObjectName.inPublic("s");
    private static final ObjectName OTHER = ObjectName.inPublic("other");
    private static final String SAME = "SELECT k, SUM(n) AS total FROM s GROUP BY k";
    private static final String NEW =
            "SELECT t.k, t.total, o.n FROM (SELECT k, SUM(n) AS total FROM s GROUP BY k) t JOIN other o ON o.k = t.k";

    private static final Connectors CONNECTORS = new Connectors() {
        @Override
        public boolean bounded(CatalogObject.Stream stream) {
            return true;
        }

        @Override
        public boolean readable(CatalogObject.Stream stream) {
            return true;
        }

        @Override
        public boolean writable(CatalogObject.Stream stream) {
            return true;
        }
    };

    private final LoggedEngine engine = new LoggedEngine();
    private CatalogImage image = CatalogImage.EMPTY.with(stream(S)).with(stream(OTHER));

    private static CatalogObject.Stream stream(ObjectName name) {
        Schema columns = Schema.of(new Column("k", DataType.BIGINT), new Column("n", DataType.BIGINT));
        return new CatalogObject.Stream(name, columns, null, List.of(), 1, new TreeMap<>());
    }

    private Statement plan(String sql) {
        return SqlPlanner.plan(sql, List.of(), image, Session.DEFAULT, CONNECTORS);
    }

    private void create(String query) {
        image = image.with(((Statement.CreateMaterializedView) plan("CREATE MATERIALIZED VIEW v AS " + query)).view());
    }

    private List<String> explain(String query) {
        Statement.ExplainUpgrade upgrade =
                (Statement.ExplainUpgrade) plan("EXPLAIN UPGRADE CREATE OR REPLACE MATERIALIZED VIEW v AS " + query);
        return Upgrades.rows(upgrade, engine).stream()
                .map(row ->
                        row.get(0).toString().split(" ")[0] + "|" + row.get(1) + "|" + row.get(2) + "|" + row.get(3))
                .toList();
    }

    private void replace(String query) {
        Upgrades.requireInput(
                (Statement.CreateMaterializedView) plan("CREATE OR REPLACE MATERIALIZED VIEW v AS " + query),
                image,
                engine);
    }

    @Test
    void stateIsComputedAnewAlsoIfTheSameExists() {
        create(SAME);
        assertThat(explain(SAME))
                .containsExactly(
                        "Aggregate|rebuilt (same state exists)|s|the same state exists, but is computed anew",
                        "Content|rebuilt (same state exists)|s|the same state exists, but is computed anew");
        assertThat(explain(NEW))
                .containsExactly(
                        "Join|rebuilt|s, other|the state is new",
                        "Aggregate|rebuilt (same state exists)|s|the same state exists, but is computed anew",
                        "Content|rebuilt|s, other|the state is new");
        replace(NEW);
    }

    @Test
    void whatTheNewQueryDoesNotNeedIsDropped() {
        create(NEW);
        assertThat(explain("SELECT n FROM other"))
                .containsExactly(
                        "Join|dropped|s, other|the new query has no such state",
                        "Aggregate|dropped|s|the new query has no such state",
                        "Content|rebuilt|other|the state is new");
    }

    @Test
    void aViewIsNotReplacedIfItsInputIsGone() {
        create(SAME);
        engine.retained = Map.of(S, Retained.LESS);
        assertThat(explain(NEW))
                .containsExactly(
                        "Join|lost|s, other|rows of s are gone by retention, so CREATE OR REPLACE is refused",
                        "Aggregate|lost|s|rows of s are gone by retention, so CREATE OR REPLACE is refused",
                        "Content|lost|s, other|rows of s are gone by retention, so CREATE OR REPLACE is refused");
        StreamException refused = catchThrowableOfType(StreamException.class, () -> replace(NEW));
        assertThat(refused.code()).isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE);
        assertThat(refused)
                .hasMessage("cannot replace materialized view \"v\": rows of stream \"s\" that it was made from"
                        + " are gone by retention");
        assertThat(refused.hint().orElseThrow()).contains("EXPLAIN UPGRADE").contains("DROP MATERIALIZED VIEW v");
        assertThatCode(() -> replace("SELECT n FROM other")).doesNotThrowAnyException();
    }

    @Test
    void whatWasGoneBeforeOrWasNeverReadIsNoReasonToRefuse() {
        create(SAME);
        engine.retained = Map.of(S, Retained.AS_BEFORE, OTHER, Retained.LESS);
        assertThat(explain(NEW))
                .first()
                .isEqualTo(
                        "Join|rebuilt|s, other|the state is new; s begins with the oldest row that is left, as before;"
                                + " other begins with the oldest row that is left");
        replace(NEW);
    }
}
