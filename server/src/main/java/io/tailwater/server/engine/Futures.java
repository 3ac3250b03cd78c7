package io.tailwater.server.engine;

import io.tailwater.common.error.StreamException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Waiting: for a future whose failures are StreamExceptions, and for threads to end. */
final class Futures {
    private static final Logger LOG = LoggerFactory.getLogger(Futures.class);

    private Futures() {}

    /**
     * Returns when an executor that was shut down has ended what it does, even if the caller is interrupted.
     *
     * @param what it does, for the log, should it take long
     */
    static void awaitEnd(ExecutorService ending, String what) {
        boolean interrupted = false;
        while (true) {
            try {
                if (ending.awaitTermination(1, TimeUnit.MINUTES)) {
                    break;
                }
                LOG.warn("still {}", what);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StreamException known) {
                throw known;
            }
            throw e;
        }
    }
}
