package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.catalog.SideStreams;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.physical.Assignments;
import io.tailwater.planner.physical.Emission;
import io.tailwater.planner.syntax.Syntax;
import io.tailwater.planner.validate.Positions;
import io.tailwater.planner.validate.TypeSpecs;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDelete;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlInsert;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUpdate;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** INSERT, UPDATE and DELETE. One for each statement. */
final class Writes {
    private final Objects objects;
    private final Queries queries;
    private final Definitions definitions;
    private final Connectors connectors;

    Writes(Objects objects, Queries queries, Definitions definitions, Connectors connectors) {
        this.objects = objects;
        this.queries = queries;
        this.definitions = definitions;
        this.connectors = connectors;
    }

    /**
     * @param job name of the job from CREATE JOB, or null
     */
    Statement insert(SqlInsert insert, Syntax.Emit emit, @Nullable SqlIdentifier job, boolean ifNotExists) {
        Hints hints = new Hints(objects.sql());
        SqlNode targetNode = hints.strip(insert.getTargetTable());
        if (!(targetNode instanceof SqlIdentifier target)) {
            throw new StreamException(ErrorCode.SYNTAX_ERROR, "INSERT needs the name of a stream or table");
        }
        CatalogObject object = objects.get(target);
        requireWritable(object, target);
        if (insert.isUpsert() && !(object instanceof CatalogObject.Table)) {
            throw objects.error(
                    target,
                    ErrorCode.WRONG_OBJECT_TYPE,
                    "UPSERT needs a table with a primary key; \"" + object.name() + "\" is a " + object.kindName(),
                    "INSERT INTO " + object.name() + " adds the rows");
        }
        Schema schema = object.schema();
        List<Integer> columns = targetColumns(schema, insert.getTargetColumnList());
        SqlNode source = hints.strip(insert.getSource());
        requireArity(source, columns, schema, insert.getTargetColumnList() != null);
        boolean closes = emit == Syntax.Emit.ON_WINDOW_CLOSE;
        if (job == null && !closes) {
            Optional<PlanNode> constants = new ConstantRows(schema, columns, queries, objects.sql()).of(source);
            if (constants.isPresent()) {
                return new Statement.InsertValues(object.name(), constants.get(), insert.isUpsert());
            }
        }
        Queries.Planned planned =
                queries.plan(castRows(source, columns, schema), closes ? Emission.WINDOW_CLOSE : Emission.CHANGES);
        int position = Positions.offset(objects.sql(), source.getParserPosition());
        int given = planned.schema().size();
        if (given > columns.size() || given < columns.size() && insert.getTargetColumnList() != null) {
            throw arity(given, columns.size(), position);
        }
        int[] sourceOf = new int[schema.size()];
        Arrays.fill(sourceOf, -1);
        for (int i = 0; i < given; i++) {
            sourceOf[columns.get(i)] = i;
        }
        UnaryOperator<PlanNode> assigned = root -> new Assignments(queries.casts())
                .assign(root, schema, sourceOf, planned.literals(), List.of(), position);
        PlanNode rows = assigned.apply(planned.root());
        if (planned.reads().isEmpty() && job == null) {
            queries.requireBounded(planned);
            return new Statement.InsertValues(object.name(), rows, insert.isUpsert());
        }
        if (!rows.traits().appendOnly() && isAppendOnly(object)) {
            rows = assigned.apply(closing((CatalogObject.Stream) object, planned));
        }
        return continuous(insert, job, ifNotExists, hints, object, planned, rows);
    }

    private Statement continuous(
            SqlInsert insert,
            @Nullable SqlIdentifier job,
            boolean ifNotExists,
            Hints hints,
            CatalogObject object,
            Queries.Planned planned,
            PlanNode rows) {
        if (!queries.parameterTypes().isEmpty()) {
            throw new StreamException(ErrorCode.SYNTAX_ERROR, "a continuous INSERT cannot have parameters");
        }
        if (planned.reads().isEmpty()) {
            throw new StreamException(
                    ErrorCode.SYNTAX_ERROR,
                    "a job needs something to read",
                    -1,
                    "INSERT without CREATE JOB writes constants",
                    null);
        }
        if (planned.reads().contains(object.name())) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    object.kindName() + " \"" + object.name() + "\" cannot be read and written by the same job");
        }
        queries.requireContinuous(planned);
        Set<ObjectName> dependsOn = new TreeSet<>(queries.dependsOn(planned));
        dependsOn.add(object.name());
        String name = job != null ? job.getSimple() : hints.job();
        if (name != null && !ifNotExists && objects.catalog().jobs().containsKey(name)) {
            throw new StreamException(ErrorCode.DUPLICATE_OBJECT, "job \"" + name + "\" already exists");
        }
        SqlParserPos at = insert.getParserPosition();
        String text = objects.sql()
                .substring(Math.max(0, Positions.offset(objects.sql(), at)))
                .strip();
        return new Statement.InsertSelect(
                name, ifNotExists, object.name(), plan(object, rows), text, List.copyOf(dependsOn));
    }

    private boolean isAppendOnly(CatalogObject object) {
        return object instanceof CatalogObject.Stream stream
                && (stream.connector() == null || !connectors.acceptsUpdates(stream));
    }

    /** What updates is appended when it is final, if something says when that is. */
    private PlanNode closing(CatalogObject.Stream stream, Queries.Planned planned) {
        queries.requireContinuous(planned);
        try {
            return planned.onWindowClose().get();
        } catch (StreamException e) {
            throw new StreamException(
                    ErrorCode.APPEND_ONLY_VIOLATION,
                    "this query updates or retracts rows, which append-only stream \"" + stream.name()
                            + "\" cannot take" + updater(planned.root()) + ", and nothing says when one is final",
                    -1,
                    "aggregate by windows of an event time that has a WATERMARK, write into a table with a primary key, or keep the result: CREATE MATERIALIZED VIEW",
                    e);
        }
    }

    private JobPlan plan(CatalogObject object, PlanNode rows) {
        if (object instanceof CatalogObject.Table table) {
            return new JobPlan(
                    byKey(object, table.primaryKey(), rows), new JobPlan.Sink.Table(table.name(), table.primaryKey()));
        }
        CatalogObject.Stream stream = (CatalogObject.Stream) object;
        if (stream.connector() == null) {
            return new JobPlan(rows, new JobPlan.Sink.Stream(stream.name(), stream.partitionBy()));
        }
        List<Integer> key = connectors.upsertKey(stream);
        return new JobPlan(key.isEmpty() ? rows : byKey(stream, key, rows), new JobPlan.Sink.Connector(stream.name()));
    }

    /** All rows of a key where one writer sees them. */
    private static PlanNode byKey(CatalogObject target, List<Integer> key, PlanNode rows) {
        requireOneRowPerKey(target, key, rows);
        return rows.traits().distribution().equals(new Distribution.Hash(key)) ? rows : hashed(rows, key);
    }

    /** If a query that takes rows back had two rows of one key, taking one back would take the key out of the table. */
    private static void requireOneRowPerKey(CatalogObject target, List<Integer> columns, PlanNode rows) {
        Traits traits = rows.traits();
        if (traits.appendOnly() || traits.uniqueKeys().stream().anyMatch(columns::containsAll)) {
            return;
        }
        String key = columns.stream().map(c -> target.schema().column(c).name()).collect(Collectors.joining(", "));
        throw new StreamException(
                ErrorCode.CARDINALITY_VIOLATION,
                "this query may yield several rows for one key (" + key + ") of " + target.kindName() + " \""
                        + target.name() + "\", and it updates or retracts rows" + updater(rows),
                -1,
                "make the key unique, for example by GROUP BY " + key + ", or keep all rows: CREATE MATERIALIZED VIEW",
                null);
    }

    private static PlanNode hashed(PlanNode rows, List<Integer> key) {
        Traits t = rows.traits();
        Distribution hash = new Distribution.Hash(key);
        return new PlanNode.Exchange(rows, hash, new Traits(hash, t.appendOnly(), t.uniqueKeys(), t.watermarked()));
    }

    /** Which part of a query makes it update, for the message. */
    private static String updater(PlanNode node) {
        if (node.traits().appendOnly()) {
            return "";
        }
        for (PlanNode input : node.inputs()) {
            String below = updater(input);
            if (!below.isEmpty()) {
                return below;
            }
        }
        if (node instanceof PlanNode.Aggregate) {
            return ": its aggregates change as rows arrive";
        }
        if (node instanceof PlanNode.TopN) {
            return ": later rows push others out of the first ones";
        }
        if (node instanceof PlanNode.SessionAssign) {
            return ": its sessions change as rows arrive";
        }
        if (node instanceof PlanNode.SetOperation set) {
            return ": " + set.kind() + " takes rows back";
        }
        if (node instanceof PlanNode.Join join) {
            return ": a " + join.kind() + " join takes rows back when a match arrives";
        }
        if (node instanceof PlanNode.Scan scan) {
            return ": \"" + scan.object() + "\" changes";
        }
        return "";
    }

    private void requireWritable(CatalogObject object, SqlIdentifier at) {
        if (object instanceof CatalogObject.Table) {
            return;
        }
        if (object instanceof CatalogObject.Stream stream) {
            if (SideStreams.isSideStream(stream.name())) {
                throw objects.error(
                        at,
                        ErrorCode.WRONG_OBJECT_TYPE,
                        "stream \"" + stream.name() + "\" cannot be written: only the system adds rows to it",
                        null);
            }
            if (stream.connector() != null && !connectors.writable(stream)) {
                throw objects.error(
                        at,
                        ErrorCode.WRONG_OBJECT_TYPE,
                        "stream \"" + stream.name() + "\" cannot be written: connector '" + stream.connector()
                                + "' is only a source",
                        "create a stored stream (no connector) or one with a connector that is a sink");
            }
            return;
        }
        throw objects.error(
                at,
                ErrorCode.WRONG_OBJECT_TYPE,
                "cannot insert into " + object.kindName() + " \"" + object.name() + "\"",
                "only streams and tables take rows");
    }

    private List<Integer> targetColumns(Schema schema, @Nullable SqlNodeList list) {
        List<Integer> out = new ArrayList<>();
        if (list == null) {
            for (int i = 0; i < schema.size(); i++) {
                out.add(i);
            }
            return out;
        }
        for (SqlNode node : list) {
            SqlIdentifier column = (SqlIdentifier) node;
            int index = definitions.columnIndex(schema, column);
            if (out.contains(index)) {
                throw objects.error(
                        column,
                        ErrorCode.DUPLICATE_COLUMN,
                        "column \"" + column.getSimple() + "\" specified more than once",
                        null);
            }
            out.add(index);
        }
        return out;
    }

    private StreamException arity(int given, int wanted, int position) {
        return new StreamException(
                ErrorCode.SYNTAX_ERROR,
                given > wanted
                        ? "INSERT has more expressions (" + given + ") than target columns (" + wanted + ")"
                        : "INSERT has more target columns (" + wanted + ") than expressions (" + given + ")",
                position,
                null,
                null);
    }

    private void requireArity(SqlNode source, List<Integer> columns, Schema schema, boolean listed) {
        if (source.getKind() != SqlKind.VALUES) {
            return;
        }
        for (SqlNode row : ((SqlCall) source).getOperandList()) {
            int given = row.getKind() == SqlKind.ROW ? ((SqlCall) row).operandCount() : 1;
            if (given > columns.size() || given < columns.size() && listed) {
                throw arity(given, columns.size(), Positions.offset(objects.sql(), row.getParserPosition()));
            }
        }
    }

    /**
     * VALUES whose fields have the target's types, so that rows need not agree among themselves: string constants and parameters are cast, DEFAULT is
     * NULL.
     */
    private static SqlNode castRows(SqlNode source, List<Integer> columns, Schema schema) {
        if (source.getKind() != SqlKind.VALUES) {
            return source;
        }
        SqlCall values = (SqlCall) source;
        List<SqlNode> rows = new ArrayList<>();
        for (SqlNode row : values.getOperandList()) {
            List<SqlNode> fields = new ArrayList<>();
            List<SqlNode> given = row.getKind() == SqlKind.ROW ? ((SqlCall) row).getOperandList() : List.of(row);
            for (int i = 0; i < given.size(); i++) {
                fields.add(castField(given.get(i), schema.type(columns.get(i))));
            }
            rows.add(SqlStdOperatorTable.ROW.createCall(row.getParserPosition(), fields));
        }
        return SqlStdOperatorTable.VALUES.createCall(values.getParserPosition(), rows);
    }

    private static SqlNode castField(SqlNode field, DataType type) {
        SqlParserPos at = field.getParserPosition();
        if (field.getKind() == SqlKind.DEFAULT) {
            return castField(SqlLiteral.createNull(at), type);
        }
        // Times keep their microseconds and texts their length; what is too long is refused, not cut.
        DataType wide = new DataType(
                type.kind(),
                type.kind().isView() ? DataType.UNBOUNDED : isTime(type) ? 6 : type.precision(),
                type.scale(),
                true);
        return SqlStdOperatorTable.CAST.createCall(at, field, TypeSpecs.of(wide, at));
    }

    private static boolean isTime(DataType type) {
        return switch (type.kind()) {
            case TIME, TIMESTAMP, TIMESTAMP_LTZ -> true;
            default -> false;
        };
    }

    Statement update(SqlUpdate update) {
        SqlIdentifier target = (SqlIdentifier) new Hints(objects.sql()).strip(update.getTargetTable());
        CatalogObject.Table table = table(target, "update");
        Schema schema = table.schema();
        SqlIdentifier alias = update.getAlias() == null ? target : update.getAlias();
        @Nullable SqlNode[] changed = new SqlNode[schema.size()];
        for (int i = 0; i < update.getTargetColumnList().size(); i++) {
            SqlIdentifier column = (SqlIdentifier) update.getTargetColumnList().get(i);
            int index = definitions.columnIndex(schema, column.getComponent(column.names.size() - 1));
            if (changed[index] != null) {
                throw objects.error(
                        column,
                        ErrorCode.DUPLICATE_COLUMN,
                        "multiple assignments to same column \"" + column + "\"",
                        null);
            }
            SqlNode value = update.getSourceExpressionList().get(i);
            boolean open = value.getKind() == SqlKind.DYNAMIC_PARAM || value.getKind() == SqlKind.DEFAULT;
            changed[index] = open ? castField(value, schema.type(index)) : value;
        }
        boolean changesKey = table.primaryKey().stream().anyMatch(k -> changed[k] != null);
        List<SqlNode> items = new ArrayList<>();
        for (int i = 0; i < schema.size(); i++) {
            SqlNode value = changed[i];
            items.add(value != null ? as(value, schema.column(i).name()) : column(alias, schema.column(i)));
        }
        List<Integer> extra = new ArrayList<>();
        if (changesKey) {
            for (int k : table.primaryKey()) {
                extra.add(items.size());
                items.add(as(
                        column(alias, schema.column(k)),
                        "old$" + schema.column(k).name()));
            }
        }
        Queries.Planned planned = queries.plan(
                select(items, target, update.getAlias(), update.getCondition(), update.getParserPosition()),
                Emission.BOUNDED);
        queries.requireBounded(planned);
        int[] sourceOf = new int[schema.size()];
        for (int i = 0; i < sourceOf.length; i++) {
            sourceOf[i] = i;
        }
        PlanNode rows = new Assignments(queries.casts())
                .assign(
                        planned.root(),
                        schema,
                        sourceOf,
                        planned.literals(),
                        extra,
                        Positions.offset(
                                objects.sql(),
                                update.getSourceExpressionList().get(0).getParserPosition()));
        return new Statement.Update(table.name(), rows, changesKey);
    }

    Statement delete(SqlDelete delete) {
        SqlIdentifier target = (SqlIdentifier) new Hints(objects.sql()).strip(delete.getTargetTable());
        CatalogObject.Table table = table(target, "delete from");
        SqlIdentifier alias = delete.getAlias() == null ? target : delete.getAlias();
        List<SqlNode> items = new ArrayList<>();
        table.schema().columns().forEach(c -> items.add(column(alias, c)));
        Queries.Planned planned = queries.plan(
                select(items, target, delete.getAlias(), delete.getCondition(), delete.getParserPosition()),
                Emission.BOUNDED);
        queries.requireBounded(planned);
        return new Statement.Delete(table.name(), planned.root());
    }

    private CatalogObject.Table table(SqlIdentifier target, String verb) {
        CatalogObject object = objects.get(target);
        if (object instanceof CatalogObject.Table table) {
            return table;
        }
        throw objects.error(
                target,
                ErrorCode.WRONG_OBJECT_TYPE,
                "cannot " + verb + " " + object.kindName() + " \"" + object.name() + "\"",
                object instanceof CatalogObject.Stream
                        ? "a stream is append-only; CREATE TABLE makes a table with a primary key"
                        : "only tables can be changed");
    }

    private static SqlNode as(SqlNode value, String name) {
        SqlParserPos at = value.getParserPosition();
        return SqlStdOperatorTable.AS.createCall(at, value, new SqlIdentifier(name, at));
    }

    private static SqlNode column(SqlIdentifier alias, Column column) {
        String qualifier = alias.names.get(alias.names.size() - 1);
        return new SqlIdentifier(List.of(qualifier, column.name()), alias.getParserPosition());
    }

    private static SqlSelect select(
            List<SqlNode> items,
            SqlIdentifier target,
            @Nullable SqlIdentifier alias,
            @Nullable SqlNode condition,
            SqlParserPos at) {
        SqlNode from = alias == null
                ? target
                : new SqlBasicCall(SqlStdOperatorTable.AS, List.of(target, alias), alias.getParserPosition());
        return new SqlSelect(
                at, null, new SqlNodeList(items, at), from, condition, null, null, null, null, null, null, null, null);
    }
}
