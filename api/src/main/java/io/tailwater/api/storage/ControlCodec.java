package io.tailwater.api.storage;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.io.IOException;
import java.util.List;

/** Control records as bytes: one type byte, then CBOR with fields by position. Type bytes are never reused. Thread-safe. */
public final class ControlCodec {
    /** Goes up when a record gets a field; readers know all versions up to theirs. */
    public static final int VERSION = 1;

    private static final List<Class<? extends ControlRecord>> TYPES = List.of(
            ControlRecord.Owner.class,
            ControlRecord.Plan.class,
            ControlRecord.Bind.class,
            ControlRecord.Commit.class,
            ControlRecord.Fail.class);
    private static final CBORMapper CBOR = CBORMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .build();
    private static final List<ObjectReader> READERS =
            TYPES.stream().map(CBOR::readerFor).toList();
    private static final List<ObjectWriter> WRITERS =
            TYPES.stream().map(CBOR::writerFor).toList();

    private ControlCodec() {}

    public static byte[] write(ControlRecord record) {
        int type = TYPES.indexOf(record.getClass());
        try {
            byte[] cbor = WRITERS.get(type).writeValueAsBytes(record);
            byte[] out = new byte[cbor.length + 1];
            out[0] = (byte) type;
            System.arraycopy(cbor, 0, out, 1, cbor.length);
            return out;
        } catch (JsonProcessingException e) {
            throw new AssertionError("a control record that cannot be written: " + record.getClass(), e);
        }
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @param version that the record was written with
     * @throws StreamException XX001 for bytes that are no control record, or a newer one than this release knows
     */
    public static ControlRecord read(byte[] bytes, int version) {
        if (version > VERSION || bytes.length == 0 || bytes[0] < 0 || bytes[0] >= TYPES.size()) {
            throw new StreamException(
                    ErrorCode.DATA_CORRUPTED,
                    "application log record of type " + (bytes.length == 0 ? "none" : Byte.toString(bytes[0]))
                            + ", version " + version + " is not known to this release",
                    -1,
                    "Use the release that wrote it, or a newer one.",
                    null);
        }
        try {
            return READERS.get(bytes[0]).readValue(bytes, 1, bytes.length - 1);
        } catch (IOException e) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "application log record cannot be read", -1, null, e);
        }
    }
}
