package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.planner.physical.Emission;
import io.tailwater.planner.validate.Positions;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSnapshot;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Views and tables as they were: each FOR SYSTEM_TIME AS OF becomes a table of its own, which knows its time.
 *
 * <pre>
 * FROM v FOR SYSTEM_TIME AS OF t          becomes  FROM "as of"."1" AS v
 * FROM v FOR SYSTEM_TIME AS OF t AS old   becomes  FROM "as of"."2" AS old
 * </pre>
 *
 * <p>One for each statement; not thread-safe.
 */
final class PastTables extends SqlShuttle {
    private static final int MICROS = 6;
    private static final String POINT = "RECOVERY_POINT";

    private static final Set<String> CLOCKS = Set.of("CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "CURRENT_DATE");

    private final String sql;
    private final Objects objects;
    private final Queries queries;
    private final Supplier<Queries> constants;
    /** By their numbers less 1. */
    private final List<AsOf> times = new ArrayList<>();

    private final Set<String> named = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    /** @param constants plan what has no parameters */
    PastTables(String sql, Objects objects, Queries queries, Supplier<Queries> constants) {
        this.sql = sql;
        this.objects = objects;
        this.queries = queries;
        this.constants = constants;
    }

    /** Where a query holds FOR SYSTEM_TIME, or null. */
    static @Nullable SqlParserPos find(SqlNode query) {
        List<SqlParserPos> found = new ArrayList<>();
        query.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call instanceof SqlSnapshot snapshot) {
                    found.add(snapshot.getPeriod().getParserPosition());
                }
                return super.visit(call);
            }
        });
        return found.isEmpty() ? null : found.get(0);
    }

    /** The query with tables of the past in place of FOR SYSTEM_TIME. */
    SqlNode resolve(SqlNode query) {
        if (find(query) == null) {
            return query;
        }
        query.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call instanceof SqlWithItem item) {
                    named.add(item.name.getSimple());
                }
                return super.visit(call);
            }
        });
        return java.util.Objects.requireNonNull(query.accept(this));
    }

    /** Times in place of their numbers. */
    SortedMap<Integer, AsOf> times(SortedMap<Integer, Integer> numbers) {
        SortedMap<Integer, AsOf> out = new TreeMap<>();
        numbers.forEach((reader, number) -> out.put(reader, times.get(number - 1)));
        return out;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        if (call.getKind() == SqlKind.AS && call.operand(0) instanceof SqlSnapshot snapshot) {
            List<SqlNode> operands = new ArrayList<>(call.getOperandList());
            operands.set(0, past(snapshot));
            return call.getOperator().createCall(call.getParserPosition(), operands);
        }
        if (call instanceof SqlSnapshot snapshot) {
            SqlIdentifier past = past(snapshot);
            SqlIdentifier name = (SqlIdentifier) snapshot.getTableRef();
            return SqlStdOperatorTable.AS.createCall(
                    snapshot.getParserPosition(), past, name.getComponent(name.names.size() - 1));
        }
        return super.visit(call);
    }

    private SqlIdentifier past(SqlSnapshot snapshot) {
        SqlNode table = snapshot.getTableRef();
        if (!(table instanceof SqlIdentifier name) || (name.isSimple() && named.contains(name.getSimple()))) {
            throw error(
                    table,
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "only a materialized view or a table can be read FOR SYSTEM_TIME AS OF",
                    "write it behind the names of views and tables inside of the sub-query");
        }
        CatalogObject object = objects.get(name);
        if (!(object instanceof CatalogObject.MaterializedView) && !(object instanceof CatalogObject.Table)) {
            throw error(
                    table,
                    ErrorCode.WRONG_OBJECT_TYPE,
                    object.kindName() + " \"" + object.name() + "\" cannot be read FOR SYSTEM_TIME AS OF",
                    "only materialized views and tables keep what they were");
        }
        times.add(asOf(snapshot.getPeriod()));
        return new SqlIdentifier(queries.frontend().past(object, times.size()), snapshot.getParserPosition());
    }

    private AsOf asOf(SqlNode period) {
        if (period instanceof SqlCall call && call.getOperator().getName().equalsIgnoreCase(POINT)) {
            if (call.operandCount() == 1
                    && call.operand(0) instanceof SqlLiteral literal
                    && SqlTypeName.CHAR_TYPES.contains(literal.getTypeName())) {
                return new AsOf.Point(String.valueOf(literal.toValue()));
            }
            throw error(
                    period,
                    ErrorCode.SYNTAX_ERROR,
                    POINT + " takes the name of a recovery point as a string",
                    "FOR SYSTEM_TIME AS OF RECOVERY_POINT('name')");
        }
        requireConstant(period);
        return new AsOf.Time(time(period), text(period));
    }

    private String text(SqlNode period) {
        SqlParserPos at = period.getParserPosition();
        int from = Positions.offset(sql, at);
        return from < 0 ? period.toString() : sql.substring(from, Math.max(from, Positions.end(sql, at)));
    }

    private void requireConstant(SqlNode period) {
        period.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier id) {
                // Calcite's parser takes these for names.
                if (id.isSimple() && CLOCKS.contains(id.getSimple().toUpperCase(Locale.ROOT))) {
                    return null;
                }
                throw notConstant(id);
            }

            @Override
            public @Nullable Void visit(SqlDynamicParam parameter) {
                throw notConstant(parameter);
            }

            @Override
            public @Nullable Void visit(SqlDataTypeSpec type) {
                return null;
            }

            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call.isA(SqlKind.QUERY)) {
                    throw notConstant(call);
                }
                return super.visit(call);
            }
        });
    }

    private StreamException notConstant(SqlNode at) {
        return error(
                at,
                ErrorCode.FEATURE_NOT_SUPPORTED,
                "the time of FOR SYSTEM_TIME AS OF must be a constant",
                "TIMESTAMP '2026-01-31 12:00:00', or CURRENT_TIMESTAMP - INTERVAL '1' MINUTE, or RECOVERY_POINT('name')");
    }

    private io.tailwater.api.plan.PlanNode time(SqlNode period) {
        SqlParserPos at = period.getParserPosition();
        SqlDataTypeSpec type = new SqlDataTypeSpec(
                new SqlBasicTypeNameSpec(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, MICROS, at), at);
        SqlNode row = SqlStdOperatorTable.ROW.createCall(at, SqlStdOperatorTable.CAST.createCall(at, period, type));
        return constants
                .get()
                .plan(SqlStdOperatorTable.VALUES.createCall(at, row), Emission.BOUNDED)
                .root();
    }

    private StreamException error(SqlNode at, ErrorCode code, String message, @Nullable String hint) {
        return new StreamException(code, message, Positions.offset(sql, at.getParserPosition()), hint, null);
    }
}
