package io.tailwater.api.plan;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.tailwater.api.catalog.ObjectName;

import java.util.List;

/**
 * A plan and where its output goes.
 *
 * @param root its schema is the sink's, column by column (casts and column order have been made explicit)
 */
public record JobPlan(PlanNode root, Sink sink) {
    /** Where a plan's output goes. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "sink")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Sink.View.class, name = "view"),
        @JsonSubTypes.Type(value = Sink.Stream.class, name = "stream"),
        @JsonSubTypes.Type(value = Sink.Table.class, name = "table"),
        @JsonSubTypes.Type(value = Sink.Connector.class, name = "connector"),
        @JsonSubTypes.Type(value = Sink.Result.class, name = "result")
    })
    public sealed interface Sink {
        /** Kept as a queryable Z-set: a materialized view, or a keyed table's content. */
        record View(ObjectName name) implements Sink {}

        /** Appended to a stored stream; the plan is append-only. */
        record Stream(ObjectName name, List<Integer> partitionBy) implements Sink {}

        /** Net changes by key, appended to a keyed table's inbox. */
        record Table(ObjectName name, List<Integer> key) implements Sink {}

        /** Written by a connector. */
        record Connector(ObjectName name) implements Sink {}

        /** Sent to a client: a bounded result, or with {@code changes} every change for ever. */
        record Result(boolean changes) implements Sink {}
    }
}
