package io.tailwater.storage.snapshot;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.util.List;

/**
 * What is where in a state file; JSON in its footer. Fields by name, so that a later release can add some. Immutable.
 *
 * @param headBytes before the first batch
 * @param headCrc CRC-32C of them
 */
public record StateIndex(long headBytes, long headCrc, List<Part> parts) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    public StateIndex {
        parts = List.copyOf(parts);
    }

    /**
     * State of one job on one worker.
     *
     * @param operators stable ids, by the number in the rows
     * @param batches behind each other
     */
    public record Part(long job, int worker, List<String> operators, List<Batch> batches) {
        public Part {
            operators = List.copyOf(operators);
            batches = List.copyOf(batches);
        }

        public long rows() {
            return batches.stream().mapToLong(Batch::rows).sum();
        }

        public long bytes() {
            return batches.stream().mapToLong(Batch::length).sum();
        }
    }

    /**
     * One record batch message.
     *
     * @param offset in the file
     * @param length of the message
     * @param metadata bytes of it before the body
     * @param crc CRC-32C of the message
     */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    public record Batch(long offset, int length, int metadata, int rows, long crc) {}

    public long rows() {
        return parts.stream().mapToLong(Part::rows).sum();
    }

    String toJson() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new AssertionError("an index that cannot be written", e);
        }
    }

    static StateIndex parse(String json) throws JsonProcessingException {
        return JSON.readValue(json, StateIndex.class);
    }
}
