package io.tailwater.connector.basic;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.Options;
import io.tailwater.api.connector.RateLimit;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * {@code connector = 'datagen'}: rows made up column by column. Every value is a function of the seed, the column and the row's number, so any range can be made
 * again. Thread-safe.
 */
public final class DatagenConnector implements Connector {
    private static final List<ConnectorOption> OPTIONS = List.of(
            new ConnectorOption("events", false, "1000", "How many rows there are. Without it they never end."),
            new ConnectorOption(
                    "rows_per_second", false, "100", "Rows a second. Without it, as fast as they are read."),
            new ConnectorOption("seed", false, "42", "Another seed makes other random values. Default 0."),
            new ConnectorOption(
                    "fields.*.kind", false, "random", "sequence (the default of timestamps) or random (of all else)."),
            new ConnectorOption("fields.*.start", false, "1", "First value of a sequence. Default 0, or 2024-01-01."),
            new ConnectorOption(
                    "fields.*.step", false, "1", "Distance in a sequence; of timestamps in milliseconds. Default 1."),
            new ConnectorOption("fields.*.min", false, "0", "Least random value."),
            new ConnectorOption("fields.*.max", false, "100", "Greatest random value."),
            new ConnectorOption("fields.*.length", false, "10", "Characters of a random text. Default 10."),
            new ConnectorOption("fields.*.values", false, "a,b,c", "Texts to choose from, separated by commas."),
            new ConnectorOption(
                    "fields.*.distribution",
                    false,
                    "uniform",
                    "uniform (default), normal (six standard deviations from min to max) or zipf (least values most often)."),
            new ConnectorOption("fields.*.nulls", false, "0.1", "Share of NULLs, from 0 to 1. Default 0."));

    @Override
    public String name() {
        return "datagen";
    }

    @Override
    public List<ConnectorOption> options() {
        return OPTIONS;
    }

    @Override
    public boolean readable() {
        return true;
    }

    @Override
    public boolean writable() {
        return false;
    }

    @Override
    public CatalogObject.Stream resolve(CatalogObject.Stream declared, Path workingDirectory) {
        if (declared.schema().size() == 0) {
            throw new StreamException(
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "stream \"" + declared.name() + "\" needs a column list",
                    -1,
                    "Write CREATE STREAM name (column type, ...) WITH (connector = 'datagen', ...).",
                    null);
        }
        for (String key : declared.options().keySet()) {
            if (key.startsWith(Field.PREFIX)) {
                String column = key.substring(Field.PREFIX.length(), key.lastIndexOf('.'));
                if (declared.schema().columns().stream().noneMatch(c -> c.name().equalsIgnoreCase(column))) {
                    throw new StreamException(
                            ErrorCode.UNDEFINED_COLUMN,
                            "option \"" + key + "\" names column \"" + column + "\", which does not exist",
                            -1,
                            "The columns are: "
                                    + String.join(
                                            ", ",
                                            declared.schema().columns().stream()
                                                    .map(Column::name)
                                                    .toList()) + ".",
                            null);
                }
            }
        }
        fields(declared);
        rows(declared);
        rowsPerSecond(declared);
        return declared;
    }

    private static List<Field> fields(CatalogObject.Stream stream) {
        Options options = new Options(stream.options());
        long seed = options.number("seed", 0, Long.MIN_VALUE, Long.MAX_VALUE);
        List<Field> out = new ArrayList<>();
        for (int c = 0; c < stream.schema().size(); c++) {
            out.add(Field.of(stream.schema().column(c), Field.mix(seed + c * 0x9E3779B97F4A7C15L), stream.options()));
        }
        return out;
    }

    /** Long.MAX_VALUE if they never end. */
    private static long rows(CatalogObject.Stream stream) {
        return new Options(stream.options()).number("events", Long.MAX_VALUE, 0, 1L << 47);
    }

    private static long rowsPerSecond(CatalogObject.Stream stream) {
        return new Options(stream.options()).number("rows_per_second", 0, 1, RateLimit.MAX_ROWS_PER_SECOND);
    }

    @Override
    public boolean bounded(CatalogObject.Stream stream) {
        return rows(stream) != Long.MAX_VALUE;
    }

    @Override
    public List<String> splits(CatalogObject.Stream stream, int parallelism) {
        int count = (int) Math.max(1, Math.min(parallelism, rows(stream)));
        long perSecond = rowsPerSecond(stream);
        int splits = perSecond == 0 ? count : (int) Math.min(count, perSecond);
        return IntStream.range(0, splits).mapToObj(i -> i + "/" + splits).toList();
    }

    @Override
    public SplitReader open(CatalogObject.Stream stream, String split, ReadContext context) {
        String[] parts = split.split("/", -1);
        int index = Integer.parseInt(parts[0]);
        int count = Integer.parseInt(parts[1]);
        long rows = rows(stream);
        long mine = rows == Long.MAX_VALUE ? rows : rows / count + (rows % count > index ? 1 : 0);
        long perSecond = rowsPerSecond(stream);
        RateLimit limit = perSecond == 0
                ? null
                : new RateLimit(perSecond / count + (perSecond % count > index ? 1 : 0), context.clock());
        return new DatagenReader(
                fields(stream),
                new DatagenReader.Share(index, count, mine),
                limit,
                context.types(stream.schema()),
                context);
    }

    @Override
    public SinkWriter write(CatalogObject.Stream stream, WriteContext context) {
        throw new StreamException(
                ErrorCode.WRONG_OBJECT_TYPE,
                "stream \"" + stream.name() + "\" cannot be written to: its connector datagen only makes rows up",
                -1,
                null,
                null);
    }
}
