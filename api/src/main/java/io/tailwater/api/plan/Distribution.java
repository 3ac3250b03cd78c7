package io.tailwater.api.plan;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

import java.util.List;

/** Which worker holds which rows of a relation. Immutable. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "distribution")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Distribution.Any.class, name = "any"),
    @JsonSubTypes.Type(value = Distribution.Hash.class, name = "hash"),
    @JsonSubTypes.Type(value = Distribution.Single.class, name = "single"),
    @JsonSubTypes.Type(value = Distribution.Broadcast.class, name = "broadcast")
})
public sealed interface Distribution {
    /** Each row on one worker, no matter which. */
    record Any() implements Distribution {}

    /** By the vnode of {@code Hashing.hashKey} over these columns, in this order. */
    record Hash(List<Integer> columns) implements Distribution {
        public Hash {
            columns = List.copyOf(columns);
        }
    }

    /** All rows on worker 0. */
    record Single() implements Distribution {}

    /** All rows on every worker. */
    record Broadcast() implements Distribution {}
}
