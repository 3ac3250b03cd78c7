package io.tailwater.planner.physical;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.logical.SessionRel;
import io.tailwater.planner.logical.TopNRel;
import io.tailwater.planner.logical.WindowRel;
import io.tailwater.planner.validate.CatalogTable;
import io.tailwater.planner.validate.Types;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Translates a rewritten relational tree, bottom up, in one pass. Exchanges are put where an operator needs its rows together and they are not. One for
 * each plan; not thread-safe.
 */
public final class PlanBuilder {
    private final Expressions expressions;
    private final SortedSet<ObjectName> scanned = new TreeSet<>();
    private final Map<ObjectName, Integer> streamReaders = new HashMap<>();
    private final EventTime eventTime;
    private @Nullable Sort rootSort;
    private int readers;
    private final SortedMap<Integer, Integer> past = new TreeMap<>();

    public PlanBuilder(Expressions expressions, Emission emission) {
        this.expressions = expressions;
        this.eventTime = new EventTime(emission);
    }

    EventTime eventTime() {
        return eventTime;
    }

    /** Objects that the plan reads. */
    public SortedSet<ObjectName> scanned() {
        return scanned;
    }

    /**
     * The plan of a query.
     *
     * @param names of the result's columns
     * @throws StreamException 0A000 for what the engine cannot run yet
     */
    public PlanNode build(RelNode root, List<String> names) {
        rootSort = rootSort(root);
        Built built = visit(root);
        if (eventTime.emission() == Emission.WINDOW_CLOSE) {
            built = WindowCloses.close(built, eventTime);
        }
        return renamed(LateFilters.add(Slices.apply(Pruner.prune(built.node())), eventTime), names);
    }

    /** What decides the order in which a result is read. */
    private static @Nullable Sort rootSort(RelNode root) {
        RelNode node = root;
        while (node instanceof Project project) {
            node = project.getInput();
        }
        return node instanceof Sort sort ? sort : null;
    }

    /** Readers that read what was, and the number of the time. */
    public SortedMap<Integer, Integer> past() {
        return past;
    }

    /** The same plan under other column names. */
    public static PlanNode renamed(PlanNode root, List<String> names) {
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            columns.add(new Column(names.get(i), root.schema().type(i)));
        }
        return Renames.rename(root, new Schema(columns));
    }

    /** Other columns of the same rows. */
    public static PlanNode project(PlanNode root, List<Expr> projections, List<String> names) {
        return Calcs.calc(Built.of(root), null, projections, names).node();
    }

    Built visit(RelNode rel) {
        if (rel instanceof TableScan scan) {
            return scan(scan);
        }
        if (rel instanceof Values values) {
            return values(values);
        }
        if (rel instanceof Project project) {
            return project(project);
        }
        if (rel instanceof Filter filter) {
            Built input = visit(filter.getInput());
            return Calcs.calc(
                    input,
                    expressions.translate(filter.getCondition()),
                    Exprs.identity(input.schema()),
                    filter.getRowType().getFieldNames());
        }
        if (rel instanceof WindowRel window) {
            return window(window);
        }
        if (rel instanceof SessionRel session) {
            return new Sessions(eventTime).session(session, visit(session.getInput()));
        }
        if (rel instanceof TopNRel top) {
            return new TopNs(eventTime).topN(top, visit(top.getInput()));
        }
        if (rel instanceof Aggregate aggregate) {
            return new Aggregates(this, expressions).aggregate(aggregate);
        }
        if (rel instanceof Join join) {
            return new Joins(this, expressions).join(join);
        }
        if (rel instanceof Union union && union.all) {
            return union(union);
        }
        if (rel instanceof Sort sort) {
            return sort(sort);
        }
        if (rel instanceof SetOp set && set.kind != SqlKind.UNION) {
            PlanNode.SetKind kind =
                    set.kind == SqlKind.INTERSECT ? PlanNode.SetKind.INTERSECT : PlanNode.SetKind.EXCEPT;
            return SetOperations.of(inputs(set), kind, set.all, Types.schema(set.getRowType()));
        }
        throw unsupported("this kind of query is not supported yet", null);
    }

    private Built scan(TableScan scan) {
        CatalogTable table = scan.getTable().unwrap(CatalogTable.class);
        if (table == null) {
            throw new AssertionError("a table that is not of the catalog: " + scan.getTable());
        }
        CatalogObject object = table.object();
        scanned.add(object.name());
        // A stream that occurs several times is read once, unless its late rows are to be told apart by where they were
        // read.
        int reader = object instanceof CatalogObject.Stream stream && !eventTime.enforced(stream)
                ? streamReaders.computeIfAbsent(object.name(), name -> readers++)
                : readers++;
        if (table.past() != CatalogTable.NOW) {
            past.put(reader, table.past());
        }
        Schema schema = object.schema();
        List<Integer> columns = IntStream.range(0, schema.size()).boxed().toList();
        return Built.of(
                new PlanNode.Scan(reader, kind(object), object.name(), columns, schema, traits(object, reader)));
    }

    private static PlanNode.ScanKind kind(CatalogObject object) {
        if (object instanceof CatalogObject.Stream stream) {
            return stream.connector() == null ? PlanNode.ScanKind.STREAM : PlanNode.ScanKind.CONNECTOR;
        }
        if (object instanceof CatalogObject.Table) {
            return PlanNode.ScanKind.TABLE;
        }
        if (object instanceof CatalogObject.MaterializedView) {
            return PlanNode.ScanKind.VIEW;
        }
        if (object instanceof CatalogObject.SystemTable) {
            return PlanNode.ScanKind.SYSTEM;
        }
        throw new AssertionError(object);
    }

    private Traits traits(CatalogObject object, int reader) {
        Distribution any = new Distribution.Any();
        if (object instanceof CatalogObject.Stream stream) {
            return new Traits(any, true, List.of(), eventTime.scan(stream, reader));
        }
        if (object instanceof CatalogObject.Table table) {
            return new Traits(any, false, List.of(table.primaryKey()), List.of());
        }
        if (object instanceof CatalogObject.MaterializedView view) {
            return new Traits(
                    any,
                    view.plan().root().traits().appendOnly(),
                    view.key().isEmpty() ? List.of() : List.of(view.key()),
                    List.of());
        }
        return new Traits(any, true, List.of(), List.of());
    }

    private Built values(Values values) {
        Schema schema = new Schema(Types.schema(values.getRowType()).columns().stream()
                .map(c -> new Column(Calcs.readable(c.name()), c.type()))
                .toList());
        List<List<Expr.Literal>> rows = new ArrayList<>();
        for (List<RexLiteral> tuple : values.tuples) {
            List<Expr.Literal> row = new ArrayList<>();
            for (int i = 0; i < tuple.size(); i++) {
                Expr value = expressions.casts().cast(expressions.translate(tuple.get(i)), schema.type(i));
                if (!(value instanceof Expr.Literal literal)) {
                    throw new AssertionError("a constant that is none: " + value);
                }
                row.add(literal);
            }
            rows.add(row);
        }
        return values(rows, schema);
    }

    private Built project(Project project) {
        Built input = visit(project.getInput());
        List<Expr> projections = new ArrayList<>();
        for (RexNode rex : project.getProjects()) {
            projections.add(expressions.typed(rex));
        }
        return Calcs.calc(input, null, projections, project.getRowType().getFieldNames());
    }

    private Built window(WindowRel window) {
        Built input = visit(window.getInput());
        Traits t = input.traits();
        int start = input.schema().size();
        List<Column> columns = new ArrayList<>(input.schema().columns());
        Schema bounds = Types.schema(window.getRowType());
        columns.add(bounds.column(start));
        columns.add(bounds.column(start + 1));
        List<Traits.Watermarked> watermarked = new ArrayList<>(t.watermarked());
        for (Traits.Watermarked w : t.watermarked()) {
            if (w.column() == window.timeColumn()) {
                // A window starts less than its size before each of its times, and ends after it.
                watermarked.add(new Traits.Watermarked(start, w.reader(), w.lagMicros() + window.sizeMicros() - 1));
                watermarked.add(new Traits.Watermarked(start + 1, w.reader(), w.lagMicros() - 1));
            }
        }
        List<List<Integer>> keys =
                t.uniqueKeys().stream().map(k -> plus(k, start)).toList();
        return new Built(
                new PlanNode.WindowAssign(
                        input.node(),
                        window.kind(),
                        window.timeColumn(),
                        window.sizeMicros(),
                        window.slideMicros(),
                        window.offsetMicros(),
                        new Schema(columns),
                        new Traits(t.distribution(), t.appendOnly(), keys, watermarked)),
                input.hashes());
    }

    private static List<Integer> plus(List<Integer> list, int value) {
        List<Integer> out = new ArrayList<>(list);
        out.add(value);
        return out;
    }

    private Built union(Union union) {
        return unionOf(inputs(union), Types.schema(union.getRowType()));
    }

    private List<Built> inputs(SetOp set) {
        Schema schema = Types.schema(set.getRowType());
        List<Built> inputs = new ArrayList<>();
        for (RelNode input : set.getInputs()) {
            inputs.add(cast(visit(input), schema));
        }
        return inputs;
    }

    /** The sum of inputs that have the types of {@code schema}. */
    static Built unionOf(List<Built> inputs, Schema schema) {
        if (inputs.stream().allMatch(i -> i.node() instanceof PlanNode.Values)) {
            List<List<Expr.Literal>> rows = inputs.stream()
                    .flatMap(i -> ((PlanNode.Values) i.node()).rows().stream())
                    .toList();
            return Built.of(new PlanNode.Values(
                    rows, schema, new Traits(new Distribution.Single(), true, List.of(), List.of())));
        }
        Distribution distribution = inputs.get(0).traits().distribution();
        boolean same = inputs.stream().allMatch(i -> i.traits().distribution().equals(distribution));
        boolean appendOnly = inputs.stream().allMatch(i -> i.traits().appendOnly());
        return Built.of(new PlanNode.Union(
                inputs.stream().map(Built::node).toList(),
                schema,
                new Traits(same ? distribution : new Distribution.Any(), appendOnly, List.of(), bounds(inputs))));
    }

    /** A column that all inputs bound is bounded by the least of their bounds. */
    private static List<Traits.Watermarked> bounds(List<Built> inputs) {
        List<Integer> columns =
                IntStream.range(0, inputs.get(0).schema().size()).boxed().toList();
        List<Traits.Watermarked> bounds = inputs.get(0).traits().watermarked();
        for (Built input : inputs.subList(1, inputs.size())) {
            bounds = Watermarks.both(bounds, input.traits().watermarked(), columns, columns);
        }
        return bounds;
    }

    /** The same rows in the types of {@code schema}, NULL aside. */
    Built cast(Built input, Schema schema) {
        List<Expr> projections = new ArrayList<>();
        for (int i = 0; i < schema.size(); i++) {
            DataType from = input.schema().type(i);
            projections.add(expressions.casts().cast(new Expr.Input(i, from), schema.type(i)));
        }
        return Calcs.calc(
                input,
                null,
                projections,
                schema.columns().stream().map(Column::name).toList());
    }

    private Built sort(Sort sort) {
        Built input = visit(sort.getInput());
        long offset = rows(sort.offset, 0, "OFFSET");
        long limit = rows(sort.fetch, -1, "LIMIT");
        boolean ends = eventTime.emission() == Emission.BOUNDED;
        if (sort == rootSort && (ends || limit < 0)) {
            List<SortKey> keys = TopNs.keys(sort.getCollation());
            return Built.of(new PlanNode.Sort(
                    input.single().node(), keys, offset, limit, input.single().traits()));
        }
        if (limit < 0) {
            if (offset == 0) {
                // A relation has no order.
                return input;
            }
            throw unsupported("OFFSET without LIMIT is supported only at the end of a SELECT that ends", null);
        }
        if (limit == 0) {
            return values(List.of(), input.schema());
        }
        return new TopNs(eventTime).limit(input, sort.getCollation(), offset, limit);
    }

    private static Built values(List<List<Expr.Literal>> rows, Schema schema) {
        List<List<Integer>> keys = rows.size() <= 1 ? List.of(List.of()) : List.of();
        return Built.of(
                new PlanNode.Values(rows, schema, new Traits(new Distribution.Single(), true, keys, List.of())));
    }

    private long rows(@Nullable RexNode node, long absent, String clause) {
        if (node == null) {
            return absent;
        }
        if (node instanceof RexDynamicParam && expressions.preparing()) {
            return absent;
        }
        if (node instanceof RexLiteral literal
                && literal.getValue() instanceof BigDecimal number
                && number.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new StreamException(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, clause + " " + number + " is out of range");
        }
        Expr value = expressions.casts().cast(expressions.translate(node), DataType.BIGINT);
        if (value instanceof Expr.Literal literal) {
            long rows = literal.value() == null ? absent : Long.parseLong(literal.value());
            if (rows < 0 && literal.value() != null) {
                throw new StreamException(ErrorCode.INVALID_PARAMETER_VALUE, clause + " must not be negative");
            }
            return rows;
        }
        throw new StreamException(ErrorCode.FEATURE_NOT_SUPPORTED, clause + " must be a constant or a parameter");
    }

    static StreamException unsupported(String message, @Nullable String hint) {
        return new StreamException(ErrorCode.FEATURE_NOT_SUPPORTED, message, -1, hint, null);
    }
}
