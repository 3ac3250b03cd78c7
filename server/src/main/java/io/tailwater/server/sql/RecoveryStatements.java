package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.Statement;
import io.tailwater.server.catalog.NearestName;
import io.tailwater.server.engine.Engine;
import io.tailwater.server.engine.Recovery;
import io.tailwater.server.sql.SqlSession.Outcome;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** Statements about snapshots and recovery points, and the tables that list them. */
final class RecoveryStatements {
    private static final String APPLICATION = "default";
    private static final double NANOS_PER_MILLI = 1e6;
    private static final DataType TEXT = DataType.VARCHAR.notNull();
    private static final DataType LONG = DataType.BIGINT.notNull();
    private static final DataType INT = DataType.INTEGER.notNull();
    private static final DataType TIME = DataType.TIMESTAMP_LTZ.notNull();

    static final Schema SNAPSHOTS = Schema.of(
            new Column("application", TEXT),
            new Column("tick", LONG),
            new Column("created_at", TIME),
            new Column("state_rows", LONG),
            new Column("bytes", LONG),
            new Column("files", INT),
            new Column("chain_bytes", LONG),
            new Column("full_vnodes", INT),
            new Column("capture_ms", DataType.DOUBLE),
            new Column("write_ms", DataType.DOUBLE),
            new Column("interval_ms", DataType.BIGINT));

    static final Schema POINTS = Schema.of(
            new Column("name", TEXT),
            new Column("application", TEXT),
            new Column("tick", LONG),
            new Column("created_at", TIME),
            new Column("bytes", LONG),
            new Column("jobs", TEXT));

    private RecoveryStatements() {}

    /** Whether this class executes {@code statement}. */
    static boolean executes(Statement statement) {
        return statement instanceof Statement.CreateRecoveryPoint || statement instanceof Statement.DropRecoveryPoint;
    }

    static Outcome execute(Statement statement, StatementRun run) {
        Recovery recovery = run.context().engine().recovery();
        if (statement instanceof Statement.CreateRecoveryPoint create) {
            return create(create, recovery, run);
        }
        if (statement instanceof Statement.DropRecoveryPoint drop) {
            return drop(drop, recovery);
        }
        throw new AssertionError(statement);
    }

    private static Outcome create(Statement.CreateRecoveryPoint create, Recovery recovery, StatementRun run) {
        try {
            recovery.createPoint(create.name(), run.guard().cancel());
            return done();
        } catch (StreamException e) {
            if (create.ifNotExists() && e.code() == ErrorCode.DUPLICATE_OBJECT) {
                return done("recovery point \"" + create.name() + "\" already exists, skipping");
            }
            throw e;
        }
    }

    /** Does not look at the points before: one that cannot be read any more can be dropped. */
    private static Outcome drop(Statement.DropRecoveryPoint drop, Recovery recovery) {
        try {
            recovery.dropPoint(drop.name());
            return done();
        } catch (StreamException e) {
            if (e.code() != ErrorCode.UNDEFINED_OBJECT) {
                throw e;
            }
            if (drop.ifExists()) {
                return done("recovery point \"" + drop.name() + "\" does not exist, skipping");
            }
            throw missing(drop.name(), recovery);
        }
    }

    /** Runs while no definition changes. */
    static Outcome rollback(Statement.Rollback rollback, StatementRun run) {
        Recovery recovery = run.context().engine().recovery();
        recovery.rollback(rollback.job(), required(rollback.point(), recovery).name());
        return done();
    }

    private static Recovery.RecoveryPoint required(String name, Recovery recovery) {
        return recovery.points().stream()
                .filter(point -> point.name().equals(name))
                .findFirst()
                .orElseThrow(() -> missing(name, recovery));
    }

    private static StreamException missing(String name, Recovery recovery) {
        return new StreamException(
                ErrorCode.UNDEFINED_OBJECT,
                "recovery point \"" + name + "\" does not exist",
                -1,
                NearestName.hint(
                        name,
                        recovery.points().stream()
                                .map(Recovery.RecoveryPoint::name)
                                .toList(),
                        "SHOW RECOVERY POINTS lists those there are."),
                null);
    }

    private static Outcome done(String... notices) {
        return new Outcome.Done(0, null, List.of(notices));
    }

    /** @param like of the application's name */
    static List<List<@Nullable Object>> snapshots(Engine engine, @Nullable String like) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        if (!NamePattern.matches(like, APPLICATION)) {
            return out;
        }
        long before = -1;
        for (Recovery.SnapshotStatus snapshot : engine.recovery().snapshots()) {
            out.add(SystemTables.row(
                    APPLICATION,
                    snapshot.tick(),
                    snapshot.createdMicros(),
                    snapshot.rows(),
                    snapshot.bytes(),
                    (long) snapshot.files(),
                    snapshot.chainBytes(),
                    (long) snapshot.fullVnodes(),
                    millis(snapshot.captureNanos()),
                    millis(snapshot.writeNanos()),
                    before < 0 ? null : (snapshot.createdMicros() - before) / 1_000));
            before = snapshot.createdMicros();
        }
        return out;
    }

    private static @Nullable Double millis(long nanos) {
        return nanos < 0 ? null : nanos / NANOS_PER_MILLI;
    }

    static List<List<@Nullable Object>> points(Engine engine, @Nullable String like) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Recovery.RecoveryPoint point : engine.recovery().points()) {
            if (NamePattern.matches(like, point.name())) {
                out.add(SystemTables.row(
                        point.name(),
                        APPLICATION,
                        point.tick(),
                        point.createdMicros(),
                        point.bytes(),
                        String.join(", ", point.jobs())));
            }
        }
        return out;
    }

    /** Rows of DESCRIBE RECOVERY POINT. */
    static List<List<@Nullable Object>> describe(String name, StatementRun run) {
        Recovery.RecoveryPoint point = required(name, run.context().engine().recovery());
        List<List<@Nullable Object>> out = new ArrayList<>();
        out.add(SystemTables.row("name", point.name()));
        out.add(SystemTables.row("application", APPLICATION));
        out.add(SystemTables.row("tick", Long.toString(point.tick())));
        out.add(SystemTables.row("created at", SqlText.value(point.createdMicros(), DataType.TIMESTAMP) + " UTC"));
        out.add(SystemTables.row("bytes", Long.toString(point.bytes())));
        out.add(SystemTables.row("files", Integer.toString(point.files())));
        for (String job : point.jobs()) {
            out.add(SystemTables.row("job", job));
        }
        return out;
    }
}
