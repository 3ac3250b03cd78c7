package io.tailwater.common.type;

/** A named, typed column. The name is kept as its creator wrote it (unquoted names fold to lower case before they get here). Immutable. */
public record Column(String name, DataType type) {}
