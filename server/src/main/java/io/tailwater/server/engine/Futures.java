package io.tailwater.server.engine;

import io.tailwater.common.error.StreamException;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waiting for a future whose failures are StreamExceptions. */
final class Futures {
    private Futures() {}

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
