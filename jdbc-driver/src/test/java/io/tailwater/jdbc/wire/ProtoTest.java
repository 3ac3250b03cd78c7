package io.tailwater.jdbc.wire;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ProtoTest {
    @Test
    void everyKindOfFieldIsReadAsItWasWritten() throws CallFailure {
        byte[] message = new ProtoWriter()
                .varint(1, 300)
                .sint(2, -1)
                .fixed64(3, Double.doubleToLongBits(1.5))
                .string(4, "größe")
                .bytes(1000, new byte[] {1, 2, 3})
                .message(6, new ProtoWriter().varint(1, Long.MIN_VALUE))
                .toBytes();
        ProtoReader reader = new ProtoReader(message);
        assertThat(field(reader)).isEqualTo(1);
        assertThat(reader.varint()).isEqualTo(300);
        assertThat(field(reader)).isEqualTo(2);
        assertThat(reader.sint()).isEqualTo(-1);
        assertThat(field(reader)).isEqualTo(3);
        assertThat(Double.longBitsToDouble(reader.fixed64())).isEqualTo(1.5);
        assertThat(field(reader)).isEqualTo(4);
        assertThat(reader.string()).isEqualTo("größe");
        assertThat(field(reader)).isEqualTo(1000);
        assertThat(reader.bytes().remaining()).isEqualTo(3);
        assertThat(field(reader)).isEqualTo(6);
        ProtoReader inner = new ProtoReader(reader.bytes());
        assertThat(field(inner)).isEqualTo(1);
        assertThat(inner.varint()).isEqualTo(Long.MIN_VALUE);
        assertThat(inner.next()).isFalse();
        assertThat(reader.next()).isFalse();
    }

    @Test
    void bytesAreThoseOfTheStandard() {
        // From the documentation of Protocol Buffers: field 1 = 150, field 2 = "testing".
        assertThat(new ProtoWriter().varint(1, 150).string(2, "testing").toBytes())
                .containsExactly(0x08, 0x96, 0x01, 0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67);
    }

    @Test
    void fieldsThatNobodyReadsAreSkipped() throws CallFailure {
        byte[] message = new ProtoWriter()
                .varint(1, Long.MAX_VALUE)
                .fixed64(2, 7)
                .string(3, "x".repeat(300))
                .varint(4, 4)
                .toBytes();
        ProtoReader reader = new ProtoReader(message);
        while (reader.next()) {
            if (reader.field() == 4) {
                assertThat(reader.varint()).isEqualTo(4);
                return;
            }
        }
        throw new AssertionError("field 4 was not found");
    }

    @Test
    void everyTruncationIsRefusedOrEndsBetweenFields() throws CallFailure {
        byte[] message = new ProtoWriter()
                .varint(1, 1L << 40)
                .fixed64(2, 7)
                .string(3, "text")
                .toBytes();
        for (int length = 0; length < message.length; length++) {
            ProtoReader reader = new ProtoReader(Arrays.copyOf(message, length));
            int fields = 0;
            try {
                while (reader.next()) {
                    fields++;
                }
            } catch (CallFailure e) {
                assertThat(e.sqlState()).isEqualTo("08P01");
                continue;
            }
            assertThat(fields).isLessThan(3);
        }
    }

    @Test
    void aFieldOfAnotherTypeIsRefused() throws CallFailure {
        ProtoReader reader = new ProtoReader(new ProtoWriter().varint(1, 1).toBytes());
        assertThat(reader.next()).isTrue();
        assertThatExceptionOfType(CallFailure.class).isThrownBy(reader::string);
    }

    private static int field(ProtoReader reader) throws CallFailure {
        assertThat(reader.next()).isTrue();
        return reader.field();
    }
}
