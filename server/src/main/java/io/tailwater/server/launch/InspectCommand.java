package io.tailwater.server.launch;

import io.tailwater.common.settings.ServerSettings;
import io.tailwater.common.settings.Settings;
import io.tailwater.storage.inspect.Inspector;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Shows what is in a data directory. */
@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Shows what is in a data directory, in a directory of snapshots, or in one of their files, and checks all of it. Only reads, and takes no lock: the",
            "server may be stopped or running. What is damaged is told with place and reason, and the rest goes on; the exit status is 1 then."
        })
public final class InspectCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(
            paramLabel = "PATH",
            arity = "0..*",
            description = "What to show; the data directory that a server without settings uses unless given.")
    private List<Path> paths = new ArrayList<>();

    @Option(names = "--frames", description = "List the frames of each segment.")
    private boolean frames;

    @Option(names = "--log", description = "List the records of application logs.")
    private boolean log;

    @Option(
            names = "--rows",
            paramLabel = "N",
            arity = "0..1",
            fallbackValue = "10",
            description = "Show the first rows of each job and worker in state files; 10 unless N is given.")
    private int rows;

    @Override
    public Integer call() {
        if (spec == null) {
            throw new AssertionError("picocli sets this");
        }
        LogSetup.silence();
        List<Path> all = paths.isEmpty() ? List.of(Path.of(Settings.of(Map.of()).get(ServerSettings.DATA_DIR))) : paths;
        return Inspector.inspect(
                                all,
                                new Inspector.Options(frames, log, rows),
                                spec.commandLine().getOut())
                        == 0
                ? 0
                : 1;
    }
}
