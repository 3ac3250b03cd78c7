package io.tailwater.server.flight;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.ErrorFlightMetadata;
import org.apache.arrow.flight.FlightRuntimeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;

/**
 * Failures as clients see them: a gRPC status, near enough for those who know no SQLSTATE, and trailers {@code tailwater-sqlstate}, {@code
 * tailwater-position} (offset in the statement, from 0) and {@code tailwater-hint-bin} (UTF-8).
 */
final class FlightErrors {
    private static final Logger LOG = LoggerFactory.getLogger(FlightErrors.class);
    /** Trailers have to fit an HTTP/2 header block that any client takes. */
    private static final int LONGEST_MESSAGE = 2000;

    private static final int LONGEST_HINT = 1000;

    private FlightErrors() {}

    static FlightRuntimeException of(Throwable failure) {
        return of(failure, null);
    }

    /**
     * @param batchCounts update counts of the parameter rows executed before, separated by commas; null if this was no batch
     */
    static FlightRuntimeException of(Throwable failure, @Nullable String batchCounts) {
        if (failure instanceof FlightRuntimeException known) {
            return known;
        }
        StreamException error;
        if (failure instanceof StreamException stream) {
            error = stream;
        } else {
            LOG.error("A statement failed unexpectedly", failure);
            error = new StreamException(ErrorCode.INTERNAL_ERROR, "internal error: " + failure);
        }
        ErrorFlightMetadata trailers = new ErrorFlightMetadata();
        trailers.insert("tailwater-sqlstate", error.code().sqlState());
        if (error.position() >= 0) {
            trailers.insert("tailwater-position", String.valueOf(error.position()));
        }
        error.hint()
                .ifPresent(hint -> trailers.insert(
                        "tailwater-hint-bin", cut(hint, LONGEST_HINT).getBytes(StandardCharsets.UTF_8)));
        if (batchCounts != null) {
            trailers.insert("tailwater-batch-counts", batchCounts);
        }
        return status(error.code())
                .withDescription(cut(String.valueOf(error.getMessage()), LONGEST_MESSAGE))
                .withMetadata(trailers)
                .toRuntimeException();
    }

    private static CallStatus status(ErrorCode code) {
        return switch (code) {
            case QUERY_CANCELED -> CallStatus.CANCELLED;
            case TIMEOUT -> CallStatus.TIMED_OUT;
            case CONNECTION_FAILURE, ADMIN_SHUTDOWN, CANNOT_CONNECT_NOW -> CallStatus.UNAVAILABLE;
            case INVALID_AUTHORIZATION -> CallStatus.UNAUTHENTICATED;
            case UNDEFINED_TABLE, UNDEFINED_OBJECT, INVALID_SCHEMA_NAME -> CallStatus.NOT_FOUND;
            case DUPLICATE_TABLE, DUPLICATE_OBJECT -> CallStatus.ALREADY_EXISTS;
            case FEATURE_NOT_SUPPORTED -> CallStatus.UNIMPLEMENTED;
            default ->
                switch (code.kind()) {
                    case USER -> CallStatus.INVALID_ARGUMENT;
                    case RESOURCE -> CallStatus.RESOURCE_EXHAUSTED;
                    case RETRYABLE -> CallStatus.UNAVAILABLE;
                    case INTERNAL -> CallStatus.INTERNAL;
                };
        };
    }

    private static String cut(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest) + "...";
    }
}
