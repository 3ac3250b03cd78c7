package io.tailwater.planner.syntax;

import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** A statement of ours as it was written. */
public sealed interface Syntax {
    /** What may follow a query. */
    enum Emit {
        NONE,
        CHANGES,
        ON_WINDOW_CLOSE
    }

    /** Words that DROP and SHOW CREATE know. */
    enum ObjectKind {
        STREAM,
        TABLE,
        VIEW,
        MATERIALIZED_VIEW,
        JOB
    }

    /** A column of CREATE STREAM or CREATE TABLE. */
    record ColumnDef(SqlIdentifier name, SqlDataTypeSpec type, boolean notNull, boolean primaryKey) {}

    /** WATERMARK FOR column AS expression [LATENESS lateness]. */
    record WatermarkDef(
            SqlIdentifier column,
            SqlNode expression,
            @Nullable SqlNode lateness) {}

    /** key = value of WITH; the key is an identifier or a string, the value a literal or a bare word. */
    record Option(SqlNode key, SqlNode value) {}

    record CreateStream(
            SqlIdentifier name,
            boolean orReplace,
            boolean ifNotExists,
            List<ColumnDef> columns,
            List<SqlIdentifier> key,
            List<WatermarkDef> watermarks,
            List<SqlIdentifier> partitionBy,
            List<Option> options)
            implements Syntax {}

    record CreateTable(
            SqlIdentifier name,
            boolean orReplace,
            boolean ifNotExists,
            List<ColumnDef> columns,
            List<SqlIdentifier> key,
            List<WatermarkDef> watermarks,
            List<Option> options)
            implements Syntax {}

    record CreateView(
            SqlIdentifier name,
            boolean orReplace,
            boolean ifNotExists,
            boolean materialized,
            List<SqlIdentifier> columns,
            SqlParserPos queryStart,
            Query query)
            implements Syntax {}

    record CreateJob(SqlIdentifier name, boolean orReplace, boolean ifNotExists, SqlNode insert, Emit emit)
            implements Syntax {}

    record Insert(SqlNode insert, Emit emit) implements Syntax {}

    record Query(SqlNode query, Emit emit) implements Syntax {}

    record Drop(ObjectKind kind, SqlIdentifier name, boolean ifExists, boolean cascade) implements Syntax {}

    /** {@code what} is the name of a {@code Statement.ShowKind}. */
    record Show(
            String what,
            @Nullable SqlIdentifier name,
            @Nullable SqlNode like) implements Syntax {}

    record ShowCreate(ObjectKind kind, SqlIdentifier name) implements Syntax {}

    record Describe(SqlIdentifier name) implements Syntax {}

    record DescribeJob(SqlIdentifier name) implements Syntax {}

    /** {@code statement} is an INSERT, UPDATE or DELETE, or a {@link StatementNode} with a query or a CREATE. */
    record Explain(boolean analyze, SqlNode statement) implements Syntax {}

    record CreateRecoveryPoint(
            SqlIdentifier name,
            boolean orReplace,
            boolean ifNotExists,
            @Nullable SqlIdentifier application) implements Syntax {}

    record DropRecoveryPoint(SqlIdentifier name, boolean ifExists) implements Syntax {}

    record DescribeRecoveryPoint(SqlIdentifier name) implements Syntax {}

    /** {@code job} may be a materialized view. */
    record RollbackJob(SqlIdentifier job, SqlIdentifier point) implements Syntax {}

    record RollbackApplication(SqlIdentifier application, SqlIdentifier point) implements Syntax {}

    /** {@code statement} is a {@link StatementNode}. */
    record ExplainUpgrade(SqlNode statement) implements Syntax {}

    record PauseJob(SqlIdentifier name, boolean pause) implements Syntax {}

    record WaitFor(SqlIdentifier name, @Nullable SqlNode timeout) implements Syntax {}

    /** {@code value} null is SET key = DEFAULT. */
    record SetOption(SqlIdentifier key, @Nullable SqlNode value) implements Syntax {}

    /** {@code key} null is RESET ALL. */
    record ResetOption(@Nullable SqlIdentifier key) implements Syntax {}
}
