package io.tailwater.server.flight;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/**
 * What our JDBC driver asks to be executed: see {@link io.tailwater.server.flight} for its fields. Immutable.
 *
 * @param sql empty if a prepared statement is to be executed
 * @param handle empty if it is not
 * @param timeout zero for none
 * @param rows parameters; several rows are executed one after the other
 */
record ExecuteTicket(String sql, String handle, Duration timeout, List<List<@Nullable Object>> rows) {
    static final String TYPE_URL = "type.googleapis.com/tailwater.Execute";

    static ExecuteTicket parse(ByteString message) throws IOException {
        CodedInputStream in = message.newCodedInput();
        String sql = "";
        String handle = "";
        Duration timeout = Duration.ZERO;
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> sql = in.readStringRequireUtf8();
                case 2 -> handle = in.readStringRequireUtf8();
                case 3 -> timeout = Duration.ofMillis(in.readUInt64());
                case 4 -> rows.add(row(in.readBytes().newCodedInput()));
                default -> in.skipField(tag);
            }
        }
        return new ExecuteTicket(sql, handle, timeout, rows);
    }

    private static List<@Nullable Object> row(CodedInputStream in) throws IOException {
        List<@Nullable Object> values = new ArrayList<>();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (WireFormat.getTagFieldNumber(tag) == 1) {
                values.add(value(in.readBytes().newCodedInput()));
            } else {
                in.skipField(tag);
            }
        }
        return values;
    }

    private static @Nullable Object value(CodedInputStream in) throws IOException {
        int tag = in.readTag();
        return switch (WireFormat.getTagFieldNumber(tag)) {
            case 0 -> null;
            case 1 -> in.readBool();
            case 2 -> in.readSInt64();
            case 3 -> in.readDouble();
            case 4 -> decimal(in.readStringRequireUtf8());
            case 5 -> in.readStringRequireUtf8();
            case 6 -> in.readByteArray();
            case 7 -> LocalDate.ofEpochDay(in.readSInt64());
            case 8 -> LocalTime.ofNanoOfDay(in.readSInt64() * 1000);
            case 9 -> {
                long micros = in.readSInt64();
                yield LocalDateTime.ofEpochSecond(seconds(micros), nanos(micros), ZoneOffset.UTC);
            }
            case 10 -> {
                long micros = in.readSInt64();
                yield Instant.ofEpochSecond(seconds(micros), nanos(micros));
            }
            default -> throw new IOException("unknown kind of parameter: " + tag);
        };
    }

    private static BigDecimal decimal(String text) throws IOException {
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw new IOException("malformed decimal parameter", e);
        }
    }

    private static long seconds(long micros) {
        return Math.floorDiv(micros, 1_000_000L);
    }

    private static int nanos(long micros) {
        return (int) Math.floorMod(micros, 1_000_000L) * 1000;
    }
}
