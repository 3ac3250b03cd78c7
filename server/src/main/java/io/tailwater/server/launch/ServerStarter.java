package io.tailwater.server.launch;

import io.tailwater.common.settings.Settings;

/** Starts a server; what the composition root gives to the commands. */
@FunctionalInterface
public interface ServerStarter {
    /**
     * Starts a server.
     *
     * @param owned run once the data directory is this server's alone: nothing may be written to it before
     * @return the server once it accepts clients
     * @throws io.tailwater.common.error.StreamException if the data directory or a port is in use, or what is stored cannot be read
     */
    RunningServer start(Settings settings, Runnable owned);

    /** Starts a server whose caller writes nothing to the data directory. */
    default RunningServer start(Settings settings) {
        return start(settings, () -> {});
    }
}
