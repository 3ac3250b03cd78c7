package io.tailwater.api.catalog;

import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The streams beside a stream, which nobody creates: {@code <stream>$late} holds the rows that came too late for a job, {@code <stream>$errors} those that a job could
 * not use. Both can be read as any stream can; only the engine writes them. They exist, empty at first, for every stream, stored or of a connector, and go with it.
 * Thread-safe.
 */
public final class SideStreams {
    private static final String LATE = "$late";
    private static final String ERRORS = "$errors";

    /** Columns that {@code $late} has after the stream's own. A stream's column of the same name makes it {@code application_1} and so on. */
    private static final List<Column> LATE_COLUMNS = List.of(
            // Whose job found the row late: each job has its own watermarks.
            new Column("application", DataType.VARCHAR.notNull()),
            new Column("job", DataType.VARCHAR.notNull()),
            // The row's PlanNode.Scan.ARRIVAL.
            new Column("arrival", DataType.BIGINT.notNull()),
            // Microseconds that the row's event time was below the watermark that made it late, at least 1.
            new Column("late_by", DataType.BIGINT.notNull()));

    private static final Schema ERROR_COLUMNS = Schema.of(
            new Column("application", DataType.VARCHAR.notNull()),
            new Column("job", DataType.VARCHAR.notNull()),
            // A file's path, a topic and partition, or the stream's own name.
            new Column("source", DataType.VARCHAR.notNull()),
            // Of the record in its source: a byte offset, a record's number or offset.
            new Column("position", DataType.BIGINT),
            new Column("reason", DataType.VARCHAR.notNull()),
            new Column("raw", DataType.VARBINARY),
            new Column("noticed", DataType.timestamp(3).notNull()));

    private SideStreams() {}

    /** {@code <stream>$late}: the stream's columns, then {@code application}, {@code job}, {@code arrival} and {@code late_by}. */
    public static CatalogObject.Stream late(CatalogObject.Stream stream) {
        List<Column> columns = new ArrayList<>(stream.schema().columns());
        for (Column column : LATE_COLUMNS) {
            columns.add(new Column(unused(column.name(), new Schema(columns)), column.type()));
        }
        return side(lateName(stream.name()), new Schema(columns));
    }

    /** {@code <stream>$errors}. */
    public static CatalogObject.Stream errors(CatalogObject.Stream stream) {
        return side(errorsName(stream.name()), ERROR_COLUMNS);
    }

    public static ObjectName lateName(ObjectName stream) {
        return new ObjectName(stream.schema(), stream.name() + LATE);
    }

    public static ObjectName errorsName(ObjectName stream) {
        return new ObjectName(stream.schema(), stream.name() + ERRORS);
    }

    /** Whether this is the name of a side stream; no other object's name has a {@code $} in it. */
    public static boolean isSideStream(ObjectName name) {
        return base(name).isPresent();
    }

    /** The stream that the one of this name stands beside, or empty if it is not the name of a side stream. */
    public static Optional<ObjectName> base(ObjectName name) {
        String lower = name.name().toLowerCase(Locale.ROOT);
        for (String suffix : List.of(LATE, ERRORS)) {
            if (lower.endsWith(suffix) && lower.length() > suffix.length()) {
                return Optional.of(new ObjectName(
                        name.schema(), name.name().substring(0, name.name().length() - suffix.length())));
            }
        }
        return Optional.empty();
    }

    /** The side stream of this name, matched as {@link CatalogImage#find} does. */
    static Optional<CatalogObject> find(CatalogImage catalog, ObjectName name) {
        return base(name)
                .flatMap(catalog::find)
                .filter(CatalogObject.Stream.class::isInstance)
                .map(CatalogObject.Stream.class::cast)
                .filter(stream -> !isSideStream(stream.name()))
                .map(stream -> name.name().toLowerCase(Locale.ROOT).endsWith(LATE) ? late(stream) : errors(stream));
    }

    private static CatalogObject.Stream side(ObjectName name, Schema schema) {
        return new CatalogObject.Stream(name, schema, null, List.of(), 1, new TreeMap<>());
    }

    private static String unused(String name, Schema taken) {
        String unused = name;
        for (int n = 1; taken.indexOf(unused).isPresent(); n++) {
            unused = name + "_" + n;
        }
        return unused;
    }
}
