package io.tailwater.connector.nexmark;

import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;

import java.util.Locale;

/** The three kinds of events. Events come in epochs of 50: 1 person, then 3 auctions, then 46 bids. */
enum EventKind {
    PERSON(0, 1),
    AUCTION(1, 3),
    BID(4, 46);

    /** Events in one epoch. */
    static final int EPOCH = 50;

    private static final Schema PERSON_SCHEMA = Schema.of(
            bigint("id"),
            text("name"),
            text("emailAddress"),
            text("creditCard"),
            text("city"),
            text("state"),
            time("dateTime"),
            text("extra"));
    private static final Schema AUCTION_SCHEMA = Schema.of(
            bigint("id"),
            text("itemName"),
            text("description"),
            bigint("initialBid"),
            bigint("reserve"),
            time("dateTime"),
            time("expires"),
            bigint("seller"),
            bigint("category"),
            text("extra"));
    private static final Schema BID_SCHEMA = Schema.of(
            bigint("auction"),
            bigint("bidder"),
            bigint("price"),
            text("channel"),
            text("url"),
            time("dateTime"),
            text("extra"));

    private final int offset;
    private final int perEpoch;

    EventKind(int offset, int perEpoch) {
        this.offset = offset;
        this.perEpoch = perEpoch;
    }

    private static Column bigint(String name) {
        return new Column(name, DataType.BIGINT.notNull());
    }

    private static Column text(String name) {
        return new Column(name, DataType.VARCHAR.notNull());
    }

    private static Column time(String name) {
        return new Column(name, DataType.timestamp(3).notNull());
    }

    /** Where in an epoch the events of this kind begin. */
    int offset() {
        return offset;
    }

    /** How many of them an epoch has. */
    int perEpoch() {
        return perEpoch;
    }

    Schema schema() {
        return switch (this) {
            case PERSON -> PERSON_SCHEMA;
            case AUCTION -> AUCTION_SCHEMA;
            case BID -> BID_SCHEMA;
        };
    }

    /** Index of {@code dateTime}, the event time. */
    int timeColumn() {
        return schema().indexOf("dateTime").orElseThrow();
    }

    String optionValue() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** How many of a split's first {@code events} events are of this kind. */
    long rowsBefore(long events) {
        return events / EPOCH * perEpoch + Math.max(0, Math.min(perEpoch, events % EPOCH - offset));
    }

    /** The least number of a split's first events that hold {@code rows} of this kind. */
    long eventsHolding(long rows) {
        if (rows == 0) {
            return 0;
        }
        long epoch = (rows - 1) / perEpoch;
        return epoch * EPOCH + offset + (rows - 1) % perEpoch + 1;
    }
}
