package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanCodec;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What statements become. */
class StatementTest {
    private final Fixture fixture = new Fixture();

    @Test
    void aStreamHasItsColumnsWatermarkPartitionsAndOptions() {
        Statement.CreateStream create = (Statement.CreateStream) fixture.plan(
                "CREATE OR REPLACE STREAM Bids (auction BIGINT NOT NULL, \"Price\" DECIMAL(18,2), ts TIMESTAMP(3), big DOUBLE PRECISION, s STRING,"
                        + " z TIMESTAMP WITH LOCAL TIME ZONE, zz TIMESTAMPTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND LATENESS INTERVAL '1' MINUTE)"
                        + " PARTITION BY (auction) WITH (partitions = 4)");
        CatalogObject.Stream stream = create.stream();
        assertThat(create.orReplace()).isTrue();
        assertThat(stream.name()).isEqualTo(ObjectName.inPublic("bids"));
        assertThat(stream.schema())
                .hasToString("(auction BIGINT NOT NULL, Price DECIMAL(18, 2), ts TIMESTAMP(3), big DOUBLE, s VARCHAR,"
                        + " z TIMESTAMP(6) WITH LOCAL TIME ZONE, zz TIMESTAMP(3) WITH LOCAL TIME ZONE)");
        assertThat(stream.watermark()).isEqualTo(new CatalogObject.Watermark(2, 5_000_000, 60_000_000));
        assertThat(stream.partitionBy()).containsExactly(0);
        assertThat(stream.partitions()).isEqualTo(4);
        assertThat(stream.connector()).isNull();
    }

    @Test
    void aConnectorStreamMayImplyItsColumns() {
        Statement.CreateStream create = (Statement.CreateStream)
                fixture.plan(
                        "CREATE STREAM IF NOT EXISTS b WITH (connector = 'nexmark', 'Kind' = 'bid', seed = 42, rate = 1.5, tail = true, fmt = csv)");
        assertThat(create.ifNotExists()).isTrue();
        assertThat(create.stream().schema().size()).isZero();
        assertThat(create.stream().options())
                .containsEntry("connector", "nexmark")
                .containsEntry("kind", "bid")
                .containsEntry("seed", "42")
                .containsEntry("rate", "1.5")
                .containsEntry("tail", "true")
                .containsEntry("fmt", "csv");
    }

    @Test
    void aTablesKeyIsNotNull() {
        Statement.CreateTable create = (Statement.CreateTable)
                fixture.plan("CREATE TABLE t (a INT, b VARCHAR(3) NOT NULL, c DATE, PRIMARY KEY (c, a))");
        assertThat(create.table().primaryKey()).containsExactly(2, 0);
        assertThat(create.table().schema()).hasToString("(a INTEGER NOT NULL, b VARCHAR(3) NOT NULL, c DATE NOT NULL)");
    }

    @Test
    void aViewKeepsItsTextAndWhatItReads() {
        Statement.CreateView create = (Statement.CreateView) fixture.plan(
                "CREATE VIEW v (x, y) AS\n  SELECT id, amount * 2 -- doubled\n  FROM events WHERE kind = 'ü';");
        assertThat(create.view().query()).isEqualTo("SELECT id, amount * 2 -- doubled\n  FROM events WHERE kind = 'ü'");
        assertThat(create.view().schema()).hasToString("(x BIGINT NOT NULL, y DECIMAL(28, 2))");
        assertThat(create.view().dependsOn()).containsExactly(ObjectName.inPublic("events"));
    }

    @Test
    void aMaterializedViewHasAPlanAKeyAndAllItsDependencies() {
        fixture.execute("CREATE VIEW v AS SELECT id, amount FROM events");
        Statement.CreateMaterializedView create = (Statement.CreateMaterializedView)
                fixture.execute("CREATE MATERIALIZED VIEW mv AS SELECT id, SUM(amount) AS total FROM v GROUP BY id");
        CatalogObject.MaterializedView view = create.view();
        assertThat(view.key()).containsExactly(0);
        assertThat(view.dependsOn()).containsExactly(ObjectName.inPublic("events"), ObjectName.inPublic("v"));
        assertThat(view.plan().sink()).isEqualTo(new JobPlan.Sink.View(ObjectName.inPublic("mv")));
        assertThat(view.schema()).isEqualTo(view.plan().root().schema());
        PlanNode scan = fixture.root("SELECT * FROM mv");
        assertThat(scan).isInstanceOfSatisfying(PlanNode.Scan.class, s -> {
            assertThat(s.kind()).isEqualTo(PlanNode.ScanKind.VIEW);
            assertThat(s.traits().uniqueKeys()).containsExactly(List.of(0));
            assertThat(s.traits().appendOnly()).isFalse();
        });
    }

    @Test
    void aContinuousInsertIsAJobNamedByHintOrStatement() {
        Statement.InsertSelect hinted = (Statement.InsertSelect)
                fixture.plan("INSERT INTO events (id) /*+ JOB('daily') */ SELECT auction FROM bid"
                        .replace("(id) /*+ JOB('daily') */", "/*+ JOB('daily') */ (id)"));
        assertThat(hinted.job()).isEqualTo("daily");
        Statement.InsertSelect named = (Statement.InsertSelect)
                fixture.plan("CREATE JOB IF NOT EXISTS nightly AS INSERT INTO events (id) SELECT auction FROM bid");
        assertThat(named.job()).isEqualTo("nightly");
        assertThat(named.ifNotExists()).isTrue();
        assertThat(named.sql()).isEqualTo("INSERT INTO events (id) SELECT auction FROM bid");
        assertThat(named.dependsOn()).containsExactly(ObjectName.inPublic("bid"), ObjectName.inPublic("events"));
        assertThat(named.plan().root().schema().columns())
                .extracting(c -> c.name())
                .containsExactly("id", "kind", "amount", "ts");
    }

    @Test
    void aPlanSurvivesItsStoredForm() {
        Statement.CreateMaterializedView create = (Statement.CreateMaterializedView) fixture.plan(
                "CREATE MATERIALIZED VIEW mv AS SELECT a.id, COUNT(*) AS n FROM accounts a LEFT JOIN events e ON a.id = e.id AND e.amount > 1.5"
                        + " GROUP BY a.id");
        String json = PlanCodec.write(create.view());
        assertThat(PlanCodec.read(json, CatalogObject.class)).isEqualTo(create.view());
    }

    @Test
    void valuesAreAllConstantsInTheTargetsTypes() {
        PlanNode rows =
                fixture.root("INSERT INTO accounts VALUES (1, 'x', 2.5, '2020-01-01'), (2, 'yy', NULL, DEFAULT)");
        assertThat(rows).isInstanceOfSatisfying(PlanNode.Values.class, values -> {
            assertThat(values.schema().columns())
                    .extracting(c -> c.name())
                    .containsExactly("id", "owner", "balance", "opened");
            assertThat(values.rows().get(0)).extracting(Expr.Literal::value).containsExactly("1", "x", "2.50", "18262");
            assertThat(values.rows().get(1)).extracting(Expr.Literal::value).containsExactly("2", "yy", null, null);
        });
    }

    @Test
    void constantsAndComputedValuesGiveTheSameRows() {
        PlanNode plain =
                fixture.root("INSERT INTO numbers VALUES (-1, 2, 1e2, 'ü', '2020-01-01 10:00', '2020-01-01', TRUE, 7)");
        PlanNode computed = fixture.root(
                "INSERT INTO numbers VALUES (- 1, 2, 1e2, 'ü', TIMESTAMP '2020-01-01 10:00:00', DATE '2020-01-01', TRUE, 7)");
        assertThat(((PlanNode.Values) plain).rows().get(0))
                .extracting(Expr.Literal::value)
                .containsExactly("-1", "2", "100.0", "ü", "1577872800000000", "18262", "true", "7");
        assertThat(((PlanNode.Values) computed).rows())
                .extracting(r -> r.stream().map(Expr.Literal::value).toList())
                .isEqualTo(((PlanNode.Values) plain)
                        .rows().stream()
                                .map(r -> r.stream().map(Expr.Literal::value).toList())
                                .toList());
    }

    @Test
    void microsecondsOfTimestampsAreKept() {
        PlanNode rows = fixture.root("INSERT INTO events (id, ts) VALUES (1, '2020-01-01 00:00:00.123456')");
        assertThat(((PlanNode.Values) rows).rows().get(0).get(3).value()).isEqualTo("1577836800123456");
    }

    @Test
    void parametersTakeTheTypesOfTheirPlaces() {
        Prepared insert = fixture.prepare("INSERT INTO accounts VALUES (?, ?, ?, ?)");
        assertThat(insert.parameters())
                .extracting(DataType::kind)
                .extracting(Enum::name)
                .containsExactly("BIGINT", "VARCHAR", "DECIMAL", "DATE");
        assertThat(insert.query()).isFalse();
        assertThat(insert.statement()).isNull();
        PlanNode rows = ((Statement.InsertValues) fixture.plan(
                        "INSERT INTO accounts VALUES (?, ?, ?, ?)", 7L, "x", new BigDecimal("1.5"), 18262L))
                .rows();
        assertThat(((PlanNode.Values) rows).rows().get(0))
                .extracting(Expr.Literal::value)
                .containsExactly("7", "x", "1.50", "18262");
        Prepared select = fixture.prepare("SELECT owner FROM accounts WHERE id = ? AND opened > ? LIMIT ?");
        assertThat(select.parameters()).extracting(p -> p.kind().name()).containsExactly("BIGINT", "DATE", "INTEGER");
        assertThat(select.result()).hasToString("(owner VARCHAR NOT NULL)");
        PlanNode root = ((Statement.Select)
                        fixture.plan("SELECT owner FROM accounts WHERE id = ? AND opened > ? LIMIT ?", 5L, null, 3L))
                .root();
        assertThat(((PlanNode.Sort) root).limit()).isEqualTo(3);
        assertThatThrownBy(() -> fixture.plan("SELECT owner FROM accounts WHERE id = ?"))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("1 parameters but 0 values");
    }

    @Test
    void changesOfAnUpdatingQueryLeadWithOp() {
        Statement.Select updates =
                (Statement.Select) fixture.plan("SELECT kind, COUNT(*) AS n FROM events GROUP BY kind EMIT CHANGES");
        assertThat(updates.changes()).isTrue();
        assertThat(updates.appendOnly()).isFalse();
        assertThat(updates.result()).hasToString("(op VARCHAR NOT NULL, kind VARCHAR(10), n BIGINT NOT NULL)");
        Statement.Select appends = (Statement.Select)
                fixture.plan("SELECT /*+ OPTIONS('start'='latest') */ kind FROM events EMIT CHANGES");
        assertThat(appends.appendOnly()).isTrue();
        assertThat(appends.latest()).isTrue();
        assertThat(appends.result()).hasToString("(kind VARCHAR(10))");
        Statement.Select bounded =
                (Statement.Select) fixture.plan("SELECT kind, COUNT(*) AS n FROM events GROUP BY kind");
        assertThat(bounded.result()).hasToString("(kind VARCHAR(10), n BIGINT NOT NULL)");
    }

    @Test
    void columnsWithoutAliasAreNamedAsInPostgres() {
        Statement.Select select = (Statement.Select)
                fixture.plan("SELECT COUNT(*), SUM(i), MAX(i), MAX(b), CAST(MIN(i) AS VARCHAR), 1 + 1 FROM numbers");
        assertThat(select.result().columns())
                .extracting(c -> c.name())
                .containsExactly("count", "sum", "max", "max_1", "cast", "column6");
    }

    @Test
    void namesFoldAndMatchWithoutRegardToCase() {
        Statement.Select select = (Statement.Select)
                fixture.plan("SELECT DateTime, B.AUCTION FROM Public.BID AS b WHERE datetime IS NOT NULL");
        assertThat(select.result().columns()).extracting(c -> c.name()).containsExactly("datetime", "auction");
        assertThat(((PlanNode.Scan) fixture.root("SELECT * FROM bid"))
                        .schema()
                        .column(5)
                        .name())
                .isEqualTo("dateTime");
    }

    @Test
    void dropListsWhatCascadeTakesAlong() {
        fixture.execute("CREATE VIEW v AS SELECT id, amount FROM events");
        fixture.execute("CREATE MATERIALIZED VIEW mv AS SELECT id, SUM(amount) AS s FROM v GROUP BY id");
        fixture.execute("CREATE JOB j AS INSERT INTO accounts (id, owner) SELECT id, 'x' FROM mv");
        assertThatThrownBy(() -> fixture.plan("DROP STREAM events"))
                .hasMessageContaining("materialized view mv")
                .hasMessageContaining("view v");
        Statement.Drop drop = (Statement.Drop) fixture.plan("DROP STREAM events CASCADE");
        assertThat(drop.dependants())
                .containsExactly(
                        new Statement.Dependant("j", null),
                        new Statement.Dependant(null, ObjectName.inPublic("mv")),
                        new Statement.Dependant(null, ObjectName.inPublic("v")));
        assertThat(fixture.plan("DROP STREAM IF EXISTS nothing"))
                .isEqualTo(new Statement.Drop(Statement.DropKind.STREAM, null, List.of()));
    }

    @Test
    void commandsAreRecognised() {
        fixture.execute("CREATE JOB Daily AS INSERT INTO events (id) SELECT auction FROM bid");
        assertThat(fixture.plan("SHOW STREAMS"))
                .isEqualTo(new Statement.Show(Statement.ShowKind.STREAMS, null, null, null));
        assertThat(fixture.plan("SHOW MATERIALIZED VIEWS LIKE 'a%'"))
                .isEqualTo(new Statement.Show(Statement.ShowKind.MATERIALIZED_VIEWS, null, null, "a%"));
        assertThat(fixture.plan("SHOW COLUMNS FROM events"))
                .isEqualTo(new Statement.Show(Statement.ShowKind.COLUMNS, ObjectName.inPublic("events"), null, null));
        assertThat(fixture.plan("SHOW CREATE TABLE accounts"))
                .isEqualTo(new Statement.Show(Statement.ShowKind.CREATE, ObjectName.inPublic("accounts"), null, null));
        assertThat(fixture.plan("SHOW CREATE JOB daily"))
                .isEqualTo(new Statement.Show(Statement.ShowKind.CREATE_JOB, null, "daily", null));
        assertThat(fixture.plan("SHOW ALL")).isEqualTo(new Statement.Show(Statement.ShowKind.ALL, null, null, null));
        assertThat(fixture.plan("SHOW statement.timeout"))
                .isEqualTo(new Statement.Show(Statement.ShowKind.SETTING, null, "statement.timeout", null));
        assertThat(fixture.plan("DESCRIBE Events")).isEqualTo(new Statement.Describe(ObjectName.inPublic("events")));
        assertThat(fixture.plan("DESC STREAM events")).isEqualTo(new Statement.Describe(ObjectName.inPublic("events")));
        assertThat(fixture.plan("DESCRIBE JOB daily")).isEqualTo(new Statement.DescribeJob("daily"));
        assertThat(fixture.plan("PAUSE JOB daily")).isEqualTo(new Statement.PauseJob("daily"));
        assertThat(fixture.plan("RESUME JOB daily")).isEqualTo(new Statement.ResumeJob("daily"));
        assertThat(fixture.plan("DROP JOB daily")).isEqualTo(new Statement.DropJob("daily"));
        assertThat(fixture.plan("DROP JOB IF EXISTS x")).isEqualTo(new Statement.DropJob(null));
        assertThat(fixture.plan("SET Statement.Timeout = 5"))
                .isEqualTo(new Statement.SetOption("statement.timeout", "5"));
        assertThat(fixture.plan("SET TIME ZONE 'Europe/Vienna'"))
                .isEqualTo(new Statement.SetOption("timezone", "Europe/Vienna"));
        assertThat(fixture.plan("SET x TO on")).isEqualTo(new Statement.SetOption("x", "true"));
        assertThat(fixture.plan("SET x = DEFAULT")).isEqualTo(new Statement.ResetOption("x"));
        assertThat(fixture.plan("RESET ALL")).isEqualTo(new Statement.ResetOption(null));
        assertThat(fixture.plan("WAIT FOR daily TIMEOUT INTERVAL '30' SECOND;"))
                .isEqualTo(new Statement.WaitFor(ObjectName.inPublic("daily"), Duration.ofSeconds(30)));
        assertThat(fixture.plan("WAIT FOR JOB daily TIMEOUT 1.5"))
                .isEqualTo(new Statement.WaitFor(ObjectName.inPublic("daily"), Duration.ofMillis(1500)));
        assertThat(fixture.plan("WAIT FOR events"))
                .isEqualTo(new Statement.WaitFor(ObjectName.inPublic("events"), null));
    }

    @Test
    void recoveryPointsHaveTheirStatements() {
        fixture.execute("CREATE JOB daily AS INSERT INTO sink SELECT auction, price FROM bid");
        fixture.execute("CREATE MATERIALIZED VIEW mv AS SELECT COUNT(*) AS n FROM events");
        assertThat(fixture.plan("CREATE RECOVERY POINT before_upgrade"))
                .isEqualTo(new Statement.CreateRecoveryPoint("before_upgrade", false));
        assertThat(fixture.plan("CREATE RECOVERY POINT IF NOT EXISTS \"P/1\" FOR APPLICATION default"))
                .isEqualTo(new Statement.CreateRecoveryPoint("P/1", true));
        assertThat(fixture.plan("CREATE RECOVERY POINT p FOR APPLICATION \"default\""))
                .isEqualTo(new Statement.CreateRecoveryPoint("p", false));
        assertThat(fixture.plan("DROP RECOVERY POINT p")).isEqualTo(new Statement.DropRecoveryPoint("p", false));
        assertThat(fixture.plan("DROP RECOVERY POINT IF EXISTS p"))
                .isEqualTo(new Statement.DropRecoveryPoint("p", true));
        assertThat(fixture.plan("DESCRIBE RECOVERY POINT p")).isEqualTo(new Statement.DescribeRecoveryPoint("p"));
        assertThat(fixture.plan("SHOW RECOVERY POINTS LIKE 'a%'"))
                .isEqualTo(new Statement.Show(Statement.ShowKind.RECOVERY_POINTS, null, null, "a%"));
        assertThat(fixture.plan("SHOW SNAPSHOTS"))
                .isEqualTo(new Statement.Show(Statement.ShowKind.SNAPSHOTS, null, null, null));
        assertThat(fixture.plan("ALTER JOB Daily ROLLBACK TO RECOVERY POINT p"))
                .isEqualTo(new Statement.Rollback("daily", "p"));
        assertThat(fixture.plan("ALTER JOB public.mv ROLLBACK TO RECOVERY POINT p"))
                .isEqualTo(new Statement.Rollback("mv", "p"));
        assertThat(fixture.plan("ALTER APPLICATION default ROLLBACK TO RECOVERY POINT p"))
                .isEqualTo(new Statement.Rollback(null, "p"));
    }

    @Test
    void aSelectSaysWhichReadersReadThePast() {
        fixture.execute("CREATE MATERIALIZED VIEW mv AS SELECT id, COUNT(*) AS n FROM events GROUP BY id");
        Statement.Select select = (Statement.Select)
                fixture.plan(
                        "SELECT mv.n, old.n, accounts.id FROM mv JOIN mv FOR SYSTEM_TIME AS OF RECOVERY_POINT('p') AS old ON mv.id = old.id"
                                + " JOIN accounts FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP - INTERVAL '1' MINUTE ON accounts.id = mv.id");
        assertThat(select.past().values())
                .hasSize(2)
                .contains(new AsOf.Point("p"))
                .anySatisfy(asOf -> assertThat(asOf)
                        .isInstanceOfSatisfying(
                                AsOf.Time.class,
                                time -> assertThat(time.text()).isEqualTo("CURRENT_TIMESTAMP - INTERVAL '1' MINUTE")));
        assertThat(select.dependsOn()).containsExactly(ObjectName.inPublic("accounts"), ObjectName.inPublic("mv"));
        Statement.Select past = (Statement.Select)
                fixture.plan("SELECT MV.n FROM mv FOR SYSTEM_TIME AS OF TIMESTAMP '2026-01-01 00:00:00' WHERE id = 1");
        AsOf.Time time = (AsOf.Time) past.past().values().iterator().next();
        assertThat(time.time().schema().type(0).kind()).isEqualTo(io.tailwater.common.type.TypeKind.TIMESTAMP_LTZ);
        assertThat(((Statement.Select) fixture.plan("SELECT n FROM mv")).past()).isEmpty();
    }

    @Test
    void wordsOfRecoveryAreStillNames() {
        fixture.execute("CREATE STREAM recovery (point INT, points INT, snapshots INT, application INT, upgrade INT)");
        assertThat(fixture.root("SELECT point, points, snapshots, application, upgrade FROM recovery")
                        .schema()
                        .size())
                .isEqualTo(5);
        assertThat(fixture.plan("DESCRIBE recovery"))
                .isEqualTo(new Statement.Describe(ObjectName.inPublic("recovery")));
        assertThat(fixture.plan("SHOW snapshots.x"))
                .isEqualTo(new Statement.Show(Statement.ShowKind.SETTING, null, "snapshots.x", null));
    }

    @Test
    void scriptsAreCutAtSemicolonsOnly() {
        String script = "-- first; comment\nSELECT ';' AS \"a;b\" /* ; */;\n;;  SELECT 'it''s; 2'\n; -- end;";
        List<ScriptStatement> statements = SqlPlanner.split(script);
        assertThat(statements)
                .extracting(ScriptStatement::text)
                .containsExactly("SELECT ';' AS \"a;b\" /* ; */", "SELECT 'it''s; 2'");
        assertThat(statements)
                .allSatisfy(s -> assertThat(script.substring(s.offset())).startsWith(s.text()));
        assertThat(SqlPlanner.split(" ; -- nothing\n")).isEmpty();
    }

    @Test
    void updatesYieldNewRowsAndOldKeysOnlyIfKeysChange() {
        Statement.Update plain = (Statement.Update) fixture.plan("UPDATE accounts SET balance = 1 WHERE id = 2");
        assertThat(plain.changesKey()).isFalse();
        assertThat(plain.rows().schema().size()).isEqualTo(4);
        Statement.Update moved = (Statement.Update) fixture.plan("UPDATE accounts SET id = id + 1");
        assertThat(moved.changesKey()).isTrue();
        assertThat(moved.rows().schema().size()).isEqualTo(5);
        Statement.Delete delete = (Statement.Delete) fixture.plan("DELETE FROM accounts a WHERE a.balance < ?", 0L);
        assertThat(delete.rows().schema().size()).isEqualTo(4);
    }

    @Test
    void watermarksFollowTimeThroughWindowsAndGroups() {
        PlanNode root = fixture.root(
                "SELECT window_start, window_end, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
                        + " GROUP BY window_start, window_end EMIT CHANGES");
        assertThat(root.traits().watermarked())
                .extracting(w -> w.column() + ":" + w.lagMicros())
                .contains("0:59999999", "1:-1");
    }

    @Test
    void aConditionThatIsNeverTrueLeavesAJobAndAView() {
        Statement.CreateMaterializedView view = (Statement.CreateMaterializedView)
                fixture.plan("CREATE MATERIALIZED VIEW v AS SELECT id FROM events WHERE 1 = 0");
        assertThat(view.view().dependsOn()).containsExactly(ObjectName.inPublic("events"));
        Statement.InsertSelect job = (Statement.InsertSelect)
                fixture.plan("INSERT INTO accounts SELECT id, kind, amount, NULL FROM events WHERE 1 = 0");
        assertThat(job.dependsOn()).contains(ObjectName.inPublic("events"));
    }

    @Test
    void namesMayBeginWithTheCatalog() {
        assertThat(fixture.root("SELECT id FROM tailwater.public.events"))
                .isEqualTo(fixture.root("SELECT id FROM events"));
        assertThat(fixture.root("SELECT tailwater.public.events.id FROM Tailwater.\"public\".events"))
                .isEqualTo(fixture.root("SELECT id FROM events"));
        assertThat(((Statement.Drop) fixture.plan("DROP STREAM tailwater.public.numbers")).name())
                .isEqualTo(ObjectName.inPublic("numbers"));
        assertThat(((Statement.CreateStream) fixture.plan("CREATE STREAM tailwater.public.s (a INT)"))
                        .stream().name())
                .isEqualTo(ObjectName.inPublic("s"));
    }

    @Test
    void aWatermarkWithoutLatenessSaysSo() {
        CatalogObject.Watermark without = ((CatalogObject.Stream)
                        fixture.catalog().find(ObjectName.inPublic("events")).orElseThrow())
                .watermark();
        CatalogObject.Watermark with = ((CatalogObject.Stream)
                        fixture.catalog().find(ObjectName.inPublic("clicks")).orElseThrow())
                .watermark();
        assertThat(without).isEqualTo(new CatalogObject.Watermark(3, 5_000_000, -1));
        assertThat(with).isEqualTo(new CatalogObject.Watermark(2, 5_000_000, 60_000_000));
    }

    @Test
    void emitOnWindowCloseOnlyAppends() {
        Statement.Select select = (Statement.Select) fixture.plan(
                "SELECT window_end, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
                        + " GROUP BY window_start, window_end EMIT ON WINDOW CLOSE");
        assertThat(select.changes()).isTrue();
        assertThat(select.appendOnly()).isTrue();
        assertThat(select.result().columns().stream().map(Column::name)).containsExactly("window_end", "n");
    }

    @Test
    void lateFiltersReadEveryColumn() {
        PlanNode root = fixture.root(
                "SELECT page, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
                        + " GROUP BY page, window_start, window_end EMIT CHANGES");
        java.util.ArrayList<PlanNode.LateFilter> filters = new java.util.ArrayList<>();
        Queries.walk(root, n -> {
            if (n instanceof PlanNode.LateFilter filter) {
                filters.add(filter);
            }
        });
        assertThat(filters).hasSize(1);
        PlanNode.Scan scan = (PlanNode.Scan) filters.get(0).input();
        assertThat(scan.columns()).containsExactly(0, 1, 2, PlanNode.Scan.ARRIVAL);
        assertThat(filters.get(0).arrivalColumn()).isEqualTo(3);
        assertThat(filters.get(0).slackMicros()).isEqualTo(55_000_000);
    }

    @Test
    void readersAreNumberedInOrder() {
        PlanNode root =
                fixture.root("SELECT * FROM accounts a JOIN events e ON a.id = e.id JOIN regions r ON e.kind = r.code");
        java.util.ArrayList<Integer> readers = new java.util.ArrayList<>();
        Queries.walk(root, n -> {
            if (n instanceof PlanNode.Scan scan) {
                readers.add(scan.reader());
            }
        });
        assertThat(readers).containsExactly(0, 1, 2);
    }
}
