package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A statement, checked against one catalog image and planned: all that is left is to do it. Names are as the catalog has them; objects to be created
 * carry the names as written. Immutable.
 *
 * <p>What planning has checked: names exist (unless IF EXISTS), kinds fit, types fit, a new name is free (unless IF NOT EXISTS or OR REPLACE, which the
 * executor must look at), nothing depends on what is dropped unless CASCADE. The executor checks again at commit if the catalog version has moved.
 */
public sealed interface Statement {
    /**
     * CREATE STREAM.
     *
     * @param stream with an empty schema if the columns are implied by its connector, and options not yet checked: see {@code Connector.resolve}
     *
     * @param watermark set if the columns are implied and WATERMARK was declared, because its index is not known yet; else null
     */
    record CreateStream(
            CatalogObject.Stream stream,
            boolean orReplace,
            boolean ifNotExists,
            @Nullable ImpliedWatermark watermark) implements Statement {}

    /** {@code WATERMARK FOR column AS column - delay} on a stream whose columns are implied. Microseconds. */
    record ImpliedWatermark(String column, long delayMicros, long latenessMicros) {}

    /** CREATE TABLE with a primary key. */
    record CreateTable(CatalogObject.Table table, boolean orReplace, boolean ifNotExists) implements Statement {}

    /** CREATE VIEW. */
    record CreateView(CatalogObject.View view, boolean orReplace, boolean ifNotExists) implements Statement {}

    /** CREATE MATERIALIZED VIEW. */
    record CreateMaterializedView(CatalogObject.MaterializedView view, boolean orReplace, boolean ifNotExists)
            implements Statement {}

    /**
     * A continuous INSERT INTO ... SELECT over relations: becomes a job.
     *
     * @param job its name if the statement gives one, else null
     * @param ifNotExists of CREATE JOB
     * @param sql the INSERT as written, for the catalog
     * @param dependsOn what it reads, and its target
     */
    record InsertSelect(
            @Nullable String job,
            boolean ifNotExists,
            ObjectName target,
            JobPlan plan,
            String sql,
            List<ObjectName> dependsOn)
            implements Statement {
        public InsertSelect {
            dependsOn = List.copyOf(dependsOn);
        }
    }

    /**
     * A bounded INSERT: VALUES, or a SELECT without relations.
     *
     * @param rows yields complete rows of the target, in its column order, with NOT NULL and lengths enforced by the plan. It scans nothing
     * @param upsert a row replaces the one of its key; the target is a keyed table then
     */
    record InsertValues(ObjectName target, PlanNode rows, boolean upsert) implements Statement {}

    /**
     * UPDATE of a keyed table.
     *
     * @param rows yields, for each row to change, the table's columns with their new values, then, only if {@code changesKey}, the old values of the
     *     primary key's columns in key order
     */
    record Update(ObjectName table, PlanNode rows, boolean changesKey) implements Statement {}

    /** DELETE from a keyed table; {@code rows} yields the complete rows to be deleted. */
    record Delete(ObjectName table, PlanNode rows) implements Statement {}

    /**
     * A query.
     *
     * @param root yields the rows; its schema is {@code result} without {@code op}
     * @param changes EMIT CHANGES: the answer, then its changes for ever
     * @param appendOnly no row is ever taken back. With {@code changes}, a query that is not append-only has a leading column {@code op} in
     *     {@code result} that the plan does not make: it comes from the weights
     * @param latest {@code OPTIONS('start' = 'latest')}: skip the current answer
     * @param result columns as the client sees them
     * @param dependsOn what it reads
     * @param past readers of the plan that read what a view or table was, and when; only without {@code changes}
     */
    record Select(
            PlanNode root,
            boolean changes,
            boolean appendOnly,
            boolean latest,
            Schema result,
            List<ObjectName> dependsOn,
            SortedMap<Integer, AsOf> past)
            implements Statement {
        public Select {
            dependsOn = List.copyOf(dependsOn);
            past = Collections.unmodifiableSortedMap(new TreeMap<>(past));
        }
    }

    /**
     * EXPLAIN: one row of one VARCHAR column {@code plan} for each line.
     *
     * @param analyze EXPLAIN ANALYZE: run {@code explained}, which is a bounded query, and add what was measured
     */
    record Explain(List<String> lines, boolean analyze, Statement explained) implements Statement {
        public Explain {
            lines = List.copyOf(lines);
        }
    }

    /**
     * EXPLAIN UPGRADE: what CREATE OR REPLACE will do to the state of a materialized view.
     *
     * @param was the view that is there
     * @param now the view that takes its place
     * @param parts operators with state, of {@code now} and then of {@code was} only
     */
    record ExplainUpgrade(CatalogObject.MaterializedView was, CatalogObject.MaterializedView now, List<Part> parts)
            implements Statement {
        public ExplainUpgrade {
            parts = List.copyOf(parts);
        }

        /**
         * An operator with state.
         *
         * @param reads the scans that its state is made from
         */
        public record Part(String operator, Change change, List<PlanNode.Scan> reads) {
            public Part {
                reads = List.copyOf(reads);
            }
        }

        /** Which of the two plans has the operator, with the same inputs and so with the same state. */
        public enum Change {
            BOTH,
            ONLY_NOW,
            ONLY_BEFORE
        }
    }

    /** DESCRIBE of a stream, table or view. */
    record Describe(ObjectName name) implements Statement {}

    /** DESCRIBE JOB. */
    record DescribeJob(String job) implements Statement {}

    /** What SHOW lists. */
    enum ShowKind {
        STREAMS,
        TABLES,
        VIEWS,
        MATERIALIZED_VIEWS,
        JOBS,
        SCHEMAS,
        FUNCTIONS,
        CONNECTORS,
        SNAPSHOTS,
        RECOVERY_POINTS,
        /** Columns of {@link Show#object}. */
        COLUMNS,
        /** The CREATE statement of {@link Show#object}. */
        CREATE,
        /** The INSERT statement of the job named {@link Show#name}. */
        CREATE_JOB,
        /** All settings. */
        ALL,
        /** The setting named {@link Show#name}. */
        SETTING
    }

    /**
     * SHOW.
     *
     * @param like pattern of LIKE on the names, or null
     */
    record Show(
            ShowKind kind,
            @Nullable ObjectName object,
            @Nullable String name,
            @Nullable String like) implements Statement {}

    /** What DROP drops. */
    enum DropKind {
        STREAM,
        TABLE,
        VIEW,
        MATERIALIZED_VIEW
    }

    /**
     * DROP of an object.
     *
     * @param name null if it does not exist and IF EXISTS was said: nothing to do
     * @param dependants what CASCADE drops first, in this order; jobs by name, objects by name
     */
    record Drop(DropKind kind, @Nullable ObjectName name, List<Dependant> dependants) implements Statement {
        public Drop {
            dependants = List.copyOf(dependants);
        }
    }

    /** A job (then {@code object} is null) or an object (then {@code job} is null). */
    record Dependant(@Nullable String job, @Nullable ObjectName object) {}

    /** DROP JOB; {@code job} is null if it does not exist and IF EXISTS was said. */
    record DropJob(@Nullable String job) implements Statement {}

    /** PAUSE JOB. */
    record PauseJob(String job) implements Statement {}

    /** RESUME JOB. */
    record ResumeJob(String job) implements Statement {}

    /** CREATE RECOVERY POINT of the one application. */
    record CreateRecoveryPoint(String name, boolean ifNotExists) implements Statement {}

    /** DROP RECOVERY POINT. */
    record DropRecoveryPoint(String name, boolean ifExists) implements Statement {}

    /** DESCRIBE RECOVERY POINT. */
    record DescribeRecoveryPoint(String name) implements Statement {}

    /**
     * ALTER JOB or APPLICATION ... ROLLBACK TO RECOVERY POINT. Which points there are is not checked here.
     *
     * @param job null for the whole application
     */
    record Rollback(@Nullable String job, String point) implements Statement {}

    /** SET key = value. The key is in lower case; what it may be is not checked here. */
    record SetOption(String key, String value) implements Statement {}

    /** RESET key, or RESET ALL with a null key. */
    record ResetOption(@Nullable String key) implements Statement {}

    /**
     * WAIT FOR a job, view, table or stream.
     *
     * @param name of an object, or of a job in schema {@code public}
     * @param timeout null for the server's default
     */
    record WaitFor(ObjectName name, @Nullable Duration timeout) implements Statement {}
}
