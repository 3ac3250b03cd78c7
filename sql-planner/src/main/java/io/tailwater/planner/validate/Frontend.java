package io.tailwater.planner.validate;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.error.StreamException;
import io.tailwater.planner.Session;
import org.apache.calcite.config.CalciteConnectionConfigImpl;
import org.apache.calcite.config.CalciteConnectionProperty;
import org.apache.calcite.config.NullCollation;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.schema.Table;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorImpl;
import org.apache.calcite.sql2rel.SqlToRelConverter;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Parses, checks and converts one statement's queries against one catalog image. Calcite's exceptions leave through {@link Errors}. One for each
 * statement; not thread-safe.
 */
public final class Frontend {
    private static final SqlToRelConverter.Config CONVERSION = SqlToRelConverter.config()
            .withExpand(false)
            .withTrimUnusedFields(false)
            .withInSubQueryThreshold(Integer.MAX_VALUE);

    /** A view that uses itself through others cannot be created, so depth is bounded by the catalog; this bounds a damaged one. */
    private static final int MAX_VIEW_DEPTH = 64;

    /** The schema of tables of the past: nobody would name one so. */
    private static final String PAST = "as of";

    private final TypeFactory types = new TypeFactory();
    private final RelOptCluster cluster;
    private final CalciteCatalogReader catalog;
    /** Tables of the past, by number. */
    private final Map<String, Table> past = new TreeMap<>();

    private final Session session;
    private final Convertlets convertlets = new Convertlets();
    private final Deque<CatalogObject> expanding = new ArrayDeque<>();
    private final SortedSet<ObjectName> expandedViews = new TreeSet<>();
    private final SortedSet<ObjectName> reads = new TreeSet<>();

    public Frontend(CatalogImage image, Session session) {
        Properties properties = new Properties();
        properties.setProperty(CalciteConnectionProperty.CASE_SENSITIVE.camelName(), "false");
        this.session = session;
        HepPlanner planner = new HepPlanner(HepProgram.builder().build());
        // Constants are computed by our functions or not at all: Calcite's would compile Java for each, and differ in
        // details.
        planner.setExecutor((builder, constants, values) -> values.addAll(constants));
        this.cluster = RelOptCluster.create(planner, new RexBuilder(types));
        CalciteSchema root = CatalogSchema.root(image, new Expansion());
        root.add(PAST, new CatalogSchema(past));
        this.catalog = new CalciteCatalogReader(
                root, List.of(session.schema()), types, new CalciteConnectionConfigImpl(properties));
    }

    /** Parses one statement. */
    public static SqlNode parse(String sql) {
        try {
            return SqlParser.create(sql, Dialect.PARSER).parseStmt();
        } catch (SqlParseException e) {
            StreamException unknown = UnknownStatements.explain(sql);
            throw unknown != null ? unknown : Errors.syntax(e, sql);
        }
    }

    public RelOptCluster cluster() {
        return cluster;
    }

    public TypeFactory types() {
        return types;
    }

    public Session session() {
        return session;
    }

    public SqlValidator validator() {
        return new Validator(
                catalog,
                types,
                SqlValidator.Config.DEFAULT
                        .withConformance(Dialect.CONFORMANCE)
                        .withIdentifierExpansion(true)
                        .withTypeCoercionFactory(Coercion::new)
                        .withDefaultNullCollation(NullCollation.HIGH));
    }

    /** Checks a query and converts it; sub-queries stay as expressions, views are expanded. */
    public RelRoot convert(SqlNode query) {
        return convert(query, validator());
    }

    public RelRoot convert(SqlNode query, SqlValidator validator) {
        SqlNode ours = java.util.Objects.requireNonNull(query.accept(new SessionSyntax()));
        return converter(validator).convertQuery(ours, true, true);
    }

    private SqlToRelConverter converter(SqlValidator validator) {
        return new SqlToRelConverter(
                (row, sql, schema, path) -> {
                    throw new AssertionError("views expand themselves");
                },
                validator,
                catalog,
                cluster,
                convertlets,
                CONVERSION);
    }

    /** Types of the parameters of a query that {@code validator} has checked. */
    public static RelDataType parameterTypes(SqlValidator validator, SqlNode query) {
        return validator.getParameterRowType(query);
    }

    /**
     * Makes a table of what an object was.
     *
     * @param number of the time that it is read as of, from 1
     * @return the table's name
     */
    public List<String> past(CatalogObject object, int number) {
        String name = Integer.toString(number);
        past.put(name, new CatalogTable(object, new Expansion(), number));
        return List.of(PAST, name);
    }

    /** Views that were replaced by their queries so far. */
    public SortedSet<ObjectName> expandedViews() {
        return expandedViews;
    }

    /** Relations but views that were read so far; the optimizer may find that some need not be. */
    public SortedSet<ObjectName> reads() {
        return reads;
    }

    private final class Expansion implements CatalogTable.ViewExpansion {
        @Override
        public RelNode expand(CatalogObject.View view, RelOptTable.ToRelContext context) {
            return Frontend.this.expand(view);
        }

        @Override
        public void read(CatalogObject object) {
            reads.add(object.name());
        }
    }

    private RelNode expand(CatalogObject.View view) {
        if (expanding.size() >= MAX_VIEW_DEPTH) {
            throw new StreamException(
                    io.tailwater.common.error.ErrorCode.STATEMENT_TOO_COMPLEX, "views are nested too deeply");
        }
        expandedViews.add(view.name());
        expanding.push(view);
        try {
            return convert(Errors.query(parse(view.query()))).rel;
        } catch (RuntimeException e) {
            throw Errors.inView(e, view);
        } finally {
            expanding.pop();
        }
    }

    /** With Tailwater's dialect. */
    private static final class Validator extends SqlValidatorImpl {
        Validator(CalciteCatalogReader catalog, TypeFactory types, Config config) {
            super(Operators.TABLE, catalog, types, config);
        }
    }
}
