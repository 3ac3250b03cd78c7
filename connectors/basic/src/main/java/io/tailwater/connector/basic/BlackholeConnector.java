package io.tailwater.connector.basic;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.Delivery;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.api.connector.TargetConnector;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.nio.file.Path;
import java.util.List;

/** {@code connector = 'blackhole'}: takes rows and changes of any kind, counts them and drops them. Thread-safe. */
public final class BlackholeConnector implements TargetConnector {
    @Override
    public String name() {
        return "blackhole";
    }

    @Override
    public List<ConnectorOption> options() {
        return List.of();
    }

    @Override
    public String whyNotRead() {
        return "drops every row";
    }

    @Override
    public boolean acceptsUpdates(CatalogObject.Stream stream) {
        return true;
    }

    @Override
    public Delivery delivery(CatalogObject.Stream stream) {
        return new Delivery(Delivery.Way.POSITION, "keeps nothing");
    }

    @Override
    public CatalogObject.Stream resolve(CatalogObject.Stream declared, Path workingDirectory) {
        if (declared.schema().size() == 0) {
            throw new StreamException(
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "stream \"" + declared.name() + "\" needs a column list",
                    -1,
                    "A blackhole implies no columns: name those of the query that will be inserted.",
                    null);
        }
        return declared;
    }

    /** The position is the number of rows dropped. */
    @Override
    public SinkWriter write(CatalogObject.Stream stream, WriteContext context) {
        return new Writer(Math.max(0, context.resumeAt()));
    }

    private static final class Writer implements SinkWriter {
        private long rows;

        Writer(long rows) {
            this.rows = rows;
        }

        @Override
        public void write(ColumnBatch batch) {
            rows += batch.rows();
        }

        @Override
        public long endTick(long tick) {
            return rows;
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }
}
