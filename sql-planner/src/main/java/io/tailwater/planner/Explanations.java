package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.plan.JobPlan;

import java.util.ArrayList;
import java.util.List;

/** EXPLAIN's text. */
final class Explanations {
    private Explanations() {}

    static List<String> lines(Statement statement, CatalogImage catalog) {
        List<String> out = new ArrayList<>();
        if (statement instanceof Statement.Select select) {
            out.add(select.changes() ? "Changes" : "Result");
            PlanPrinter.print(select.root(), select.changes(), out, select.past());
        } else if (statement instanceof Statement.InsertSelect insert) {
            out.add("Insert into " + insert.target() + " " + sink(insert.plan().sink()));
            PlanPrinter.print(insert.plan().root(), true, out);
        } else if (statement instanceof Statement.CreateMaterializedView create) {
            out.add("Materialized view " + create.view().name() + keyOf(create));
            PlanPrinter.print(create.view().plan().root(), true, out);
        } else if (statement instanceof Statement.InsertValues insert) {
            out.add("Insert rows into " + insert.target());
            PlanPrinter.print(insert.rows(), false, out);
        } else if (statement instanceof Statement.Update update) {
            out.add("Update " + update.table());
            PlanPrinter.print(update.rows(), false, out);
        } else if (statement instanceof Statement.Delete delete) {
            out.add("Delete from " + delete.table());
            PlanPrinter.print(delete.rows(), false, out);
        } else {
            out.add("A definition: nothing runs.");
        }
        return out;
    }

    private static String keyOf(Statement.CreateMaterializedView create) {
        List<Integer> key = create.view().key();
        return key.isEmpty()
                ? ""
                : " key ("
                        + String.join(
                                ", ",
                                key.stream()
                                        .map(k ->
                                                create.view().schema().column(k).name())
                                        .toList()) + ")";
    }

    private static String sink(JobPlan.Sink sink) {
        if (sink instanceof JobPlan.Sink.Table) {
            return "by key";
        }
        return sink instanceof JobPlan.Sink.Connector ? "through its connector" : "append";
    }
}
