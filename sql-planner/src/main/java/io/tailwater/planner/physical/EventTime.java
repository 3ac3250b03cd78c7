package io.tailwater.planner.physical;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.plan.PlanNode.Bound;
import io.tailwater.api.plan.PlanNode.Retention;
import io.tailwater.api.plan.Traits.Watermarked;
import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which readers' event time a plan may rely on, and what follows for state. Only late filters make a watermark a promise; they stand above the scans of
 * streams with LATENESS, and of all with a watermark under EMIT ON WINDOW CLOSE. One for each plan; not thread-safe.
 */
final class EventTime {
    private final Emission emission;
    private final Map<Integer, Source> sources = new TreeMap<>();

    EventTime(Emission emission) {
        this.emission = emission;
    }

    /**
     * A scanned stream that has a watermark.
     *
     * @param slackMicros how far below the watermark a row may be
     * @param enforced whether rows below that may be left out
     */
    record Source(CatalogObject.Stream stream, int timeColumn, long slackMicros, boolean enforced) {}

    Emission emission() {
        return emission;
    }

    /** Registers a scan; what bounds its columns. */
    List<Watermarked> scan(CatalogObject.Stream stream, int reader) {
        CatalogObject.Watermark watermark = stream.watermark();
        if (watermark == null) {
            return List.of();
        }
        boolean lateness = emission == Emission.CHANGES && watermark.hasLateness();
        long slack = lateness ? watermark.latenessMicros() - watermark.delayMicros() : 0;
        sources.put(reader, new Source(stream, watermark.column(), slack, enforced(stream)));
        return List.of(new Watermarked(watermark.column(), reader, slack));
    }

    /** Whether late rows of a stream may be left out. */
    boolean enforced(CatalogObject.Stream stream) {
        CatalogObject.Watermark watermark = stream.watermark();
        return watermark != null
                && (emission == Emission.WINDOW_CLOSE || emission == Emission.CHANGES && watermark.hasLateness());
    }

    boolean isEmpty() {
        return sources.isEmpty();
    }

    Source source(int reader) {
        Source source = sources.get(reader);
        if (source == null) {
            throw new AssertionError("reader " + reader + " has no watermark");
        }
        return source;
    }

    /** What bounds a column, if something that may be relied upon does. */
    List<Bound> bounds(List<Watermarked> watermarked, int column) {
        List<Bound> bounds = watermarked.stream()
                .filter(w -> w.column() == column)
                .map(w -> new Bound(w.reader(), w.lagMicros()))
                .distinct()
                .toList();
        return bounds.stream().allMatch(b -> source(b.reader()).enforced()) ? bounds : List.of();
    }

    /** The most tightly bounded of these columns, as the end of a window is before its start. */
    Optional<Integer> bounded(List<Watermarked> watermarked, List<Integer> columns) {
        return columns.stream()
                .filter(c -> !bounds(watermarked, c).isEmpty())
                .min(Comparator.comparingLong(c -> lag(watermarked, c)));
    }

    /** How far values of a bounded column may be below the watermark. */
    long lag(List<Watermarked> watermarked, int column) {
        return bounds(watermarked, column).stream()
                .mapToLong(Bound::lagMicros)
                .max()
                .orElseThrow();
    }

    /** How long state lives whose rows have one of these columns, all of the same value. */
    @Nullable Retention retention(List<Watermarked> watermarked, List<Integer> columns) {
        return bounded(watermarked, columns)
                .map(c -> new Retention(c, bounds(watermarked, c)))
                .orElse(null);
    }
}
