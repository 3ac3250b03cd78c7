package io.tailwater.server.launch;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/** Prints the version. */
@Command(
        name = "version",
        mixinStandardHelpOptions = true,
        description = "Prints the version of Tailwater and of the Java that runs it.")
public final class VersionCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    /** Name and version of this program. */
    public static String version() {
        String version = VersionCommand.class.getPackage().getImplementationVersion();
        return "Tailwater " + (version == null ? "(not packaged)" : version);
    }

    @Override
    public Integer call() {
        if (spec == null) {
            throw new AssertionError("picocli sets this");
        }
        spec.commandLine().getOut().println(version() + " on Java " + System.getProperty("java.version"));
        return 0;
    }
}
