package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.planner.physical.Emission;
import io.tailwater.planner.syntax.Syntax;
import io.tailwater.planner.validate.Errors;
import io.tailwater.planner.validate.Positions;
import io.tailwater.planner.validate.TypeLimits;
import io.tailwater.planner.validate.Types;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUserDefinedTypeNameSpec;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/** CREATE STREAM, TABLE, VIEW and MATERIALIZED VIEW. One for each statement. */
final class Definitions {
    private static final int MAX_PARTITIONS = 1_024;
    private static final List<String> TYPE_NAMES = List.of(
            "BOOLEAN",
            "TINYINT",
            "SMALLINT",
            "INT",
            "INTEGER",
            "BIGINT",
            "DECIMAL",
            "NUMERIC",
            "REAL",
            "FLOAT",
            "DOUBLE",
            "CHAR",
            "VARCHAR",
            "TEXT",
            "STRING",
            "BINARY",
            "VARBINARY",
            "DATE",
            "TIME",
            "TIMESTAMP",
            "TIMESTAMPTZ");

    private final Objects objects;
    private final Queries queries;

    Definitions(Objects objects, Queries queries) {
        this.objects = objects;
        this.queries = queries;
    }

    Statement createStream(Syntax.CreateStream syntax) {
        ObjectName name = objects.create(syntax.name(), syntax.ifNotExists() || syntax.orReplace());
        SortedMap<String, String> options = options(syntax.options());
        Schema schema = columns(syntax.columns(), List.of());
        for (Syntax.ColumnDef column : syntax.columns()) {
            if (column.primaryKey()) {
                throw noKey(column.name());
            }
        }
        if (!syntax.key().isEmpty()) {
            throw noKey(syntax.key().get(0));
        }
        boolean implied = syntax.columns().isEmpty();
        boolean connector = options.containsKey("connector");
        if (implied && !connector) {
            throw objects.error(
                    syntax.name(),
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "stream \"" + name + "\" has no columns",
                    "list them, or name a connector that implies them: WITH (connector = 'nexmark', kind = 'bid')");
        }
        if (!connector) {
            requireStoredOptions(options, syntax.options());
        }
        int partitions = partitions(options, syntax.name());
        List<Integer> partitionBy = new ArrayList<>();
        for (SqlIdentifier column : syntax.partitionBy()) {
            partitionBy.add(columnIndex(schema, column));
        }
        Statement.@Nullable ImpliedWatermark impliedWatermark = null;
        CatalogObject.@Nullable Watermark watermark = null;
        if (syntax.watermarks().size() > 1) {
            throw objects.error(
                    syntax.watermarks().get(1).column(),
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "a stream has one watermark",
                    null);
        }
        for (Syntax.WatermarkDef def : syntax.watermarks()) {
            long delay = delay(def);
            long lateness =
                    def.lateness() == null ? CatalogObject.Watermark.NO_LATENESS : micros(def.lateness(), "LATENESS");
            if (def.lateness() != null && lateness < delay) {
                throw objects.error(
                        def.column(),
                        ErrorCode.INVALID_PARAMETER_VALUE,
                        "LATENESS must be at least the watermark's delay",
                        null);
            }
            if (implied) {
                impliedWatermark = new Statement.ImpliedWatermark(def.column().getSimple(), delay, lateness);
            } else {
                int column = columnIndex(schema, def.column());
                requireTime(schema.column(column), def.column());
                watermark = new CatalogObject.Watermark(column, delay, lateness);
            }
        }
        return new Statement.CreateStream(
                new CatalogObject.Stream(name, schema, watermark, partitionBy, partitions, options),
                syntax.orReplace(),
                syntax.ifNotExists(),
                impliedWatermark);
    }

    private StreamException noKey(SqlIdentifier at) {
        return objects.error(
                at,
                ErrorCode.INVALID_TABLE_DEFINITION,
                "a stream is append-only and has no primary key",
                "CREATE TABLE makes a keyed table; PARTITION BY keeps equal values together and in order");
    }

    private void requireTime(Column column, SqlIdentifier at) {
        if (column.type().kind() != TypeKind.TIMESTAMP && column.type().kind() != TypeKind.TIMESTAMP_LTZ) {
            throw objects.error(
                    at,
                    ErrorCode.DATATYPE_MISMATCH,
                    "watermark column \"" + column.name() + "\" must be a TIMESTAMP, not "
                            + column.type().sql(),
                    null);
        }
    }

    private void requireStoredOptions(SortedMap<String, String> options, List<Syntax.Option> written) {
        for (String key : options.keySet()) {
            boolean known = List.of("partitions", "retention", "retention_size", "idle_timeout")
                    .contains(key);
            if (!known) {
                boolean planned = List.of("replicas", "changelog").contains(key);
                throw new StreamException(
                        planned ? ErrorCode.FEATURE_NOT_SUPPORTED : ErrorCode.INVALID_PARAMETER_VALUE,
                        planned
                                ? "option " + key + " of a stored stream is not supported yet"
                                : "option \"" + key + "\" is not known for a stored stream",
                        written.stream()
                                .filter(o -> optionKey(o.key()).equals(key))
                                .map(o ->
                                        Positions.offset(objects.sql(), o.key().getParserPosition()))
                                .findFirst()
                                .orElse(-1),
                        planned ? null : "a stream that is read from elsewhere needs connector = '...'",
                        null);
            }
        }
    }

    private int partitions(SortedMap<String, String> options, SqlIdentifier at) {
        String text = options.getOrDefault("partitions", "1");
        try {
            int partitions = Integer.parseInt(text);
            if (partitions >= 1 && partitions <= MAX_PARTITIONS) {
                return partitions;
            }
        } catch (NumberFormatException e) {
            throw objects.error(
                    at, ErrorCode.INVALID_PARAMETER_VALUE, "partitions must be a number, not '" + text + "'", null);
        }
        throw objects.error(
                at, ErrorCode.INVALID_PARAMETER_VALUE, "partitions must be between 1 and " + MAX_PARTITIONS, null);
    }

    Statement createTable(Syntax.CreateTable syntax) {
        ObjectName name = objects.create(syntax.name(), syntax.ifNotExists() || syntax.orReplace());
        if (!syntax.watermarks().isEmpty()) {
            throw objects.error(
                    syntax.watermarks().get(0).column(),
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "a watermark on a table is not supported yet",
                    "declare it on a stream");
        }
        List<SqlIdentifier> key = new ArrayList<>(syntax.key());
        for (Syntax.ColumnDef column : syntax.columns()) {
            if (column.primaryKey()) {
                if (!key.isEmpty()) {
                    throw objects.error(
                            column.name(), ErrorCode.INVALID_TABLE_DEFINITION, "a table has one primary key", null);
                }
                key.add(column.name());
            }
        }
        if (key.isEmpty()) {
            throw objects.error(
                    syntax.name(),
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "table \"" + name + "\" has no primary key",
                    "add PRIMARY KEY to a column, or CREATE STREAM for rows that are only appended");
        }
        SortedMap<String, String> options = options(syntax.options());
        if (!options.isEmpty()) {
            throw objects.error(
                    syntax.name(),
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "option \"" + options.firstKey() + "\" of a table is not supported yet",
                    null);
        }
        Schema schema = columns(syntax.columns(), key);
        List<Integer> primaryKey = new ArrayList<>();
        for (SqlIdentifier column : key) {
            int index = columnIndex(schema, column);
            if (primaryKey.contains(index)) {
                throw objects.error(
                        column,
                        ErrorCode.DUPLICATE_COLUMN,
                        "column \"" + column.getSimple() + "\" appears twice in the key",
                        null);
            }
            primaryKey.add(index);
        }
        return new Statement.CreateTable(
                new CatalogObject.Table(name, schema, primaryKey, options), syntax.orReplace(), syntax.ifNotExists());
    }

    private Schema columns(List<Syntax.ColumnDef> defs, List<SqlIdentifier> key) {
        List<Column> columns = new ArrayList<>();
        for (Syntax.ColumnDef def : defs) {
            String name = def.name().getSimple();
            for (Column other : columns) {
                if (other.name().equalsIgnoreCase(name)) {
                    throw objects.error(
                            def.name(),
                            ErrorCode.DUPLICATE_COLUMN,
                            "column \"" + name + "\" specified more than once",
                            other.name().equals(name) ? null : "names that differ only in case are the same name");
                }
            }
            boolean notNull = def.notNull()
                    || def.primaryKey()
                    || key.stream().anyMatch(k -> k.getSimple().equalsIgnoreCase(name));
            columns.add(new Column(name, type(def).withNullable(!notNull)));
        }
        return new Schema(columns);
    }

    private DataType type(Syntax.ColumnDef def) {
        TypeLimits.check(def.type(), objects.sql());
        if (def.type().getTypeNameSpec() instanceof SqlUserDefinedTypeNameSpec spec) {
            String name = String.join(".", spec.getTypeName().names);
            throw new StreamException(
                    ErrorCode.UNDEFINED_OBJECT,
                    "type \"" + name + "\" does not exist",
                    Positions.offset(objects.sql(), def.type().getParserPosition()),
                    Errors.didYouMean(name.toUpperCase(Locale.ROOT), TYPE_NAMES),
                    null);
        }
        try {
            DataType type =
                    Types.fromCalcite(def.type().deriveType(queries.frontend().validator()));
            boolean storable = type.kind() != TypeKind.INTERVAL_DAY_TIME
                    && type.kind() != TypeKind.INTERVAL_YEAR_MONTH
                    && type.kind() != TypeKind.NULL;
            if (storable) {
                return type;
            }
        } catch (StreamException e) {
            throw new StreamException(
                    e.code(),
                    "column \"" + def.name().getSimple() + "\": " + e.getMessage(),
                    Positions.offset(objects.sql(), def.type().getParserPosition()),
                    null,
                    e);
        }
        throw objects.error(
                def.name(), ErrorCode.FEATURE_NOT_SUPPORTED, "an INTERVAL cannot be the type of a column yet", null);
    }

    int columnIndex(Schema schema, SqlIdentifier column) {
        String name = column.getSimple();
        OptionalInt index = schema.indexOf(name);
        if (index.isEmpty()
                || column.isComponentQuoted(0)
                        && !schema.column(index.getAsInt()).name().equals(name)) {
            throw objects.error(
                    column,
                    ErrorCode.UNDEFINED_COLUMN,
                    "column \"" + name + "\" does not exist",
                    Errors.didYouMean(
                            name, schema.columns().stream().map(Column::name).toList()));
        }
        return index.getAsInt();
    }

    /** {@code ts} or {@code ts - INTERVAL ...}: the interval. */
    private long delay(Syntax.WatermarkDef def) {
        SqlNode expression = def.expression();
        if (isColumn(expression, def.column())) {
            return 0;
        }
        if (expression instanceof SqlCall call
                && call.getKind() == SqlKind.MINUS
                && call.operandCount() == 2
                && isColumn(call.operand(0), def.column())) {
            return micros(call.operand(1), "the watermark's delay");
        }
        throw new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED,
                "a watermark is the column itself or the column minus an interval",
                Positions.offset(objects.sql(), expression.getParserPosition()),
                "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
                null);
    }

    private static boolean isColumn(SqlNode node, SqlIdentifier column) {
        return node instanceof SqlIdentifier id
                && id.isSimple()
                && id.getSimple().equalsIgnoreCase(column.getSimple());
    }

    /** Microseconds of an interval literal of days or less. */
    long micros(SqlNode node, String what) {
        if (node instanceof SqlIntervalLiteral literal
                && !literal.getValueAs(SqlIntervalLiteral.IntervalValue.class)
                        .getIntervalQualifier()
                        .isYearMonth()) {
            BigDecimal millis = literal.getValueAs(BigDecimal.class);
            if (millis != null && millis.signum() >= 0) {
                return millis.movePointRight(3).longValueExact();
            }
        }
        throw new StreamException(
                ErrorCode.INVALID_PARAMETER_VALUE,
                what + " must be an interval of days or less that is not negative",
                Positions.offset(objects.sql(), node.getParserPosition()),
                "INTERVAL '5' SECOND",
                null);
    }

    private static String optionKey(SqlNode key) {
        return key instanceof SqlIdentifier id
                ? String.join(".", id.names).toLowerCase(Locale.ROOT)
                : ((SqlLiteral) key).toValue().toLowerCase(Locale.ROOT);
    }

    private SortedMap<String, String> options(List<Syntax.Option> options) {
        SortedMap<String, String> out = new TreeMap<>();
        for (Syntax.Option option : options) {
            String key = optionKey(option.key());
            if (out.put(key, value(option.value())) != null) {
                throw new StreamException(
                        ErrorCode.INVALID_PARAMETER_VALUE,
                        "option \"" + key + "\" specified more than once",
                        Positions.offset(objects.sql(), option.key().getParserPosition()),
                        null,
                        null);
            }
        }
        return out;
    }

    /** Text of a literal or a bare word. */
    static String value(SqlNode value) {
        if (value instanceof SqlIdentifier id) {
            return String.join(".", id.names);
        }
        String text = value instanceof SqlLiteral literal ? literal.toValue() : null;
        return text == null
                ? ""
                : value instanceof SqlLiteral literal
                                && literal.getTypeName() == org.apache.calcite.sql.type.SqlTypeName.BOOLEAN
                        ? text.toLowerCase(Locale.ROOT)
                        : text;
    }

    Statement createView(Syntax.CreateView syntax) {
        ObjectName name = objects.create(syntax.name(), syntax.ifNotExists() || syntax.orReplace());
        if (syntax.query().emit() == Syntax.Emit.CHANGES) {
            throw objects.error(
                    syntax.name(),
                    ErrorCode.SYNTAX_ERROR,
                    "EMIT CHANGES belongs to the SELECT that reads a view, not to the view",
                    null);
        }
        SqlNode query = syntax.query().query();
        SqlParserPos start = syntax.queryStart();
        String text =
                objects.sql().substring(Positions.offset(objects.sql(), start)).strip();
        Hints hints = new Hints(objects.sql());
        if (!syntax.materialized() && syntax.query().emit() != Syntax.Emit.NONE) {
            throw objects.error(
                    syntax.name(),
                    ErrorCode.SYNTAX_ERROR,
                    "EMIT ON WINDOW CLOSE belongs to the statement that reads a view, or to a materialized view",
                    null);
        }
        Emission emission = syntax.query().emit() == Syntax.Emit.ON_WINDOW_CLOSE
                ? Emission.WINDOW_CLOSE
                : syntax.materialized() ? Emission.CHANGES : Emission.BOUNDED;
        Queries.Planned planned = queries.planWithoutParameters(hints.strip(query), emission);
        if (planned.reads().contains(name)) {
            throw objects.error(
                    syntax.name(), ErrorCode.INVALID_TABLE_DEFINITION, "view \"" + name + "\" would read itself", null);
        }
        PlanNode root = named(queries.typed(planned.root()), syntax);
        Schema schema = root.schema();
        List<ObjectName> dependsOn = queries.dependsOn(planned);
        if (!syntax.materialized()) {
            queries.requireReadable(planned);
            return new Statement.CreateView(
                    new CatalogObject.View(name, schema, text, dependsOn), syntax.orReplace(), syntax.ifNotExists());
        }
        queries.requireContinuous(planned);
        if (planned.reads().isEmpty()) {
            throw objects.error(
                    syntax.name(),
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "a materialized view needs something to read",
                    "CREATE VIEW does for constants");
        }
        List<Integer> key = root.traits().uniqueKeys().stream()
                .filter(k -> !k.isEmpty())
                .min(Comparator.comparingInt(List::size))
                .orElse(List.of());
        return new Statement.CreateMaterializedView(
                new CatalogObject.MaterializedView(
                        name, schema, text, new JobPlan(root, new JobPlan.Sink.View(name)), key, dependsOn),
                syntax.orReplace(),
                syntax.ifNotExists());
    }

    /** The plan with the view's column names, which must differ. */
    private PlanNode named(PlanNode root, Syntax.CreateView syntax) {
        List<String> names = new ArrayList<>();
        if (syntax.columns().isEmpty()) {
            root.schema().columns().forEach(c -> names.add(c.name()));
        } else if (syntax.columns().size() != root.schema().size()) {
            throw objects.error(
                    syntax.columns().get(0),
                    ErrorCode.SYNTAX_ERROR,
                    "the view names " + syntax.columns().size() + " columns but its query has "
                            + root.schema().size(),
                    null);
        } else {
            syntax.columns().forEach(c -> names.add(c.getSimple()));
        }
        for (int i = 0; i < names.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (names.get(i).equalsIgnoreCase(names.get(j))) {
                    throw objects.error(
                            syntax.name(),
                            ErrorCode.DUPLICATE_COLUMN,
                            "column \"" + names.get(i) + "\" appears more than once in the view",
                            "give the columns different names with AS");
                }
            }
        }
        return queries.renamed(root, names);
    }
}
