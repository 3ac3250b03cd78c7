package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.Statement;
import io.tailwater.planner.Statement.ExplainUpgrade.Change;
import io.tailwater.planner.Statement.ExplainUpgrade.Part;
import io.tailwater.server.engine.Engine;
import io.tailwater.server.engine.Engine.Retained;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What becomes of a materialized view's state when another takes its place: all of it is computed anew from input that is still there. */
final class Upgrades {
    static final Schema SCHEMA = Schema.of(
            new Column("operator", DataType.VARCHAR.notNull()),
            new Column("state", DataType.VARCHAR.notNull()),
            new Column("input", DataType.VARCHAR.notNull()),
            new Column("reason", DataType.VARCHAR.notNull()));

    private static final String REBUILT = "rebuilt";
    private static final String LOST = "lost";

    private Upgrades() {}

    /** @throws StreamException 55000 if rows of the view would be lost because what they were made from is gone */
    static void requireInput(Statement.CreateMaterializedView create, CatalogImage image, Engine engine) {
        if (!create.orReplace()
                || !(image.find(create.view().name()).orElse(null) instanceof CatalogObject.MaterializedView was)) {
            return;
        }
        Set<ObjectName> before = streams(was.plan().root());
        for (ObjectName stream : streams(create.view().plan().root())) {
            if (before.contains(stream) && retained(stream, was, engine) == Retained.LESS) {
                throw new StreamException(
                        ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "cannot replace materialized view \"" + was.name() + "\": rows of stream \"" + stream
                                + "\" that it was made from are gone by retention",
                        -1,
                        "EXPLAIN UPGRADE shows what would be lost. To begin with the rows that are left, DROP MATERIALIZED VIEW "
                                + was.name() + " and create it anew.",
                        null);
            }
        }
    }

    static List<List<@Nullable Object>> rows(Statement.ExplainUpgrade upgrade, Engine engine) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Part part : upgrade.parts()) {
            out.add(row(part, upgrade, engine));
        }
        List<PlanNode.Scan> reads = new ArrayList<>();
        collect(upgrade.now().plan().root(), reads);
        Change change = upgrade.now().plan().root().equals(upgrade.was().plan().root()) ? Change.BOTH : Change.ONLY_NOW;
        out.add(row(new Part("Content of " + upgrade.now().name(), change, reads), upgrade, engine));
        return out;
    }

    private static List<@Nullable Object> row(Part part, Statement.ExplainUpgrade upgrade, Engine engine) {
        String input = part.reads().stream()
                .map(scan -> scan.object().toString())
                .distinct()
                .collect(Collectors.joining(", "));
        if (part.change() == Change.ONLY_BEFORE) {
            return SystemTables.row(part.operator(), "dropped", input, "the new query has no such state");
        }
        boolean exists = part.change() == Change.BOTH;
        Set<ObjectName> before = streams(upgrade.was().plan().root());
        List<String> gone = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        for (PlanNode.Scan scan : part.reads()) {
            if (scan.kind() != PlanNode.ScanKind.STREAM) {
                continue;
            }
            Retained left = retained(scan.object(), upgrade.was(), engine);
            if (left == Retained.LESS && before.contains(scan.object())) {
                gone.add(scan.object().toString());
            } else if (left == Retained.LESS) {
                reasons.add(scan.object() + " begins with the oldest row that is left");
            } else if (left == Retained.AS_BEFORE) {
                reasons.add(scan.object() + " begins with the oldest row that is left, as before");
            }
        }
        if (!gone.isEmpty()) {
            return SystemTables.row(
                    part.operator(),
                    LOST,
                    input,
                    "rows of " + String.join(", ", gone) + " are gone by retention, so CREATE OR REPLACE is refused");
        }
        reasons.add(0, exists ? "the same state exists, but is computed anew" : "the state is new");
        return SystemTables.row(
                part.operator(),
                exists ? REBUILT + " (same state exists)" : REBUILT,
                input,
                String.join("; ", reasons));
    }

    private static Retained retained(ObjectName stream, CatalogObject.MaterializedView was, Engine engine) {
        return engine.retained(stream, was.name().toString());
    }

    private static Set<ObjectName> streams(PlanNode root) {
        List<PlanNode.Scan> scans = new ArrayList<>();
        collect(root, scans);
        return scans.stream()
                .filter(scan -> scan.kind() == PlanNode.ScanKind.STREAM)
                .map(PlanNode.Scan::object)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static void collect(PlanNode node, List<PlanNode.Scan> out) {
        if (node instanceof PlanNode.Scan scan) {
            out.add(scan);
        }
        node.inputs().forEach(input -> collect(input, out));
    }
}
