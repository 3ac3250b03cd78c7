package io.tailwater.server.bench;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Values;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A query's whole result as text that two systems can be compared by: a header, then the rows in byte order, duplicates kept. Cells are separated by
 * commas without quotes, NULL is {@code \N}, timestamps are UTC {@code yyyy-MM-dd HH:mm:ss.SSS}, decimals have their full scale. Owned by one thread.
 */
final class ResultText {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Schema schema;
    private final List<byte[]> lines = new ArrayList<>();

    ResultText(Schema schema) {
        this.schema = schema;
    }

    /** Adds all rows; borrows the batch. */
    void add(ColumnBatch batch) {
        for (int row = 0; row < batch.rows(); row++) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < schema.size(); column++) {
                line.append(column == 0 ? "" : ",").append(cell(schema.column(column), Values.get(batch, column, row)));
            }
            lines.add(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    int rows() {
        return lines.size();
    }

    /** Writes the file, making its directory if needed. */
    void write(Path file) throws IOException {
        lines.sort(Arrays::compareUnsigned);
        Files.createDirectories(file.toAbsolutePath().getParent());
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            String header = schema.columns().stream().map(Column::name).collect(Collectors.joining(",", "", "\n"));
            out.write(header.getBytes(StandardCharsets.UTF_8));
            for (byte[] line : lines) {
                out.write(line);
            }
        }
    }

    private static String cell(Column column, @Nullable Object value) {
        if (value == null) {
            return "\\N";
        }
        return switch (column.type().kind()) {
            case TIMESTAMP, TIMESTAMP_LTZ -> {
                long micros = (Long) value;
                yield TIME.format(Instant.ofEpochSecond(
                        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L));
            }
            case DATE -> java.time.LocalDate.ofEpochDay((Long) value).toString();
            case DECIMAL -> ((BigDecimal) value).toPlainString();
            case VARBINARY -> java.util.HexFormat.of().formatHex((byte[]) value);
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    VARCHAR,
                    TIME,
                    INTERVAL_DAY_TIME,
                    INTERVAL_YEAR_MONTH,
                    NULL -> value.toString();
        };
    }
}
