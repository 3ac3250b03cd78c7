package io.tailwater.jdbc.wire;

import io.grpc.Metadata;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** Why a call to the server failed: SQLSTATE, message, and where in the statement. Immutable. */
public final class CallFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private static final Metadata.Key<String> SQLSTATE = ascii("tailwater-sqlstate");
    private static final Metadata.Key<String> POSITION = ascii("tailwater-position");
    private static final Metadata.Key<String> BATCH_COUNTS = ascii("tailwater-batch-counts");
    private static final Metadata.Key<byte[]> HINT =
            Metadata.Key.of("tailwater-hint-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private final String sqlState;
    private final int position;
    private final @Nullable String hint;
    private final @Nullable String batchCounts;

    public CallFailure(String sqlState, String message) {
        this(sqlState, message, -1, null, null, null);
    }

    private CallFailure(
            String sqlState,
            String message,
            int position,
            @Nullable String hint,
            @Nullable String batchCounts,
            @Nullable Throwable cause) {
        super(message, cause);
        this.sqlState = sqlState;
        this.position = position;
        this.hint = hint;
        this.batchCounts = batchCounts;
    }

    static CallFailure of(Status status, @Nullable Metadata trailers) {
        String description = status.getDescription();
        String message = description == null ? status.getCode().toString() : description;
        String given = trailers == null ? null : trailers.get(SQLSTATE);
        if (trailers == null || given == null) {
            Throwable cause = status.getCause();
            String detail = cause == null || cause.getMessage() == null ? message : message + ": " + cause.getMessage();
            return new CallFailure(sqlStateOf(status.getCode()), detail, -1, null, null, cause);
        }
        byte[] hint = trailers.get(HINT);
        return new CallFailure(
                given,
                message,
                number(trailers.get(POSITION)),
                hint == null ? null : new String(hint, StandardCharsets.UTF_8),
                trailers.get(BATCH_COUNTS),
                null);
    }

    public String sqlState() {
        return sqlState;
    }

    /** Offset of the offending character in the SQL text, or -1. */
    public int position() {
        return position;
    }

    public @Nullable String hint() {
        return hint;
    }

    /** Update counts, separated by commas, of the rows of a batch that were executed before this failure; null outside a batch. */
    public @Nullable String batchCounts() {
        return batchCounts;
    }

    /** Whether the connection is of no more use. */
    public boolean isConnectionLost() {
        return sqlState.startsWith("08");
    }

    private static int number(@Nullable String text) {
        return text != null && text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
    }

    private static String sqlStateOf(Status.Code code) {
        switch (code) {
            case UNAVAILABLE:
                return "08006";
            case UNAUTHENTICATED:
            case PERMISSION_DENIED:
                return "28000";
            case DEADLINE_EXCEEDED:
                return "HYT00";
            case CANCELLED:
                return "57014";
            case RESOURCE_EXHAUSTED:
                return "53000";
            case INVALID_ARGUMENT:
                return "42000";
            default:
                return "XX000";
        }
    }

    private static Metadata.Key<String> ascii(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}
