/**
 * Runs plans: {@link io.tailwater.executor.runtime.JobInstance} is one worker's share of one job, {@link io.tailwater.executor.runtime.Worker} the thread
 * that steps the shares of all jobs through ticks and moves rows to its peers.
 *
 * <p>Invariant: everything of a job instance is touched by its worker's thread only; workers meet in {@link io.tailwater.executor.runtime.Mailbox}es.
 */
@NullMarked
package io.tailwater.executor.runtime;

import org.jspecify.annotations.NullMarked;
