package io.tailwater.planner.validate;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.catalog.SideStreams;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One schema of a catalog image. Immutable. */
final class CatalogSchema extends AbstractSchema {
    private final Map<String, Table> tables;

    CatalogSchema(Map<String, Table> tables) {
        this.tables = tables;
    }

    @Override
    protected Map<String, Table> getTableMap() {
        return tables;
    }

    /** All schemas of the image under an anonymous root, and once more under the catalog's name. */
    static CalciteSchema root(CatalogImage catalog, CatalogTable.ViewExpansion views) {
        Map<String, Map<String, Table>> schemas = new TreeMap<>();
        for (CatalogObject object : catalog.objects().values()) {
            Map<String, Table> tables = schemas.computeIfAbsent(object.name().schema(), name -> new TreeMap<>());
            tables.put(object.name().name(), new CatalogTable(object, views));
            if (object instanceof CatalogObject.Stream stream) {
                for (CatalogObject side : List.of(SideStreams.late(stream), SideStreams.errors(stream))) {
                    tables.put(side.name().name(), new CatalogTable(side, views));
                }
            }
        }
        CalciteSchema root = CalciteSchema.createRootSchema(false, false);
        CalciteSchema named = root.add(ObjectName.CATALOG, new CatalogSchema(Map.of()));
        schemas.forEach((name, tables) -> {
            root.add(name, new CatalogSchema(tables));
            named.add(name, new CatalogSchema(tables));
        });
        return root;
    }
}
