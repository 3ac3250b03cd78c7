package io.tailwater.api.plan;

/** One column of an ORDER BY. PostgreSQL's defaults (nulls last when ascending, first when descending) have been made explicit. */
public record SortKey(int column, boolean descending, boolean nullsFirst) {
    @Override
    public String toString() {
        return "$" + column + (descending ? " DESC" : "") + (nullsFirst ? " NULLS FIRST" : "");
    }
}
