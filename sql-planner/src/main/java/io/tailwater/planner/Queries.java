package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.planner.logical.Rewriter;
import io.tailwater.planner.physical.Casts;
import io.tailwater.planner.physical.Emission;
import io.tailwater.planner.physical.Expressions;
import io.tailwater.planner.physical.Parameters;
import io.tailwater.planner.physical.PlanBuilder;
import io.tailwater.planner.validate.Frontend;
import io.tailwater.planner.validate.Operators;
import io.tailwater.planner.validate.Positions;
import io.tailwater.planner.validate.TypeLimits;
import io.tailwater.planner.validate.Types;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlValidator;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Plans queries, and says what a bounded or a continuous one may hold. One for each statement; not thread-safe. */
final class Queries {
    private final Frontend frontend;
    private final CatalogImage catalog;
    private final Connectors connectors;
    private final @Nullable List<@Nullable Object> parameters;
    private final String sql;
    private final Casts casts;
    private List<DataType> parameterTypes = List.of();

    Queries(
            Frontend frontend,
            CatalogImage catalog,
            Connectors connectors,
            @Nullable List<@Nullable Object> parameters,
            String sql) {
        this.frontend = frontend;
        this.sql = sql;
        this.catalog = catalog;
        this.connectors = connectors;
        this.parameters = parameters;
        this.casts = new Casts(frontend.session().zone());
    }

    /**
     * A planned query.
     *
     * @param root its columns bear the query's names and types
     * @param scanned what its plan reads
     * @param reads what its text reads: more than {@code scanned} where a condition is never true
     * @param literals for each column whether it is a string constant whose type is still open
     * @param unstable a function that would give something else later, or null: of the wall clock, or RANDOM
     * @param past readers that read what was, and the number of the time: see {@link PastTables}
     * @param onWindowClose plans the same query for final rows only, and throws if nothing says when they are
     */
    record Planned(
            PlanNode root,
            SortedSet<ObjectName> scanned,
            SortedSet<ObjectName> reads,
            boolean[] literals,
            @Nullable String unstable,
            SortedMap<Integer, Integer> past,
            Supplier<PlanNode> onWindowClose) {
        Schema schema() {
            return root.schema();
        }
    }

    Casts casts() {
        return casts;
    }

    Frontend frontend() {
        return frontend;
    }

    /** Types of the parameters of the query planned last. */
    List<DataType> parameterTypes() {
        return parameterTypes;
    }

    /** Says what parameters the statement has. */
    void bind(List<DataType> types) {
        parameterTypes = types;
        if (parameters != null && parameters.size() != types.size()) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "the statement has " + types.size() + " parameters but " + parameters.size()
                            + " values were given");
        }
    }

    /** Whether parameters have no values yet. */
    boolean preparing() {
        return parameters == null;
    }

    /** A parameter's value. */
    Expr parameter(int index, DataType type) {
        return new Parameters(parameters, frontend.session().zone()).literal(index, type);
    }

    /** Plans a query from which hints have been taken out. */
    Planned plan(SqlNode query, Emission emission) {
        return plan(query, emission, true);
    }

    /** Plans a query that is kept under a name and so cannot have parameters. */
    Planned planWithoutParameters(SqlNode query, Emission emission) {
        return plan(query, emission, false);
    }

    private Planned plan(SqlNode query, Emission emission, boolean mayHaveParameters) {
        SqlParserPos past = PastTables.find(query);
        if (past != null) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "FOR SYSTEM_TIME AS OF is not supported here",
                    Positions.offset(sql, past),
                    "it is for a SELECT that ends and is not kept under a name",
                    null);
        }
        Names.requireExact(query, catalog, sql);
        TypeLimits.check(query, sql);
        List<String> bases = Names.bases(query);
        SqlValidator validator = frontend.validator();
        RelRoot root = frontend.convert(query, validator);
        parameterTypes = Frontend.parameterTypes(validator, query).getFieldList().stream()
                .map(f -> Types.fromCalcite(f.getType()))
                .toList();
        if (!mayHaveParameters && !parameterTypes.isEmpty()) {
            throw new StreamException(
                    ErrorCode.SYNTAX_ERROR, "a view cannot have parameters", sql.indexOf('?'), null, null);
        }
        bind(parameterTypes);
        List<RelDataTypeField> fields = root.validatedRowType.getFieldList();
        boolean[] literals = new boolean[fields.size()];
        List<String> names = new ArrayList<>();
        for (int i = 0; i < literals.length; i++) {
            literals[i] = fields.get(i).getType().getSqlTypeName() == SqlTypeName.CHAR;
            names.add(fields.get(i).getName());
        }
        List<String> readable = Names.readable(bases, names);
        RelNode rel = Rewriter.rewrite(root.project(), this::position);
        Unstable unstable = new Unstable();
        rel.accept(unstable);
        Expressions expressions = new Expressions(
                frontend.cluster().getRexBuilder(),
                casts,
                new Parameters(parameters, frontend.session().zone()),
                this::position);
        PlanBuilder builder = new PlanBuilder(expressions, emission);
        PlanNode node = builder.build(rel, readable);
        return new Planned(
                node,
                new TreeSet<>(builder.scanned()),
                new TreeSet<>(frontend.reads()),
                literals,
                unstable.found,
                builder.past(),
                () -> new PlanBuilder(expressions, Emission.WINDOW_CLOSE).build(rel, readable));
    }

    /** Offset in the statement; expressions that came out of a view have none. */
    private int position(SqlParserPos at) {
        return frontend.expandedViews().isEmpty() ? Positions.offset(sql, at) : -1;
    }

    /** The same plan under other column names. */
    PlanNode renamed(PlanNode root, List<String> names) {
        return PlanBuilder.renamed(root, names);
    }

    /** What a query reads: relations, and the views that were expanded into it. */
    List<ObjectName> dependsOn(Planned planned) {
        SortedSet<ObjectName> out = new TreeSet<>(planned.reads());
        out.addAll(frontend.expandedViews());
        return List.copyOf(out);
    }

    /** A NULL without a type is text where somebody sees or stores it. */
    PlanNode typed(PlanNode root) {
        Schema schema = root.schema();
        if (schema.columns().stream().noneMatch(c -> c.type().kind() == TypeKind.NULL)) {
            return root;
        }
        List<Expr> projections = new ArrayList<>();
        for (int i = 0; i < schema.size(); i++) {
            Expr input = new Expr.Input(i, schema.type(i));
            projections.add(schema.type(i).kind() == TypeKind.NULL ? new Expr.Literal(null, DataType.VARCHAR) : input);
        }
        return PlanBuilder.project(
                root, projections, schema.columns().stream().map(Column::name).toList());
    }

    /** @throws StreamException if a query that never ends holds something that only one that ends may have */
    void requireContinuous(Planned planned) {
        if ("RANDOM".equals(planned.unstable())) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "RANDOM() is not supported in a continuous query: what it gave could not be taken back",
                    -1,
                    "use it in a SELECT that ends",
                    null);
        }
        if (planned.unstable() != null) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    planned.unstable() + " is not supported in a continuous query yet",
                    -1,
                    "PROCTIME() gives each row the time at which it is processed",
                    null);
        }
        walk(planned.root(), node -> {
            if (node instanceof PlanNode.Sort) {
                throw new StreamException(
                        ErrorCode.FEATURE_NOT_SUPPORTED,
                        "ORDER BY and OFFSET without LIMIT have no meaning in a continuous query, whose rows are never complete",
                        -1,
                        "add LIMIT for the first rows, or sort when you read: SELECT ... FROM view ORDER BY ...",
                        null);
            }
            if (node instanceof PlanNode.Scan scan && scan.kind() == PlanNode.ScanKind.SYSTEM) {
                throw new StreamException(
                        ErrorCode.WRONG_OBJECT_TYPE,
                        "system table \"" + scan.object() + "\" cannot be read continuously");
            }
            if (node instanceof PlanNode.Calc calc && !calc.input().traits().appendOnly() && usesClock(calc)) {
                throw new StreamException(
                        ErrorCode.FEATURE_NOT_SUPPORTED,
                        "PROCTIME() over rows that may be taken back has no stable value",
                        -1,
                        "use it directly on an append-only stream",
                        null);
            }
        });
        requireReadable(planned);
    }

    private static boolean usesClock(PlanNode.Calc calc) {
        Expr condition = calc.condition();
        return condition != null && io.tailwater.planner.physical.Exprs.uses(condition, Function.TICK_TIME)
                || calc.projections().stream()
                        .anyMatch(p -> io.tailwater.planner.physical.Exprs.uses(p, Function.TICK_TIME));
    }

    /** @throws StreamException if a query that must end would not */
    void requireBounded(Planned planned) {
        requireReadable(planned);
        for (ObjectName name : planned.scanned()) {
            Optional<CatalogObject> object = catalog.find(name);
            if (object.isPresent()
                    && object.get() instanceof CatalogObject.Stream stream
                    && stream.connector() != null
                    && !connectors.bounded(stream)) {
                throw new StreamException(
                        ErrorCode.FEATURE_NOT_SUPPORTED,
                        "a SELECT must end, but stream \"" + name + "\" has no end",
                        -1,
                        "add EMIT CHANGES, or keep its rows: INSERT INTO a stored stream, or CREATE MATERIALIZED VIEW",
                        null);
            }
        }
    }

    void requireReadable(Planned planned) {
        for (ObjectName name : planned.scanned()) {
            Optional<CatalogObject> object = catalog.find(name);
            if (object.isPresent()
                    && object.get() instanceof CatalogObject.Stream stream
                    && stream.connector() != null
                    && !connectors.readable(stream)) {
                throw new StreamException(
                        ErrorCode.WRONG_OBJECT_TYPE,
                        "stream \"" + name + "\" cannot be read: connector '" + stream.connector()
                                + "' is only a sink");
            }
        }
    }

    static void walk(PlanNode node, java.util.function.Consumer<PlanNode> visitor) {
        visitor.accept(node);
        node.inputs().forEach(input -> walk(input, visitor));
    }

    /** Finds RANDOM, and functions of the wall clock other than PROCTIME. */
    private static final class Unstable extends RelHomogeneousShuttle {
        private @Nullable String found;

        @Override
        public RelNode visit(RelNode node) {
            node.accept(new RexShuttle() {
                @Override
                public RexNode visitCall(RexCall call) {
                    if (Operators.isInstant(call.getOperator()) || call.getOperator() == Operators.RANDOM) {
                        found = call.getOperator().getName();
                    }
                    return super.visitCall(call);
                }
            });
            return super.visit(node);
        }
    }
}
