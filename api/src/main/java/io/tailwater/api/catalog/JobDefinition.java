package io.tailwater.api.catalog;

import io.tailwater.api.plan.JobPlan;

import java.util.List;

/**
 * A continuous {@code INSERT INTO target SELECT ...}.
 *
 * @param sql the statement as written
 * @param dependsOn objects it reads, and its target
 * @param paused whether it is stopped on purpose
 */
public record JobDefinition(
        String name,
        String application,
        String sql,
        ObjectName target,
        JobPlan plan,
        List<ObjectName> dependsOn,
        boolean paused) {
    public JobDefinition {
        dependsOn = List.copyOf(dependsOn);
    }
}
