package io.tailwater.api.connector;

/**
 * A declared WITH option.
 *
 * @param example a sensible value, for hints and docs
 */
public record ConnectorOption(String key, boolean required, String example, String doc) {}
