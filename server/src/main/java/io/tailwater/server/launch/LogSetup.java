package io.tailwater.server.launch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.settings.ServerSettings;
import io.tailwater.common.settings.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Sends all logging of the process to one file, rolled at 10 MB with five old files kept, and nothing to the console. */
public final class LogSetup {
    private static final String FILE_NAME = "tailwater.log";

    private LogSetup() {}

    /** The log file that {@code settings} ask for; absolute. */
    public static Path file(Settings settings) {
        String dir = settings.get(ServerSettings.LOG_DIR);
        Path path = dir.isEmpty() ? Path.of(settings.get(ServerSettings.DATA_DIR), "log") : Path.of(dir);
        return path.resolve(FILE_NAME).toAbsolutePath().normalize();
    }

    /** Whether the log file lies in the data directory, where nothing may be written before the directory is this server's. */
    public static boolean inDataDirectory(Settings settings) {
        return settings.get(ServerSettings.LOG_DIR).isEmpty();
    }

    /** Until there is a log file nothing is logged, least of all to the console. */
    public static void silence() {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).reset();
    }

    /**
     * Makes the log file's directory and directs slf4j and java.util.logging to the file.
     *
     * @return the log file
     * @throws StreamException 58030 if the directory cannot be made or written
     */
    public static Path configure(Settings settings) {
        Path file = file(settings);
        try {
            Files.createDirectories(file.getParent());
        } catch (IOException e) {
            throw unwritable(file, e);
        }
        if (!Files.isWritable(file.getParent()) || (Files.exists(file) && !Files.isWritable(file))) {
            throw unwritable(file, null);
        }
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.addAppender(appender(context, file));
        root.setLevel(Level.WARN);
        context.getLogger("io.tailwater")
                .setLevel(Level.toLevel(settings.get(ServerSettings.LOG_LEVEL).toUpperCase(Locale.ROOT)));
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        return file;
    }

    /** Writes out what is still buffered. Nothing is logged after this. */
    public static void stop() {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    }

    private static RollingFileAppender<ILoggingEvent> appender(LoggerContext context, Path file) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setPattern("%d{yyyy-MM-dd HH:mm:ss.SSS,UTC}Z %-5level [%thread] %logger{24} - %msg%n");
        encoder.start();

        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setContext(context);
        appender.setFile(file.toString());
        appender.setEncoder(encoder);

        FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
        rolling.setContext(context);
        rolling.setParent(appender);
        rolling.setFileNamePattern(file + ".%i");
        rolling.setMinIndex(1);
        rolling.setMaxIndex(5);
        rolling.start();
        appender.setRollingPolicy(rolling);

        SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
        trigger.setContext(context);
        trigger.setMaxFileSize(FileSize.valueOf("10MB"));
        trigger.start();
        appender.setTriggeringPolicy(trigger);
        appender.start();
        return appender;
    }

    private static StreamException unwritable(Path file, @org.jspecify.annotations.Nullable IOException cause) {
        return new StreamException(
                ErrorCode.IO_ERROR,
                "Cannot write to the directory " + file.getParent() + ".",
                -1,
                "Give a directory that this user may write: --data-dir DIR, or --set log.dir=DIR for the log alone.",
                cause);
    }
}
