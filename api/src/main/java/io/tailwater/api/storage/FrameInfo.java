package io.tailwater.api.storage;

/**
 * What is known of a frame without touching its body. Immutable.
 *
 * @param minTime least event time in microseconds, or {@link FrameHeader#NO_TIME}
 * @param bodyLength bytes
 */
public record FrameInfo(long frame, long epoch, int flags, int rows, long minTime, long maxTime, int bodyLength) {}
