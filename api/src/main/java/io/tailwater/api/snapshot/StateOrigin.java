package io.tailwater.api.snapshot;

/**
 * Where a job's state comes from.
 *
 * @param manifest name of a snapshot's
 * @param job id of the job whose state it was there
 */
public record StateOrigin(String manifest, long job) {}
