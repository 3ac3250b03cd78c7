package io.tailwater.api.connector;

/**
 * A declared WITH option.
 *
 * @param example a sensible value, for hints and docs
 * @param secret whether its value is never shown
 */
public record ConnectorOption(String key, boolean required, String example, String doc, boolean secret) {
    /** What is shown in place of a secret. */
    public static final String HIDDEN = "***";

    public ConnectorOption(String key, boolean required, String example, String doc) {
        this(key, required, example, doc, false);
    }
}
