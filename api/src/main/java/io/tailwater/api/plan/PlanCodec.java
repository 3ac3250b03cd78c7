package io.tailwater.api.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

/** Plans and catalog records as JSON, for the metadata store. Unknown properties are an error: they mean a newer format. Thread-safe. */
public final class PlanCodec {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private PlanCodec() {}

    public static String write(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a plan record that cannot be written: " + value.getClass(), e);
        }
    }

    public static <T> T read(String json, Class<T> type) {
        try {
            return JSON.readValue(json, type);
        } catch (JsonProcessingException e) {
            throw new StreamException(
                    ErrorCode.DATA_CORRUPTED, "stored " + type.getSimpleName() + " cannot be read", -1, null, e);
        }
    }
}
