package io.tailwater.server;

import io.tailwater.common.error.StreamException;
import io.tailwater.executor.expr.Projector;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.ResultStream;
import io.tailwater.server.sql.SqlService;
import io.tailwater.server.sql.SqlSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Queries of the server's own, run once beside the first clients' work, so that parser, planner, code generator and operators are loaded when a client needs
 * them: the first query of a process takes a second otherwise. Nothing depends on it.
 */
final class WarmUp implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    private static final List<String> QUERIES = List.of(
            "SELECT 1",
            "SELECT a, COUNT(*) AS n, MAX(b) FROM (VALUES (1, 'x'), (2, 'y')) AS t (a, b) WHERE a > 0 GROUP BY a ORDER BY a");

    private final SqlService service;

    private WarmUp(SqlService service) {
        this.service = service;
    }

    /** Starts it on a thread that ends by itself, and that no stop has to wait for. */
    static void start(SqlService service) {
        Thread thread = new Thread(new WarmUp(service), "warm-up");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try (SqlSession session = service.open("", "", ZoneOffset.UTC)) {
            for (String query : QUERIES) {
                read(session.execute(query, List.of(), Duration.ZERO, new CancelSignal()));
            }
            Projector.warmUp();
        } catch (StreamException e) {
            // Most likely the server was stopped meanwhile.
            LOG.info("the warm-up ended early: {}", e.getMessage());
        }
    }

    private static void read(SqlSession.Outcome outcome) {
        if (outcome instanceof SqlSession.Outcome.Rows rows) {
            try (ResultStream stream = rows.stream()) {
                ResultStream.Next next;
                do {
                    next = stream.next(TimeUnit.SECONDS.toNanos(1));
                    if (next instanceof ResultStream.Next.Rows some) {
                        some.batch().close();
                    }
                } while (!(next instanceof ResultStream.Next.End));
            }
        }
    }
}
