package io.tailwater.jdbc.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes one protobuf message. Owned by one thread; not thread-safe. */
public final class ProtoWriter {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int BYTES = 2;
    static final int FIXED32 = 5;

    private byte[] buffer = new byte[64];
    private int size;

    public ProtoWriter varint(int field, long value) {
        tag(field, VARINT);
        raw(value);
        return this;
    }

    /** Zigzag: small for small negative numbers. */
    public ProtoWriter sint(int field, long value) {
        return varint(field, (value << 1) ^ (value >> 63));
    }

    public ProtoWriter fixed64(int field, long value) {
        tag(field, FIXED64);
        room(8);
        for (int i = 0; i < 8; i++) {
            buffer[size++] = (byte) (value >>> (8 * i));
        }
        return this;
    }

    public ProtoWriter bytes(int field, byte[] value) {
        return bytes(field, value, value.length);
    }

    public ProtoWriter string(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    public ProtoWriter message(int field, ProtoWriter value) {
        return bytes(field, value.buffer, value.size);
    }

    public byte[] toBytes() {
        return Arrays.copyOf(buffer, size);
    }

    /** A message in an envelope that names its type, as google.protobuf.Any. */
    public static byte[] any(String typeName, byte[] message) {
        return new ProtoWriter()
                .string(1, "type.googleapis.com/" + typeName)
                .bytes(2, message)
                .toBytes();
    }

    private ProtoWriter bytes(int field, byte[] value, int length) {
        tag(field, BYTES);
        raw(length);
        room(length);
        System.arraycopy(value, 0, buffer, size, length);
        size += length;
        return this;
    }

    private void tag(int field, int wireType) {
        raw((long) field << 3 | wireType);
    }

    private void raw(long value) {
        room(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            buffer[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[size++] = (byte) rest;
    }

    private void room(int bytes) {
        if (buffer.length - size < bytes) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, Math.addExact(size, bytes)));
        }
    }
}
