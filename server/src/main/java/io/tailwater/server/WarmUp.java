package io.tailwater.server;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.settings.ServerSettings;
import io.tailwater.common.settings.Settings;
import io.tailwater.executor.expr.Projector;
import io.tailwater.planner.Connectors;
import io.tailwater.planner.Session;
import io.tailwater.planner.SqlPlanner;
import io.tailwater.server.flight.FirstCalls;
import io.tailwater.server.launch.RunningServer;
import io.tailwater.server.launch.ServerStarter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Work of the process's own that loads what a client's first query needs, which would take that query most of a second: parser, planner and code generator
 * beside the server's start, the way from the wire to the engine once there is one. A server is ready a little later for it, but not by more than
 * {@link #LONGEST_WAIT_MILLIS}: what is not done by then goes on beside the first clients. Nothing depends on it. Thread-safe.
 */
final class WarmUp implements ServerStarter {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    /** Some of each kind of operator that simple queries are made of. */
    private static final List<String> QUERIES = List.of(
            "SELECT 1",
            "SELECT a, COUNT(*) AS n, MAX(b) FROM (VALUES (1, 'x'), (2, 'y')) AS t (a, b) WHERE a > 0 GROUP BY a ORDER BY a");

    private static final long LONGEST_WAIT_MILLIS = 300;

    private final ServerStarter starter;
    private final CompletableFuture<Void> planned = inBackground("warm-up-planner", WarmUp::plan);

    /** Begins what needs no server. */
    WarmUp(ServerStarter starter) {
        this.starter = starter;
    }

    @Override
    public RunningServer start(Settings settings, Runnable owned) {
        RunningServer server = starter.start(settings, owned);
        String host = settings.get(ServerSettings.LISTEN_ADDRESS);
        int port = server.port();
        CompletableFuture<Void> called = inBackground("warm-up-calls", () -> FirstCalls.make(host, port, QUERIES));
        try {
            CompletableFuture.allOf(planned, called).get(LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.debug("clients need not wait longer for the warm-up", e);
        } catch (ExecutionException e) {
            LOG.info("the warm-up ended early: {}", String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return server;
    }

    private static void plan() {
        for (String query : QUERIES) {
            SqlPlanner.plan(query, List.of(), CatalogImage.EMPTY, Session.DEFAULT, NoConnectors.INSTANCE);
        }
        Projector.warmUp();
    }

    /** On a thread that ends by itself, and that no stop has to wait for. */
    private static CompletableFuture<Void> inBackground(String name, Runnable task) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                        done.complete(null);
                    } catch (StreamException | IllegalStateException e) {
                        done.completeExceptionally(e);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    /** The queries read no streams. Immutable. */
    private enum NoConnectors implements Connectors {
        INSTANCE;

        @Override
        public boolean bounded(CatalogObject.Stream stream) {
            throw new AssertionError(stream);
        }

        @Override
        public boolean readable(CatalogObject.Stream stream) {
            throw new AssertionError(stream);
        }

        @Override
        public boolean writable(CatalogObject.Stream stream) {
            throw new AssertionError(stream);
        }
    }
}
