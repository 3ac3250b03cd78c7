package io.tailwater.connector.nexmark;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.Connector.ReadContext;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NexmarkReaderTest {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT);

    private final MemoryAccount memory = MemoryAccount.unlimited("test");
    private final NexmarkConnector connector = new NexmarkConnector();
    private final ManualClock clock = new ManualClock();

    @AfterEach
    void nothingLeaks() {
        assertThat(memory.usedBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "person, f02d72b4148e134903037f078184e6639153f75319e8e13b0f20fa0c154a35dd",
        "auction, be035c504a5ba84bd034bbb80f1497ec440cf4c39f74b47eb781d1bb343a7e6e",
        "bid, 1e41f01058fbd26585f0321f9cbb5083a8592f685dd5f52296fff227163b0f2d"
    })
    void eventsAreThoseOfTheFlinkPeer(String kind, String sha256) throws Exception {
        CatalogObject.Stream stream = stream(Map.of("kind", kind, "events", "100000"));
        List<String> rows = read(stream, "0/1", all(stream));
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        rows.forEach(row -> digest.update((row + "\n").getBytes(StandardCharsets.US_ASCII)));
        assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(sha256);
    }

    @ParameterizedTest
    @EnumSource(EventKind.class)
    void splitsTogetherHoldTheEventsOfOne(EventKind kind) {
        CatalogObject.Stream stream = stream(Map.of("kind", kind.optionValue(), "events", "7013", "rate", "777"));
        List<String> whole = read(stream, "0/1", all(stream));
        for (int parallelism = 2; parallelism <= 5; parallelism++) {
            List<String> parts = new ArrayList<>();
            for (String split : connector.splits(stream, parallelism)) {
                parts.addAll(read(stream, split, all(stream)));
            }
            assertThat(parts).containsExactlyInAnyOrderElementsOf(whole);
        }
    }

    @ParameterizedTest
    @EnumSource(EventKind.class)
    void anEventIsTheSameWhicheverColumnsAreRead(EventKind kind) {
        CatalogObject.Stream stream = stream(Map.of("kind", kind.optionValue(), "events", "3000"));
        List<String> whole = read(stream, "0/1", all(stream));
        Random random = new Random(5);
        for (int trial = 0; trial < 60; trial++) {
            List<Integer> columns = new ArrayList<>(all(stream));
            Collections.shuffle(columns, random);
            columns = columns.subList(0, random.nextInt(columns.size() + 1));
            List<String> expected = new ArrayList<>();
            for (String row : whole) {
                String[] fields = row.split(",", -1);
                expected.add(
                        String.join(",", columns.stream().map(c -> fields[c]).toList()));
            }
            assertThat(read(stream, "0/1", columns)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(EventKind.class)
    void anyRangeReadsTheSameRowsAgain(EventKind kind) {
        CatalogObject.Stream stream = stream(Map.of("kind", kind.optionValue(), "events", "20011"));
        List<String> whole = read(stream, "1/3", all(stream));
        Random random = new Random(7);
        for (int trial = 0; trial < 50; trial++) {
            List<String> rows = new ArrayList<>();
            try (SplitReader reader = open(stream, "1/3", all(stream));
                    SplitReader replay = open(stream, "1/3", all(stream))) {
                long at = 0;
                boolean finished = false;
                while (!finished) {
                    SplitReader.Ready ready = reader.ready(at, 1 + random.nextInt(5000));
                    List<String> range = new ArrayList<>();
                    long[] times = {Long.MAX_VALUE, Long.MIN_VALUE};
                    replay.read(at, ready.to(), batch -> drain(batch, range, kind.timeColumn(), times));
                    assertThat(range).hasSize((int) ready.rows());
                    if (ready.rows() > 0) {
                        assertThat(new long[] {ready.minTime(), ready.maxTime()})
                                .isEqualTo(times);
                    }
                    rows.addAll(range);
                    at = ready.to();
                    finished = ready.finished();
                }
            }
            assertThat(rows).isEqualTo(whole);
        }
    }

    @Test
    void arithmeticOnPositionsAgreesWithCounting() {
        for (EventKind kind : EventKind.values()) {
            long rows = 0;
            for (long event = 0; event < 500; event++) {
                assertThat(kind.rowsBefore(event)).isEqualTo(rows);
                long offset = event % EventKind.EPOCH;
                if (offset >= kind.offset() && offset < kind.offset() + kind.perEpoch()) {
                    rows++;
                    assertThat(kind.eventsHolding(rows)).isEqualTo(event + 1);
                }
            }
        }
    }

    @Test
    void aStreamWithoutEventsIsFinishedAtOnce() {
        CatalogObject.Stream stream = stream(Map.of("kind", "bid", "events", "0"));
        try (SplitReader reader = open(stream, "0/1", all(stream))) {
            assertThat(reader.ready(0, 100)).isEqualTo(SplitReader.Ready.nothing(0, true));
        }
    }

    @Test
    void aStreamWithoutALimitIsNeverFinished() {
        CatalogObject.Stream stream = stream(Map.of("kind", "auction"));
        assertThat(connector.bounded(stream)).isFalse();
        try (SplitReader reader = open(stream, "0/1", all(stream))) {
            SplitReader.Ready ready = reader.ready(5_000_000_000L, 3000);
            assertThat(ready.rows()).isEqualTo(3000);
            assertThat(ready.finished()).isFalse();
            List<String> rows = new ArrayList<>();
            reader.read(5_000_000_000L, ready.to(), batch -> drain(batch, rows, 5, new long[2]));
            assertThat(rows).hasSize(3000);
        }
    }

    @Test
    void rowsPerSecondHoldsTheReaderBack() {
        CatalogObject.Stream stream = stream(Map.of("kind", "bid", "rows_per_second", "200"));
        try (SplitReader reader = open(stream, "1/2", all(stream))) {
            assertThat(reader.ready(0, 1000).rows()).isEqualTo(1);
            clock.nanos += 500_000_000;
            SplitReader.Ready half = reader.ready(0, 1000);
            assertThat(half.rows()).isEqualTo(51);
            assertThat(reader.ready(half.to(), 1000).rows()).isZero();
            clock.nanos += 1_000_000_000;
            assertThat(reader.ready(half.to(), 1000).rows()).isEqualTo(100);
            clock.nanos += 3_600_000_000_000L;
            assertThat(reader.ready(half.to(), 1000).rows())
                    .as("a pause is not followed by a flood")
                    .isEqualTo(100);
        }
    }

    @Test
    void columnsAndWatermarkAreImplied() {
        CatalogObject.Stream stream = stream(Map.of("kind", "BID"));
        assertThat(stream.schema())
                .hasToString("(auction BIGINT NOT NULL, bidder BIGINT NOT NULL, price BIGINT NOT NULL,"
                        + " channel VARCHAR NOT NULL, url VARCHAR NOT NULL, dateTime TIMESTAMP(3) NOT NULL,"
                        + " extra VARCHAR NOT NULL)");
        assertThat(stream.watermark()).isEqualTo(new CatalogObject.Watermark(5, 4_000_000, -1));
        assertThat(connector.resolve(stream, Path.of("/"))).isEqualTo(stream);
    }

    @ParameterizedTest
    @CsvSource({"kind, bids", "rate, 0", "rate, fast", "events, -1", "seed, 1.5", "rows_per_second, 0"})
    void badOptionsAreRefused(String key, String value) {
        Map<String, String> options = new TreeMap<>(Map.of("kind", "bid"));
        options.put(key, value);
        assertThatThrownBy(() -> stream(options)).isInstanceOfSatisfying(StreamException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PARAMETER_VALUE);
            assertThat(e).hasMessageContaining(key).hasMessageContaining(value);
            assertThat(e.hint()).isPresent();
        });
    }

    @Test
    void itIsFoundByName() {
        assertThat(ServiceLoader.load(Connector.class).stream()
                        .map(provider -> provider.get().name()))
                .containsExactly("nexmark");
    }

    private CatalogObject.Stream stream(Map<String, String> options) {
        Map<String, String> with = new TreeMap<>(options);
        with.put("connector", "nexmark");
        return connector.resolve(
                new CatalogObject.Stream(
                        ObjectName.inPublic("s"), Schema.of(), null, List.of(), 1, new TreeMap<>(with)),
                Path.of("/"));
    }

    private static List<Integer> all(CatalogObject.Stream stream) {
        return IntStream.range(0, stream.schema().size()).boxed().toList();
    }

    private SplitReader open(CatalogObject.Stream stream, String split, List<Integer> columns) {
        int time = NexmarkOptions.parse(stream.options()).kind().timeColumn();
        return connector.open(stream, split, new ReadContext(columns, time, memory, clock));
    }

    private List<String> read(CatalogObject.Stream stream, String split, List<Integer> columns) {
        List<String> rows = new ArrayList<>();
        try (SplitReader reader = open(stream, split, columns)) {
            SplitReader.Ready ready = reader.ready(0, Long.MAX_VALUE);
            assertThat(ready.finished()).isTrue();
            reader.read(0, ready.to(), batch -> drain(batch, rows, -1, new long[2]));
            assertThat(rows).hasSize((int) ready.rows());
        }
        return rows;
    }

    private static void drain(ColumnBatch batch, List<String> rows, int timeColumn, long[] times) {
        try (batch) {
            for (int row = 0; row < batch.rows(); row++) {
                List<String> fields = new ArrayList<>();
                for (int column = 0; column < batch.columns(); column++) {
                    Object value = Objects.requireNonNull(Values.get(batch, column, row));
                    if (column == timeColumn) {
                        times[0] = Math.min(times[0], (Long) value);
                        times[1] = Math.max(times[1], (Long) value);
                    }
                    fields.add(
                            batch.type(column).kind() == TypeKind.TIMESTAMP
                                    ? time((Long) value)
                                    : String.valueOf(value));
                }
                rows.add(String.join(",", fields));
            }
        }
    }

    private static String time(long micros) {
        return TIME.format(LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, 1_000_000L), (int) Math.floorMod(micros, 1_000_000L) * 1000, ZoneOffset.UTC));
    }

    private static final class ManualClock implements Clock {
        private long nanos;

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long wallMicros() {
            return nanos / 1000;
        }
    }
}
