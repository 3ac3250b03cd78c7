package io.tailwater.api.plan;

import java.util.List;

/**
 * What the planner proved about a node's output.
 *
 * @param distribution where its rows are
 * @param appendOnly every weight is +1 for ever: batches carry no weights and operators above use their append-only forms
 * @param uniqueKeys column sets that no two rows of the relation share
 * @param watermarked columns that event time bounds; where a column has several bounds, its values to come are at or above the least of them. A promise only
 *     for rows that passed a {@link PlanNode.LateFilter}
 */
public record Traits(
        Distribution distribution, boolean appendOnly, List<List<Integer>> uniqueKeys, List<Watermarked> watermarked) {
    public static final Traits NONE = new Traits(new Distribution.Any(), false, List.of(), List.of());

    public Traits {
        uniqueKeys = uniqueKeys.stream().map(List::copyOf).toList();
        watermarked = List.copyOf(watermarked);
    }

    /**
     * A column whose future values stay at or above the reader's watermark minus {@code lagMicros}.
     *
     * @param reader the {@link PlanNode.Scan#reader} whose watermark it follows
     */
    public record Watermarked(int column, int reader, long lagMicros) {}
}
