package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.catalog.SideStreams;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.planner.validate.Errors;
import io.tailwater.planner.validate.Positions;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** What Calcite does not know about names: that quoted ones match exactly, and how PostgreSQL calls a column without an alias. */
final class Names {
    private Names() {}

    /**
     * Calcite matches all names without regard to case. A quoted one must besides be spelled as some name of the catalog or of the query itself is.
     */
    static void requireExact(SqlNode query, CatalogImage catalog, String sql) {
        List<SqlIdentifier> quoted = new ArrayList<>();
        Set<String> known = new TreeSet<>(Set.of("window_start", "window_end", ObjectName.CATALOG));
        query.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier id) {
                for (int i = 0; i < id.names.size(); i++) {
                    if (id.isComponentQuoted(i)) {
                        quoted.add(id.getComponent(i));
                    }
                }
                return null;
            }

            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call.getKind() == SqlKind.AS) {
                    call.getOperandList().subList(1, call.operandCount()).forEach(o -> add(o, known));
                } else if (call instanceof SqlWithItem item) {
                    known.add(item.name.getSimple());
                    if (item.columnList != null) {
                        item.columnList.forEach(c -> add(c, known));
                    }
                }
                return super.visit(call);
            }
        });
        if (quoted.isEmpty()) {
            return;
        }
        Set<String> relations = new HashSet<>();
        Set<String> columns = new HashSet<>();
        for (CatalogObject object : catalog.objects().values()) {
            known.add(object.name().schema());
            known.add(object.name().name());
            relations.add(object.name().name().toLowerCase(Locale.ROOT));
            object.schema().columns().forEach(c -> {
                known.add(c.name());
                columns.add(c.name().toLowerCase(Locale.ROOT));
            });
            if (object instanceof CatalogObject.Stream stream) {
                for (CatalogObject side : List.of(SideStreams.late(stream), SideStreams.errors(stream))) {
                    known.add(side.name().name());
                    relations.add(side.name().name().toLowerCase(Locale.ROOT));
                    side.schema().columns().forEach(c -> {
                        known.add(c.name());
                        columns.add(c.name().toLowerCase(Locale.ROOT));
                    });
                }
            }
        }
        for (SqlIdentifier id : quoted) {
            String name = id.getSimple();
            if (!known.contains(name)) {
                String plain = name.toLowerCase(Locale.ROOT);
                boolean relation = relations.contains(plain) && !columns.contains(plain);
                throw new StreamException(
                        relation ? ErrorCode.UNDEFINED_TABLE : ErrorCode.UNDEFINED_COLUMN,
                        (relation ? "relation \"" : "column \"") + name + "\" does not exist",
                        Positions.offset(sql, id.getParserPosition()),
                        Errors.didYouMean(name, known),
                        null);
            }
        }
    }

    private static void add(SqlNode node, Set<String> known) {
        if (node instanceof SqlIdentifier id) {
            known.addAll(id.names);
        }
    }

    /**
     * What a query's columns are called where they have no alias: by the function's name, by the name of what is cast, else {@code columnN}. To be asked
     * before validation, which rewrites the query.
     */
    static List<String> bases(SqlNode query) {
        List<SqlNode> items = selectItems(query);
        List<String> out = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            out.add(base(items.get(i), i));
        }
        return out;
    }

    /** {@code names} with what Calcite made up replaced. */
    static List<String> readable(List<String> bases, List<String> names) {
        boolean aligned = bases.size() == names.size();
        List<String> out = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (!name.startsWith("EXPR$")) {
                out.add(name);
                continue;
            }
            String base = aligned ? bases.get(i) : "column" + (i + 1);
            String unique = base;
            for (int n = 1; out.contains(unique) || names.contains(unique); n++) {
                unique = base + "_" + n;
            }
            out.add(unique);
        }
        return out;
    }

    private static List<SqlNode> selectItems(SqlNode query) {
        SqlNode node = query;
        while (true) {
            if (node instanceof SqlOrderBy order) {
                node = order.query;
            } else if (node instanceof SqlWith with) {
                node = with.body;
            } else if (node instanceof SqlCall call && SqlKind.SET_QUERY.contains(node.getKind())) {
                node = call.operand(0);
            } else {
                break;
            }
        }
        SqlNodeList list = node instanceof SqlSelect select ? select.getSelectList() : null;
        return list == null
                ? List.of()
                : list.getList().stream()
                        .map(n -> java.util.Objects.requireNonNull(n))
                        .toList();
    }

    private static String base(SqlNode item, int ordinal) {
        if (item instanceof SqlCall call) {
            if (call.getKind() == SqlKind.CAST && call.operand(0) instanceof SqlIdentifier id) {
                return id.names.get(id.names.size() - 1);
            }
            if (call.getKind() == SqlKind.OVER
                    || call.getKind() == SqlKind.FILTER
                    || call.getKind() == SqlKind.WITHIN_GROUP) {
                return base(call.operand(0), ordinal);
            }
            String name = call.getOperator().getName();
            if (call.getOperator() instanceof org.apache.calcite.sql.SqlFunction
                    && name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
                return name.toLowerCase(Locale.ROOT);
            }
        }
        return "column" + (ordinal + 1);
    }
}
