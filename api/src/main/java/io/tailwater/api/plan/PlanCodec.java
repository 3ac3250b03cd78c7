package io.tailwater.api.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

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

    /**
     * A name for what a node computes: 16 hexadecimal digits of a hash over it and all below it. Equal for equal sub-plans of different plans, whatever their readers are
     * numbered and however they are distributed, so that a changed plan finds the state of its unchanged parts.
     */
    public static String stableId(PlanNode node) {
        JsonNode tree = JSON.valueToTree(node);
        strip(tree);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(JSON.writeValueAsBytes(tree));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (JsonProcessingException | NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static void strip(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            object.remove(List.of("reader", "traits"));
        }
        tree.forEach(PlanCodec::strip);
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
