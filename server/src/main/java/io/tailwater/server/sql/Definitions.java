package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.StreamOptions;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.settings.SettingType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.planner.Statement;
import io.tailwater.server.catalog.CatalogChange;
import io.tailwater.server.catalog.CatalogChange.IfExists;
import io.tailwater.server.catalog.CatalogDecision;
import io.tailwater.server.catalog.NearestName;
import io.tailwater.server.sql.SqlSession.Outcome;
import org.jspecify.annotations.Nullable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeSet;

/** Statements that change the catalog or must not see it change. Runs while no other definition changes. */
final class Definitions {
    private static final String APPLICATION = "default";
    private static final List<String> STREAM_OPTIONS =
            List.of("partitions", "replicas", "retention", "retention_size", StreamOptions.IDLE_TIMEOUT);

    private Definitions() {}

    /** Whether this class executes {@code statement}. */
    static boolean changesCatalog(Statement statement) {
        return statement instanceof Statement.CreateStream
                || statement instanceof Statement.CreateTable
                || statement instanceof Statement.CreateView
                || statement instanceof Statement.CreateMaterializedView
                || statement instanceof Statement.InsertSelect
                || statement instanceof Statement.Drop
                || statement instanceof Statement.DropJob
                || statement instanceof Statement.PauseJob
                || statement instanceof Statement.ResumeJob
                || statement instanceof Statement.Rollback;
    }

    static Outcome execute(Statement statement, StatementRun run) {
        if (statement instanceof Statement.CreateStream create) {
            return createStream(create, run);
        }
        if (statement instanceof Statement.CreateTable create) {
            requireKnownOptions("table", create.table().options().keySet(), List.of());
            return create(create.table(), create.orReplace(), create.ifNotExists(), run);
        }
        if (statement instanceof Statement.CreateView create) {
            return create(create.view(), create.orReplace(), create.ifNotExists(), run);
        }
        if (statement instanceof Statement.CreateMaterializedView create) {
            Upgrades.requireInput(create, run.image(), run.context().engine());
            return create(create.view(), create.orReplace(), create.ifNotExists(), run);
        }
        if (statement instanceof Statement.InsertSelect insert) {
            return startJob(insert, run);
        }
        if (statement instanceof Statement.Drop drop) {
            return drop(drop, run);
        }
        if (statement instanceof Statement.DropJob drop) {
            return drop.job() == null
                    ? done(List.of("the job does not exist, skipping"))
                    : apply(new CatalogChange.DropJob(drop.job(), false), run);
        }
        if (statement instanceof Statement.Rollback rollback) {
            return RecoveryStatements.rollback(rollback, run);
        }
        if (statement instanceof Statement.PauseJob || statement instanceof Statement.ResumeJob) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "jobs cannot be paused and resumed yet",
                    -1,
                    "DROP JOB ends a job; SHOW CREATE JOB prints the statement that starts it anew.",
                    null);
        }
        throw new AssertionError(statement);
    }

    private static Outcome createStream(Statement.CreateStream create, StatementRun run) {
        CatalogObject.Stream stream = create.stream();
        boolean skip = create.ifNotExists() && run.image().find(stream.name()).isPresent();
        if (stream.connector() == null) {
            requireStorable(stream);
        } else if (!skip) {
            stream = run.context().connectors().resolve(stream, run.context().workingDirectory());
        }
        Statement.ImpliedWatermark implied = create.watermark();
        if (implied != null && !skip) {
            stream = withWatermark(stream, implied);
        }
        if (!skip) {
            StreamOptions.check(stream);
        }
        List<String> notices = new ArrayList<>();
        String path = stream.options().get("path");
        if (!skip && stream.connector() != null && path != null && !Files.exists(Path.of(path))) {
            notices.add("there is no file \"" + path + "\" on the server yet");
        }
        CatalogChange.Create change =
                new CatalogChange.Create(stream, ifExists(create.orReplace(), create.ifNotExists()));
        notices.addAll(decide(change, run).notices());
        return done(notices);
    }

    private static void requireStorable(CatalogObject.Stream stream) {
        requireKnownOptions("stream", stream.options().keySet(), STREAM_OPTIONS);
        String replicas = stream.options().get("replicas");
        if (replicas != null && !replicas.strip().equals("1")) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "a standalone server keeps one replica, not " + replicas,
                    -1,
                    "Leave the option replicas out.",
                    null);
        }
        requireValid("retention", new SettingType.LongSpan(), stream.options());
        requireValid("retention_size", new SettingType.Bytes(), stream.options());
    }

    private static void requireValid(String option, SettingType<?> type, Map<String, String> options) {
        String text = options.get(option);
        if (text == null) {
            return;
        }
        try {
            Object value = type.parse(text.strip());
            if (value.equals(Duration.ZERO) || value.equals(0L)) {
                throw invalid(option, text, "more than nothing", null);
            }
        } catch (IllegalArgumentException e) {
            throw invalid(option, text, String.valueOf(e.getMessage()), e);
        }
    }

    private static StreamException invalid(
            String option, String text, String expected, @Nullable IllegalArgumentException cause) {
        return new StreamException(
                ErrorCode.INVALID_PARAMETER_VALUE,
                "option " + option + " must be " + expected + ", not '" + text + "'",
                -1,
                null,
                cause);
    }

    private static void requireKnownOptions(String kind, Iterable<String> given, List<String> known) {
        for (String key : given) {
            if (!known.contains(key)) {
                throw new StreamException(
                        ErrorCode.INVALID_PARAMETER_VALUE,
                        "a " + kind + " without a connector has no option '" + key + "'",
                        -1,
                        known.isEmpty()
                                ? "Leave it out."
                                : NearestName.hint(
                                        key,
                                        known,
                                        "Its options are: " + String.join(", ", known)
                                                + ". To read or write outside data, add connector = '...'."),
                        null);
            }
        }
    }

    /** The columns are known only now. */
    private static CatalogObject.Stream withWatermark(CatalogObject.Stream stream, Statement.ImpliedWatermark wanted) {
        Schema schema = stream.schema();
        OptionalInt column = schema.indexOf(wanted.column());
        if (column.isEmpty()) {
            List<String> names = schema.columns().stream().map(c -> c.name()).toList();
            throw new StreamException(
                    ErrorCode.UNDEFINED_COLUMN,
                    "column \"" + wanted.column() + "\" of the watermark does not exist",
                    -1,
                    NearestName.hint(wanted.column(), names, "The columns are: " + String.join(", ", names) + "."),
                    null);
        }
        TypeKind kind = schema.type(column.getAsInt()).kind();
        if (kind != TypeKind.TIMESTAMP && kind != TypeKind.TIMESTAMP_LTZ) {
            throw new StreamException(
                    ErrorCode.DATATYPE_MISMATCH,
                    "the watermark's column \"" + wanted.column() + "\" must be a timestamp, but is "
                            + schema.type(column.getAsInt()).sql());
        }
        CatalogObject.Watermark watermark =
                new CatalogObject.Watermark(column.getAsInt(), wanted.delayMicros(), wanted.latenessMicros());
        return new CatalogObject.Stream(
                stream.name(), schema, watermark, stream.partitionBy(), stream.partitions(), stream.options());
    }

    private static Outcome create(CatalogObject object, boolean orReplace, boolean ifNotExists, StatementRun run) {
        return apply(new CatalogChange.Create(object, ifExists(orReplace, ifNotExists)), run);
    }

    private static IfExists ifExists(boolean orReplace, boolean ifNotExists) {
        return orReplace ? IfExists.REPLACE : ifNotExists ? IfExists.SKIP : IfExists.FAIL;
    }

    private static Outcome startJob(Statement.InsertSelect insert, StatementRun run) {
        String wanted = insert.job();
        if (wanted != null && insert.ifNotExists() && run.image().jobs().containsKey(wanted)) {
            return new Outcome.Done(0, wanted, List.of("job \"" + wanted + "\" already exists, skipping"));
        }
        String name = wanted != null ? wanted : freeJobName(run.image(), insert.target());
        JobDefinition job = new JobDefinition(
                name, APPLICATION, insert.sql(), insert.target(), insert.plan(), insert.dependsOn(), false);
        CatalogDecision decision = decide(new CatalogChange.CreateJob(job), run);
        return new Outcome.Done(0, name, decision.notices());
    }

    /** {@code insert_<target>_<n>} with the least n that no job and no materialized view has. */
    static String freeJobName(CatalogImage image, ObjectName target) {
        TreeSet<String> taken = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        taken.addAll(image.jobs().keySet());
        image.objects().keySet().forEach(name -> taken.add(name.toString()));
        for (int n = 1; ; n++) {
            String name = "insert_" + target.name() + "_" + n;
            if (!taken.contains(name)) {
                return name;
            }
        }
    }

    private static Outcome drop(Statement.Drop drop, StatementRun run) {
        String kind = drop.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        ObjectName name = drop.name();
        if (name == null) {
            return done(List.of("the " + kind + " does not exist, skipping"));
        }
        return apply(
                new CatalogChange.Drop(name, kind, false, !drop.dependants().isEmpty()), run);
    }

    private static Outcome apply(CatalogChange change, StatementRun run) {
        return done(decide(change, run).notices());
    }

    private static CatalogDecision decide(CatalogChange change, StatementRun run) {
        return run.context().catalog().apply(change, run.context().engine(), run.zone());
    }

    private static Outcome done(List<String> notices) {
        return new Outcome.Done(0, null, notices);
    }
}
