package io.tailwater.api.connector;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.settings.SettingType;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/** WITH options that every stream has, stored or of a connector. Stateless. */
public final class StreamOptions {
    /** After how long a partition that nothing comes from holds the watermark back no longer. */
    public static final String IDLE_TIMEOUT = "idle_timeout";

    /** What a sink must guarantee, at the least. Of connectors only. */
    public static final String DELIVERY = "delivery";

    /** Their names. */
    public static final List<String> COMMON = List.of(IDLE_TIMEOUT, DELIVERY);

    private StreamOptions() {}

    /** The idle time-out in microseconds, or -1. */
    public static long idleMicros(CatalogObject.Stream stream) {
        String text = stream.options().get(IDLE_TIMEOUT);
        if (text == null) {
            return -1;
        }
        try {
            Duration span = new SettingType.Span().parse(text.strip());
            if (span.isZero()) {
                throw Options.invalid(IDLE_TIMEOUT, text, "a time span such as '5 s'", null);
            }
            return span.toNanos() / 1000;
        } catch (IllegalArgumentException e) {
            throw Options.invalid(IDLE_TIMEOUT, text, "a time span such as '5 s'", e);
        }
    }

    /** What option {@code delivery} asks for, or null if there is none. */
    public static Delivery.@Nullable Guarantee delivery(CatalogObject.Stream stream) {
        String wanted = new Options(stream.options())
                .oneOf(
                        DELIVERY,
                        List.of(
                                Delivery.Guarantee.EXACTLY_ONCE.toString(),
                                Delivery.Guarantee.AT_LEAST_ONCE.toString()));
        return wanted == null
                ? null
                : wanted.equals(Delivery.Guarantee.EXACTLY_ONCE.toString())
                        ? Delivery.Guarantee.EXACTLY_ONCE
                        : Delivery.Guarantee.AT_LEAST_ONCE;
    }

    /**
     * Checks them.
     *
     * @throws StreamException 22023 for a value that is none, or an idle time-out without a watermark
     */
    public static void check(CatalogObject.Stream stream) {
        if (idleMicros(stream) >= 0 && stream.watermark() == null) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "option \"" + IDLE_TIMEOUT + "\" needs a watermark, which stream \"" + stream.name() + "\" has not",
                    -1,
                    "Add WATERMARK FOR column AS column - INTERVAL '5' SECOND to the column list.",
                    null);
        }
    }
}
