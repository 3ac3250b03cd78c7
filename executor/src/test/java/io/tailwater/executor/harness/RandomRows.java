package io.tailwater.executor.harness;

import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random schemas, rows and histories from one seed. Values come from small sets, so that keys meet and rows repeat. */
public final class RandomRows {
    private static final List<DataType> TYPES = List.of(
            DataType.BIGINT,
            DataType.BIGINT,
            DataType.INTEGER,
            DataType.SMALLINT,
            DataType.DOUBLE,
            DataType.decimal(12, 2),
            DataType.VARCHAR,
            DataType.VARCHAR,
            DataType.BOOLEAN,
            DataType.TIMESTAMP,
            DataType.DATE);

    private final Random random;

    public RandomRows(Random random) {
        this.random = random;
    }

    public DataType type() {
        DataType type = TYPES.get(random.nextInt(TYPES.size()));
        return random.nextInt(3) == 0 ? type.notNull() : type;
    }

    public Schema schema(int columns) {
        List<Column> out = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
            out.add(new Column("c" + i, type()));
        }
        return new Schema(out);
    }

    public @Nullable Object value(DataType type, int domain) {
        if (type.nullable() && random.nextInt(6) == 0) {
            return null;
        }
        int v = random.nextInt(domain) - domain / 3;
        return switch (type.kind()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT, SMALLINT, INTEGER, DATE, INTERVAL_YEAR_MONTH -> (long) v;
            case BIGINT -> random.nextInt(20) == 0 ? v * 1_000_000_007L : (long) v;
            case TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME -> v * 1_500_000L;
            // Multiples of a quarter: sums are exact in the oracle too.
            case REAL -> v * 0.25f;
            case DOUBLE -> v * 0.25d + 0.0d;
            case DECIMAL -> BigDecimal.valueOf(v * 37L, type.scale());
            case VARCHAR -> Math.floorMod(v, 2) == 0 ? "k" + v : "a rather longer text, number " + v;
            case VARBINARY -> new byte[] {(byte) v};
            case NULL -> null;
        };
    }

    public List<@Nullable Object> row(Schema schema, int domain) {
        List<@Nullable Object> out = new ArrayList<>();
        schema.columns().forEach(c -> out.add(value(c.type(), domain)));
        return out;
    }

    /**
     * A history whose contents never fall below zero at a tick's end, though they may within.
     *
     * @param appendOnly per input, whether rows are only added, each with weight +1
     */
    public History history(List<Schema> schemas, boolean[] appendOnly, int ticks, int rowsPerTick, int domain) {
        List<Map<List<@Nullable Object>, Long>> contents = new ArrayList<>();
        schemas.forEach(s -> contents.add(new HashMap<>()));
        List<List<History.Change>> out = new ArrayList<>();
        for (int t = 0; t < ticks; t++) {
            List<History.Change> tick = new ArrayList<>();
            int rows = random.nextInt(rowsPerTick + 1);
            for (int r = 0; r < rows; r++) {
                int input = random.nextInt(schemas.size());
                Map<List<@Nullable Object>, Long> content = contents.get(input);
                boolean delete = !appendOnly[input] && !content.isEmpty() && random.nextInt(5) < 2;
                List<@Nullable Object> row = delete ? pick(content) : row(schemas.get(input), domain);
                long weight = 1;
                if (delete) {
                    weight = random.nextInt(3) == 0 ? -content.getOrDefault(row, 0L) : -1;
                } else if (!appendOnly[input] && random.nextInt(8) == 0) {
                    weight = 1L + random.nextInt(3);
                }
                tick.add(new History.Change(input, row, weight));
                content.merge(row, weight, Long::sum);
                content.remove(row, 0L);
            }
            out.add(tick);
        }
        return new History(schemas.size(), out);
    }

    private List<@Nullable Object> pick(Map<List<@Nullable Object>, Long> content) {
        // Sorted, so that a seed means the same run everywhere.
        List<List<@Nullable Object>> rows = new ArrayList<>(content.keySet());
        rows.sort(java.util.Comparator.comparing(Object::toString));
        return rows.get(random.nextInt(rows.size()));
    }
}
