package io.tailwater.connector.nexmark;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** {@code connector = 'nexmark'}: columns and watermark (4 s behind {@code dateTime}) are implied. Thread-safe. */
public final class NexmarkConnector implements Connector {
    private static final long WATERMARK_DELAY_MICROS = 4_000_000;

    @Override
    public String name() {
        return "nexmark";
    }

    @Override
    public List<ConnectorOption> options() {
        return NexmarkOptions.DECLARED;
    }

    @Override
    public boolean readable() {
        return true;
    }

    @Override
    public boolean writable() {
        return false;
    }

    @Override
    public CatalogObject.Stream resolve(CatalogObject.Stream declared, Path workingDirectory) {
        EventKind kind = NexmarkOptions.parse(declared.options()).kind();
        if (declared.schema().size() > 0 && !sameColumns(declared.schema(), kind.schema())) {
            throw new StreamException(
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "the columns of a nexmark stream of kind " + kind.optionValue() + " are fixed",
                    -1,
                    "Leave the column list out; it is " + kind.schema() + ".",
                    null);
        }
        CatalogObject.Watermark watermark = declared.watermark();
        if (watermark != null && watermark.column() != kind.timeColumn()) {
            throw new StreamException(
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "the watermark of a nexmark stream must be for column \"dateTime\"",
                    -1,
                    "Leave WATERMARK out: it is dateTime - INTERVAL '4' SECOND.",
                    null);
        }
        if (watermark == null) {
            watermark = new CatalogObject.Watermark(
                    kind.timeColumn(), WATERMARK_DELAY_MICROS, CatalogObject.Watermark.NO_LATENESS);
        }
        return new CatalogObject.Stream(
                declared.name(),
                kind.schema(),
                watermark,
                declared.partitionBy(),
                declared.partitions(),
                declared.options());
    }

    private static boolean sameColumns(Schema declared, Schema implied) {
        return declared.size() == implied.size()
                && IntStream.range(0, implied.size())
                        .allMatch(i -> declared.column(i)
                                        .name()
                                        .equalsIgnoreCase(implied.column(i).name())
                                && declared.type(i).sameAs(implied.type(i)));
    }

    @Override
    public boolean bounded(CatalogObject.Stream stream) {
        return NexmarkOptions.parse(stream.options()).bounded();
    }

    @Override
    public List<String> splits(CatalogObject.Stream stream, int parallelism) {
        long epochs = NexmarkOptions.parse(stream.options()).events() / EventKind.EPOCH + 1;
        int count = (int) Math.max(1, Math.min(parallelism, epochs));
        return IntStream.range(0, count)
                .mapToObj(index -> new Split(index, count).toString())
                .toList();
    }

    @Override
    public SplitReader open(CatalogObject.Stream stream, String split, ReadContext context) {
        return new NexmarkReader(NexmarkOptions.parse(stream.options()), Split.parse(split), context);
    }

    @Override
    public SinkWriter write(CatalogObject.Stream stream, WriteContext context) {
        throw new StreamException(
                ErrorCode.WRONG_OBJECT_TYPE,
                "stream \"" + stream.name() + "\" cannot be written to: its connector nexmark only makes events up",
                -1,
                null,
                null);
    }
}
