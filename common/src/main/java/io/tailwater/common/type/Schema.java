package io.tailwater.common.type;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** The columns of a relation, in order. Names may repeat in intermediate results, never in catalog objects. Immutable. */
public record Schema(List<Column> columns) {
    public Schema {
        columns = List.copyOf(columns);
    }

    public static Schema of(Column... columns) {
        return new Schema(Arrays.asList(columns));
    }

    public int size() {
        return columns.size();
    }

    public Column column(int index) {
        return columns.get(index);
    }

    public DataType type(int index) {
        return columns.get(index).type();
    }

    /** Index of the column with exactly this name, else of the only one that matches without regard to case. */
    public OptionalInt indexOf(String name) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(name)) {
                return OptionalInt.of(i);
            }
        }
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equalsIgnoreCase(name)) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    public Optional<Column> find(String name) {
        OptionalInt index = indexOf(name);
        return index.isPresent() ? Optional.of(columns.get(index.getAsInt())) : Optional.empty();
    }

    /** The columns at these indices, in this order. */
    public Schema project(List<Integer> indices) {
        return new Schema(indices.stream().map(columns::get).toList());
    }

    @Override
    public String toString() {
        return columns.stream().map(c -> c.name() + " " + c.type()).collect(Collectors.joining(", ", "(", ")"));
    }
}
