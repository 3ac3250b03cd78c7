package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A catalog with the Nexmark streams, a stored stream, tables, and whatever a test adds by SQL. */
final class Fixture {
    private CatalogImage catalog = CatalogImage.EMPTY;
    private Session session = Session.DEFAULT;

    Fixture() {
        Schema bid = schema(
                "auction BIGINT",
                "bidder BIGINT",
                "price BIGINT",
                "channel VARCHAR",
                "url VARCHAR",
                "dateTime TS",
                "extra VARCHAR");
        Schema auction = schema(
                "id BIGINT",
                "itemName VARCHAR",
                "description VARCHAR",
                "initialBid BIGINT",
                "reserve BIGINT",
                "dateTime TS",
                "expires TS",
                "seller BIGINT",
                "category BIGINT",
                "extra VARCHAR");
        Schema person = schema(
                "id BIGINT",
                "name VARCHAR",
                "emailAddress VARCHAR",
                "creditCard VARCHAR",
                "city VARCHAR",
                "state VARCHAR",
                "dateTime TS",
                "extra VARCHAR");
        nexmark("bid", bid, 5);
        nexmark("auction", auction, 5);
        nexmark("person", person, 6);
        add(new CatalogObject.SystemTable(
                new ObjectName("sys", "jobs"), Schema.of(new Column("name", DataType.VARCHAR))));
        execute(
                "CREATE STREAM events (id BIGINT NOT NULL, kind VARCHAR(10), amount DECIMAL(18, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)");
        execute(
                "CREATE STREAM numbers (i INT, b BIGINT NOT NULL, d DOUBLE, s VARCHAR, t TIMESTAMP(3), dt DATE, flag BOOLEAN, small SMALLINT)");
        execute(
                "CREATE TABLE accounts (id BIGINT PRIMARY KEY, owner VARCHAR NOT NULL, balance DECIMAL(18, 2), opened DATE)");
        execute(
                "CREATE STREAM clicks (page VARCHAR, visitor BIGINT NOT NULL, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND LATENESS INTERVAL '1' MINUTE)");
        execute("CREATE STREAM per_minute (page VARCHAR, from_ts TIMESTAMP(3), n BIGINT)");
        execute("CREATE TABLE regions (code VARCHAR(3), name VARCHAR, PRIMARY KEY (code))");
        execute("CREATE STREAM sink WITH (connector = 'blackhole')", schema("auction BIGINT", "price BIGINT"));
        execute("CREATE STREAM lines (line VARCHAR) WITH (connector = 'file', path = 'x')");
    }

    private static Schema schema(String... columns) {
        return new Schema(java.util.Arrays.stream(columns)
                .map(c -> {
                    String[] parts = c.split(" ");
                    return new Column(
                            parts[0],
                            switch (parts[1]) {
                                case "BIGINT" -> DataType.BIGINT.notNull();
                                case "TS" -> DataType.timestamp(3).notNull();
                                default -> DataType.VARCHAR.notNull();
                            });
                })
                .toList());
    }

    private void nexmark(String kind, Schema schema, int time) {
        TreeMap<String, String> options = new TreeMap<>(Map.of("connector", "nexmark", "kind", kind, "events", "1000"));
        add(new CatalogObject.Stream(
                ObjectName.inPublic(kind),
                schema,
                new CatalogObject.Watermark(time, 4_000_000, CatalogObject.Watermark.NO_LATENESS),
                List.of(),
                1,
                options));
    }

    private void execute(String sql, Schema implied) {
        Statement.CreateStream create = (Statement.CreateStream) plan(sql);
        CatalogObject.Stream s = create.stream();
        add(new CatalogObject.Stream(s.name(), implied, null, List.of(), 1, s.options()));
    }

    Fixture add(CatalogObject object) {
        catalog = catalog.with(object);
        return this;
    }

    CatalogImage catalog() {
        return catalog;
    }

    Fixture session(Session newSession) {
        session = newSession;
        return this;
    }

    Statement plan(String sql, @Nullable Object... parameters) {
        return SqlPlanner.plan(sql, java.util.Arrays.asList(parameters), catalog, session, CONNECTORS);
    }

    Prepared prepare(String sql) {
        return SqlPlanner.prepare(sql, catalog, session, CONNECTORS);
    }

    /** The statement, with a definition or job it makes added to the catalog. */
    Statement execute(String sql) {
        Statement statement = plan(sql);
        if (statement instanceof Statement.CreateStream create) {
            add(create.stream());
        } else if (statement instanceof Statement.CreateTable create) {
            add(create.table());
        } else if (statement instanceof Statement.CreateView create) {
            add(create.view());
        } else if (statement instanceof Statement.CreateMaterializedView create) {
            add(create.view());
        } else if (statement instanceof Statement.InsertSelect insert) {
            String name = insert.job() == null ? "job" : insert.job();
            catalog = catalog.withJob(new JobDefinition(
                    name, "main", insert.sql(), insert.target(), insert.plan(), insert.dependsOn(), false));
        }
        return statement;
    }

    /** Plan of a query, view or insert. */
    PlanNode root(String sql) {
        Statement statement = plan(sql);
        if (statement instanceof Statement.Select select) {
            return select.root();
        }
        if (statement instanceof Statement.InsertSelect insert) {
            return insert.plan().root();
        }
        if (statement instanceof Statement.InsertValues insert) {
            return insert.rows();
        }
        if (statement instanceof Statement.CreateMaterializedView create) {
            return create.view().plan().root();
        }
        throw new AssertionError(statement);
    }

    List<String> explain(String sql) {
        return ((Statement.Explain) plan("EXPLAIN " + sql)).lines();
    }

    private static final Connectors CONNECTORS = new Connectors() {
        @Override
        public boolean bounded(CatalogObject.Stream stream) {
            return stream.options().containsKey("events") || stream.options().containsKey("path");
        }

        @Override
        public boolean readable(CatalogObject.Stream stream) {
            return !"blackhole".equals(stream.connector());
        }

        @Override
        public boolean writable(CatalogObject.Stream stream) {
            return !"nexmark".equals(stream.connector());
        }

        @Override
        public boolean acceptsUpdates(CatalogObject.Stream stream) {
            return "blackhole".equals(stream.connector());
        }
    };
}
