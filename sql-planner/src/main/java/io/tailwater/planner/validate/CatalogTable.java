package io.tailwater.planner.validate;

import io.tailwater.api.catalog.CatalogObject;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.TranslatableTable;
import org.apache.calcite.schema.impl.AbstractTable;

import java.util.List;

/** A catalog object as Calcite sees it; a view becomes its query where it is used. Immutable. */
public final class CatalogTable extends AbstractTable implements TranslatableTable {
    /** Makes a view's query into a relation, and is told of every other relation that is read. */
    public interface ViewExpansion {
        RelNode expand(CatalogObject.View view, RelOptTable.ToRelContext context);

        void read(CatalogObject object);
    }

    /** What is there now is read. */
    public static final int NOW = 0;

    private final CatalogObject object;
    private final ViewExpansion views;
    private final int past;

    CatalogTable(CatalogObject object, ViewExpansion views) {
        this(object, views, NOW);
    }

    /** @param past the number of the time that it is read as of */
    CatalogTable(CatalogObject object, ViewExpansion views, int past) {
        this.object = object;
        this.views = views;
        this.past = past;
    }

    public CatalogObject object() {
        return object;
    }

    /** Number of the time that it is read as of, or {@link #NOW}. */
    public int past() {
        return past;
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
