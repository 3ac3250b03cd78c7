package io.tailwater.server.control;

/**
 * How a reader's event time advances. Immutable.
 *
 * @param delayMicros of the watermark behind the greatest event time, or -1 if the reader has no watermark
 * @param idleMicros after which a split that does not move, while others do, holds the watermark back no longer; or -1 for never
 */
public record EventTime(long delayMicros, long idleMicros) {
    public static final EventTime NONE = new EventTime(-1, -1);
}
