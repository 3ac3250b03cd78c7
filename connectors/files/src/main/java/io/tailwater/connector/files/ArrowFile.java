package io.tailwater.connector.files;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Where the record batches of an Arrow IPC file or stream lie, and what its columns are. The messages are walked from the front, which works for files and
 * streams alike; a file's footer is not needed. Immutable. Borrows the channel, by absolute positions only.
 */
final class ArrowFile {
    private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);
    private static final int FILE_HEADER = 8;
    private static final int PREFIX = 8;

    private final Path path;
    private final FileChannel channel;
    private final long size;
    private final List<Column> columns;
    private final List<Block> blocks;
    private final boolean complete;

    /**
     * A column of the file.
     *
     * @param layout type whose buffers it has
     * @param type of its values once they are multiplied and divided
     */
    record Column(String name, DataType layout, DataType type, long multiply, long divide) {}

    /** A record batch's message: its metadata begins at {@code position}. */
    record Block(long position, int metadata, long body, long rows) {}

    ArrowFile(Path path, FileChannel channel, long size) {
        this.path = path;
        this.channel = channel;
        this.size = size;
        byte[] start = bytes(0, (int) Math.min(size, FILE_HEADER));
        boolean file =
                start.length == FILE_HEADER && java.util.Arrays.equals(start, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
        List<Column> found = null;
        List<Block> batches = new ArrayList<>();
        boolean ended = false;
        long at = file ? FILE_HEADER : 0;
        try {
            while (at + PREFIX <= size && !ended) {
                ByteBuffer prefix = ByteBuffer.wrap(bytes(at, PREFIX)).order(ByteOrder.LITTLE_ENDIAN);
                boolean marked = prefix.getInt(0) == -1;
                int length = marked ? prefix.getInt(4) : prefix.getInt(0);
                long metadata = at + (marked ? PREFIX : PREFIX / 2);
                if (length == 0) {
                    ended = true;
                } else {
                    if (length < 0 || metadata + length > size) {
                        break;
                    }
                    Message message = Message.getRootAsMessage(
                            ByteBuffer.wrap(bytes(metadata, length)).order(ByteOrder.LITTLE_ENDIAN));
                    if (metadata + length + message.bodyLength() > size) {
                        break;
                    }
                    if (message.headerType() == MessageHeader.Schema) {
                        found = columns(message);
                    } else if (message.headerType() == MessageHeader.RecordBatch) {
                        batches.add(block(message, metadata, length));
                    } else {
                        throw unsupported("dictionary-encoded columns");
                    }
                    at = metadata + length + message.bodyLength();
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw bad("a message is malformed", e);
        }
        if (found == null) {
            throw bad("it does not begin with a schema", null);
        }
        columns = found;
        blocks = List.copyOf(batches);
        complete = ended && (!file || endsWithMagic());
    }

    private boolean endsWithMagic() {
        return java.util.Arrays.equals(bytes(size - MAGIC.length, MAGIC.length), MAGIC);
    }

    private Block block(Message message, long metadata, int length) {
        if (!(message.header(new RecordBatch()) instanceof RecordBatch batch)) {
            throw bad("a message is malformed", null);
        }
        return new Block(metadata, length, message.bodyLength(), batch.length());
    }

    Path path() {
        return path;
    }

    List<Block> blocks() {
        return blocks;
    }

    List<Column> columns() {
        return columns;
    }

    /** Whether its writer has closed it. */
    boolean complete() {
        return complete;
    }

    /** The columns that the file implies. */
    Schema implied() {
        return new Schema(columns.stream()
                .map(c -> new io.tailwater.common.type.Column(c.name(), c.type()))
                .toList());
    }

    /** Of each of these, the index in the file. */
    int[] match(Schema wanted) {
        int[] out = new int[wanted.size()];
        for (int i = 0; i < out.length; i++) {
            String name = wanted.column(i).name();
            out[i] = indexOf(name);
            if (out[i] < 0) {
                throw new StreamException(
                        ErrorCode.UNDEFINED_COLUMN,
                        "file \"" + path + "\" has no column \"" + name + "\"",
                        -1,
                        "It has: "
                                + String.join(
                                        ", ", columns.stream().map(Column::name).toList()) + ".",
                        null);
            }
            DataType there = columns.get(out[i]).type();
            if (!fits(there, wanted.type(i))) {
                throw new StreamException(
                        ErrorCode.DATATYPE_MISMATCH,
                        "column \"%s\" of file \"%s\" cannot be read as %s: it is %s"
                                .formatted(name, path, wanted.type(i).sql(), there.sql()),
                        -1,
                        "Declare it as " + there.sql() + ".",
                        null);
            }
        }
        return out;
    }

    private static boolean fits(DataType there, DataType wanted) {
        boolean times = (there.kind() == TypeKind.TIMESTAMP || there.kind() == TypeKind.TIMESTAMP_LTZ)
                && (wanted.kind() == TypeKind.TIMESTAMP || wanted.kind() == TypeKind.TIMESTAMP_LTZ);
        boolean same = there.kind() == wanted.kind()
                && (there.kind() != TypeKind.DECIMAL
                        || (there.scale() == wanted.scale() && there.precision() <= wanted.precision()));
        return times || same;
    }

    private int indexOf(String name) {
        int loose = -1;
        for (int i = 0; i < columns.size(); i++) {
            String there = columns.get(i).name();
            if (there.equals(name)) {
                return i;
            }
            if (loose < 0 && there.toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                loose = i;
            }
        }
        return loose;
    }

    private List<Column> columns(Message message) {
        if (!(message.header(new org.apache.arrow.flatbuf.Schema())
                instanceof org.apache.arrow.flatbuf.Schema schema)) {
            throw bad("its schema is malformed", null);
        }
        List<Column> out = new ArrayList<>();
        for (int i = 0; i < schema.fieldsLength(); i++) {
            Field field = schema.fields(i);
            String name = field.name() == null ? "" : field.name();
            if (field.dictionary() != null) {
                throw unsupported("dictionary-encoded columns, such as \"" + name + "\"");
            }
            Column column = column(name, field);
            if (column == null) {
                throw unsupported("column \"" + name + "\" of type " + Type.name(field.typeType()));
            }
            out.add(new Column(
                    column.name(),
                    column.layout().withNullable(field.nullable()),
                    column.type().withNullable(field.nullable()),
                    column.multiply(),
                    column.divide()));
        }
        return out;
    }

    private static Column same(String name, DataType type) {
        return new Column(name, type, type, 1, 1);
    }

    // The check takes a "yield" of an object for one of the number that the outer switch is over.
    @SuppressWarnings("NullTernary")
    private static @Nullable Column column(String name, Field field) {
        return switch (field.typeType()) {
            case Type.Bool -> same(name, DataType.BOOLEAN);
            case Type.Utf8 -> same(name, DataType.VARCHAR);
            case Type.Binary -> same(name, DataType.VARBINARY);
            case Type.Int -> integer(name, (Int) field.type(new Int()));
            case Type.FloatingPoint -> real(name, (FloatingPoint) field.type(new FloatingPoint()));
            case Type.Decimal -> decimal(name, (Decimal) field.type(new Decimal()));
            case Type.Date -> date(name, (Date) field.type(new Date()));
            case Type.Time -> time(name, (Time) field.type(new Time()));
            case Type.Timestamp -> timestamp(name, (Timestamp) field.type(new Timestamp()));
            default -> null;
        };
    }

    private static @Nullable Column real(String name, FloatingPoint type) {
        if (type.precision() == Precision.HALF) {
            return null;
        }
        return same(name, type.precision() == Precision.SINGLE ? DataType.REAL : DataType.DOUBLE);
    }

    private static @Nullable Column decimal(String name, Decimal type) {
        if (type.bitWidth() != 128 || type.scale() < 0 || type.scale() > type.precision()) {
            return null;
        }
        return same(name, DataType.decimal(type.precision(), type.scale()));
    }

    private static @Nullable Column date(String name, Date type) {
        return type.unit() == DateUnit.DAY ? same(name, DataType.DATE) : null;
    }

    private static @Nullable Column time(String name, Time type) {
        return type.bitWidth() == 64 ? scaled(name, DataType.TIME, type.unit()) : null;
    }

    private static @Nullable Column integer(String name, Int type) {
        if (!type.isSigned()) {
            return null;
        }
        return same(
                name,
                switch (type.bitWidth()) {
                    case 8 -> DataType.TINYINT;
                    case 16 -> DataType.SMALLINT;
                    case 32 -> DataType.INTEGER;
                    default -> DataType.BIGINT;
                });
    }

    private static Column timestamp(String name, Timestamp type) {
        boolean zoned = type.timezone() != null && !type.timezone().isEmpty();
        int precision = type.unit() == TimeUnit.SECOND ? 0 : type.unit() == TimeUnit.MILLISECOND ? 3 : 6;
        return scaled(
                name,
                zoned ? new DataType(TypeKind.TIMESTAMP_LTZ, precision, 0, true) : DataType.timestamp(precision),
                type.unit());
    }

    /** Whatever the unit, to microseconds. */
    private static Column scaled(String name, DataType type, short unit) {
        return switch (unit) {
            case TimeUnit.SECOND -> new Column(name, type, type, 1_000_000, 1);
            case TimeUnit.MILLISECOND -> new Column(name, type, type, 1000, 1);
            case TimeUnit.MICROSECOND -> same(name, type);
            default -> new Column(name, type, type, 1, 1000);
        };
    }

    byte[] bytes(long position, int length) {
        ByteBuffer target = ByteBuffer.allocate(Math.max(0, length));
        read(position, target);
        return target.array();
    }

    void read(long position, ByteBuffer target) {
        long at = position - target.position();
        try {
            while (target.hasRemaining()) {
                if (channel.read(target, at + target.position()) < 0) {
                    throw bad("it is cut off", null);
                }
            }
        } catch (IOException e) {
            throw FileIdentity.failure(path, e);
        }
    }

    private StreamException unsupported(String what) {
        return new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED,
                "file \"" + path + "\" has " + what + ", which cannot be read",
                -1,
                "Supported are Bool, signed Int, FloatingPoint, Decimal128, Utf8, Binary, Date in days, Time64 and Timestamp.",
                null);
    }

    StreamException bad(String reason, @Nullable Throwable cause) {
        return new StreamException(
                ErrorCode.BAD_RECORD, "file \"" + path + "\" is no sound Arrow file: " + reason, -1, null, cause);
    }
}
