package io.tailwater.api.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.io.IOException;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/** Plans and catalog records as JSON, for the metadata store. Unknown properties are an error: they mean a newer format. Thread-safe. */
public final class PlanCodec {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    /** Writes what a node computes: see {@link #stableId}. */
    private static final ObjectWriter IDENTITY = JsonMapper.builder()
            .addModule(new SimpleModule().setSerializerModifier(new WithoutPlace()))
            .build()
            .writerFor(PlanNode.class);

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
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            IDENTITY.writeValue(new DigestOutputStream(OutputStream.nullOutputStream(), digest), node);
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new AssertionError(e);
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

    /** Leaves out what differs between equal nodes of different plans. Immutable. */
    private static final class WithoutPlace extends BeanSerializerModifier {
        private static final long serialVersionUID = 1;
        private static final Set<String> PLACE = Set.of("reader", "traits");

        @Override
        public List<BeanPropertyWriter> changeProperties(
                SerializationConfig config, BeanDescription bean, List<BeanPropertyWriter> properties) {
            return properties.stream()
                    .filter(property -> !PLACE.contains(property.getName()))
                    .toList();
        }
    }
}
