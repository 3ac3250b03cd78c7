package io.tailwater.connector.basic;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Values;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.Delivery;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.api.connector.TargetConnector;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/**
 * {@code connector = 'print'}: each row becomes a line of the server's log, {@code name +I[..]} or {@code name -D[..]}. For looking at what a query does: after a
 * crash the rows of the tick under way are printed again. Thread-safe.
 */
public final class PrintConnector implements TargetConnector {
    private static final Logger LOG = LoggerFactory.getLogger("io.tailwater.print");

    private final Consumer<String> lines;

    public PrintConnector() {
        this(LOG::info);
    }

    PrintConnector(Consumer<String> lines) {
        this.lines = lines;
    }

    @Override
    public String name() {
        return "print";
    }

    @Override
    public List<ConnectorOption> options() {
        return List.of();
    }

    @Override
    public String whyNotRead() {
        return "only shows rows";
    }

    @Override
    public boolean acceptsUpdates(CatalogObject.Stream stream) {
        return true;
    }

    @Override
    public Delivery delivery(CatalogObject.Stream stream) {
        return Delivery.atLeastOnce("cannot take back what it printed");
    }

    @Override
    public CatalogObject.Stream resolve(CatalogObject.Stream declared, Path workingDirectory) {
        if (declared.schema().size() == 0) {
            throw new StreamException(
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "stream \"" + declared.name() + "\" needs a column list",
                    -1,
                    "Name the columns of the query that will be inserted.",
                    null);
        }
        return declared;
    }

    /** The position is the number of rows printed. */
    @Override
    public SinkWriter write(CatalogObject.Stream stream, WriteContext context) {
        return new Writer(stream.name().toString(), lines, Math.max(0, context.resumeAt()));
    }

    private static final class Writer implements SinkWriter {
        private final String prefix;
        private final Consumer<String> lines;
        private long rows;

        Writer(String prefix, Consumer<String> lines, long rows) {
            this.prefix = prefix;
            this.lines = lines;
            this.rows = rows;
        }

        @Override
        public void write(ColumnBatch batch) {
            for (int row = 0; row < batch.rows(); row++) {
                long weight = batch.weight(row);
                StringBuilder line = new StringBuilder(prefix).append(weight > 0 ? " +I[" : " -D[");
                for (int column = 0; column < batch.columns(); column++) {
                    line.append(column == 0 ? "" : ", ").append(text(batch, column, row));
                }
                line.append(']');
                for (long copy = 0; copy < Math.abs(weight); copy++) {
                    lines.accept(line.toString());
                }
            }
            rows += batch.rows();
        }

        private static String text(ColumnBatch batch, int column, int row) {
            Object value = Values.get(batch, column, row);
            DataType type = batch.type(column);
            if (value == null) {
                return "NULL";
            }
            return switch (type.kind()) {
                case DATE -> LocalDate.ofEpochDay((Long) value).toString();
                case TIME -> LocalTime.ofNanoOfDay((Long) value * 1000).toString();
                case TIMESTAMP, TIMESTAMP_LTZ -> {
                    long micros = (Long) value;
                    yield LocalDateTime.ofEpochSecond(
                                    Math.floorDiv(micros, 1_000_000L),
                                    (int) Math.floorMod(micros, 1_000_000L) * 1000,
                                    ZoneOffset.UTC)
                            .toString()
                            .replace('T', ' ');
                }
                case VARBINARY -> "\\x" + HexFormat.of().formatHex((byte[]) value);
                case DECIMAL -> ((java.math.BigDecimal) value).toPlainString();
                default -> value.toString();
            };
        }

        @Override
        public long endTick(long tick) {
            return rows;
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }
}
