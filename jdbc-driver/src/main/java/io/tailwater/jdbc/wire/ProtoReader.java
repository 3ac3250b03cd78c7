package io.tailwater.jdbc.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of one protobuf message, in the order they were written: {@link #next}, then one value method, or none to skip the field.
 * Values are views of the message's bytes. Owned by one thread; not thread-safe.
 */
public final class ProtoReader {
    private final byte[] data;
    private final int end;
    private int at;
    private int field;
    private int wireType;
    private boolean pending;

    public ProtoReader(byte[] data) {
        this(data, 0, data.length);
    }

    public ProtoReader(ByteBuffer slice) {
        this(slice.array(), slice.arrayOffset() + slice.position(), slice.remaining());
    }

    private ProtoReader(byte[] data, int offset, int length) {
        this.data = data;
        this.at = offset;
        this.end = offset + length;
    }

    /** Goes to the next field; false at the end. */
    public boolean next() throws CallFailure {
        if (pending) {
            skip();
        }
        if (at >= end) {
            return false;
        }
        long tag = raw();
        field = (int) (tag >>> 3);
        wireType = (int) (tag & 7);
        pending = true;
        return true;
    }

    public int field() {
        return field;
    }

    public long varint() throws CallFailure {
        expect(ProtoWriter.VARINT);
        return raw();
    }

    public long sint() throws CallFailure {
        long value = varint();
        return (value >>> 1) ^ -(value & 1);
    }

    public long fixed64() throws CallFailure {
        expect(ProtoWriter.FIXED64);
        need(8);
        long value = ByteBuffer.wrap(data, at, 8).order(ByteOrder.LITTLE_ENDIAN).getLong();
        at += 8;
        return value;
    }

    /** Little-endian, array-backed. */
    public ByteBuffer bytes() throws CallFailure {
        expect(ProtoWriter.BYTES);
        int length = length();
        ByteBuffer slice = ByteBuffer.wrap(data, at, length).slice().order(ByteOrder.LITTLE_ENDIAN);
        at += length;
        return slice;
    }

    public String string() throws CallFailure {
        expect(ProtoWriter.BYTES);
        int length = length();
        String value = new String(data, at, length, StandardCharsets.UTF_8);
        at += length;
        return value;
    }

    private void skip() throws CallFailure {
        pending = false;
        switch (wireType) {
            case ProtoWriter.VARINT:
                raw();
                break;
            case ProtoWriter.FIXED64:
                need(8);
                at += 8;
                break;
            case ProtoWriter.BYTES:
                int length = length();
                at += length;
                break;
            case ProtoWriter.FIXED32:
                need(4);
                at += 4;
                break;
            default:
                throw malformed("wire type " + wireType);
        }
    }

    private void expect(int wanted) throws CallFailure {
        if (wireType != wanted || !pending) {
            throw malformed("field " + field + " has wire type " + wireType);
        }
        pending = false;
    }

    private int length() throws CallFailure {
        long length = raw();
        if (length < 0 || length > end - at) {
            throw malformed("length " + length);
        }
        return (int) length;
    }

    private void need(int bytes) throws CallFailure {
        if (end - at < bytes) {
            throw malformed("truncated");
        }
    }

    private long raw() throws CallFailure {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            need(1);
            byte b = data[at++];
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw malformed("varint too long");
    }

    private static CallFailure malformed(String what) {
        return new CallFailure("08P01", "malformed message from the server: " + what);
    }
}
