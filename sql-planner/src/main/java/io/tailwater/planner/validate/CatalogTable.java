package io.tailwater.planner.validate;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.planner.AsOf;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.TranslatableTable;
import org.apache.calcite.schema.impl.AbstractTable;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** A catalog object as Calcite sees it; a view becomes its query where it is used. Immutable. */
public final class CatalogTable extends AbstractTable implements TranslatableTable {
    /** Makes a view's query into a relation, and is told of every other relation that is read. */
    public interface ViewExpansion {
        RelNode expand(CatalogObject.View view, RelOptTable.ToRelContext context);

        void read(CatalogObject object);
    }

    private final CatalogObject object;
    private final ViewExpansion views;
    private final @Nullable AsOf asOf;

    CatalogTable(CatalogObject object, ViewExpansion views) {
        this(object, views, null);
    }

    /** @param asOf what it was then; null for what it is */
    CatalogTable(CatalogObject object, ViewExpansion views, @Nullable AsOf asOf) {
        this.object = object;
        this.views = views;
        this.asOf = asOf;
    }

    public CatalogObject object() {
        return object;
    }

    /** When it is read as of; null for now. */
    public @Nullable AsOf asOf() {
        return asOf;
    }

    @Override
    public RelDataType getRowType(RelDataTypeFactory factory) {
        return Types.toCalcite(object.schema(), factory);
    }

    @Override
    public RelNode toRel(RelOptTable.ToRelContext context, RelOptTable table) {
        if (object instanceof CatalogObject.View view) {
            return views.expand(view, context);
        }
        views.read(object);
        return LogicalTableScan.create(context.getCluster(), table, List.of());
    }
}
