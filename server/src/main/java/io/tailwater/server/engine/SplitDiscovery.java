package io.tailwater.server.engine;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.control.Command;
import io.tailwater.server.control.Event;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks now and then whether inputs of running jobs have new splits (files of a directory that is followed), and tells the application. On a thread of its own,
 * because it looks at disks. Its state is owned by that thread.
 */
final class SplitDiscovery implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SplitDiscovery.class);
    private static final long PERIOD_MILLIS = 250;

    private final Application application;
    private final QueryInputs inputs;
    private final JobServices services;
    private final Thread thread;
    /** What was logged last of each reader that cannot be looked after, so that it is logged once. */
    private final Map<Reader, String> warned = new HashMap<>();

    /** What was told and may not be published yet, per job and reader. */
    private Map<Reader, List<String>> told = new HashMap<>();

    private record Reader(long job, int reader) {}

    SplitDiscovery(Application application, QueryInputs inputs, JobServices services) {
        this.application = application;
        this.inputs = inputs;
        this.services = services;
        thread = new Thread(this::run, "split-discovery");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(PERIOD_MILLIS);
                look();
            }
        } catch (InterruptedException e) {
            // Closed.
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        Map<Reader, List<String>> next = new HashMap<>();
        for (Command.Progress job : application.progress().values()) {
            for (PlanNode.Scan scan : QueryInputs.scans(job.plan().root())) {
                if (scan.kind() == PlanNode.ScanKind.CONNECTOR) {
                    Reader reader = new Reader(job.job(), scan.reader());
                    List<String> known = new ArrayList<>(job.splits().get(scan.reader()));
                    for (String split : told.getOrDefault(reader, List.of())) {
                        if (!known.contains(split)) {
                            known.add(split);
                        }
                    }
                    next.put(reader, known);
                    look(reader, job, scan, known);
                }
            }
        }
        told = next;
        warned.keySet().retainAll(next.keySet());
    }

    private void look(Reader reader, Command.Progress job, PlanNode.Scan scan, List<String> known) {
        try {
            List<String> found = inputs.newSplits(scan, known, services.catalog());
            if (!found.isEmpty()) {
                known.addAll(found);
                application.newSplits(new Event.NewSplits(job.job(), scan.reader(), found));
            }
            warned.remove(reader);
        } catch (StreamException e) {
            // The job goes on with what it has; a directory that is away for a while may come back.
            if (isNews(reader, e)) {
                LOG.warn("cannot look for new input of job {}: {}", job.name(), e.getMessage());
            }
        } catch (RuntimeException e) {
            // A connector's defect, which must not keep the other jobs from their input.
            if (isNews(reader, e)) {
                LOG.error("cannot look for new input of job {}", job.name(), e);
            }
        }
    }

    private boolean isNews(Reader reader, RuntimeException e) {
        String text = e.toString();
        return !text.equals(warned.put(reader, text));
    }

    @Override
    public void close() {
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
