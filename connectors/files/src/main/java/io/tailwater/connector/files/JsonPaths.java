package io.tailwater.connector.files;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which JSON values become columns, as a tree: a column name is a path, {@code geometry.coordinates[0]}. Names match without regard to case, an exact match
 * first; a field whose own name has dots or brackets is found by its whole name too. Immutable once built.
 */
final class JsonPaths {
    private final Map<String, JsonPaths> fields = new TreeMap<>();
    private final Map<String, JsonPaths> lowerFields = new TreeMap<>();
    private final Map<Integer, JsonPaths> elements = new TreeMap<>();
    private int column = -1;

    private JsonPaths() {}

    /**
     * The tree of some columns.
     *
     * @param wanted of {@code all}, in the order of the batch
     */
    static JsonPaths of(Schema all, List<Integer> wanted) {
        JsonPaths root = new JsonPaths();
        for (int i = 0; i < wanted.size(); i++) {
            String name = all.column(wanted.get(i)).name();
            root.follow(name, name).column = i;
            if (name.indexOf('.') >= 0 || name.indexOf('[') >= 0) {
                root.field(name).column = i;
            }
        }
        return root;
    }

    private JsonPaths follow(String path, String whole) {
        JsonPaths node = this;
        int at = 0;
        while (at < path.length()) {
            if (path.charAt(at) == '[') {
                int close = path.indexOf(']', at);
                node = node.element(index(path, at + 1, close, whole));
                at = close + 1;
                if (at < path.length() && path.charAt(at) == '.') {
                    at++;
                }
            } else {
                int end = at;
                while (end < path.length() && path.charAt(end) != '.' && path.charAt(end) != '[') {
                    end++;
                }
                node = node.field(path.substring(at, end));
                at = end < path.length() && path.charAt(end) == '.' ? end + 1 : end;
            }
        }
        return node;
    }

    private static int index(String path, int from, int to, String whole) {
        try {
            return Integer.parseUnsignedInt(path.substring(from, Math.max(from, to)));
        } catch (NumberFormatException e) {
            throw new StreamException(
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "column \"" + whole + "\" is not a path into JSON",
                    -1,
                    "Write it as in \"properties.mag\" or \"geometry.coordinates[0]\".",
                    e);
        }
    }

    private JsonPaths field(String name) {
        JsonPaths node = fields.computeIfAbsent(name, n -> new JsonPaths());
        lowerFields.putIfAbsent(name.toLowerCase(Locale.ROOT), node);
        return node;
    }

    private JsonPaths element(int index) {
        return elements.computeIfAbsent(index, i -> new JsonPaths());
    }

    /** The node of an object's field, or null if nothing below it is a column. */
    @Nullable JsonPaths at(String name) {
        JsonPaths exact = fields.get(name);
        return exact != null ? exact : lowerFields.get(name.toLowerCase(Locale.ROOT));
    }

    /** The node of an array's element, or null. */
    @Nullable JsonPaths at(int index) {
        return elements.get(index);
    }

    /** The column that the value itself becomes, or -1. */
    int column() {
        return column;
    }

    boolean hasFields() {
        return !fields.isEmpty();
    }

    boolean hasElements() {
        return !elements.isEmpty();
    }
}
