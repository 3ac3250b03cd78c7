package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.IpcMessage;
import io.tailwater.jdbc.arrow.ResultColumn;
import io.tailwater.jdbc.arrow.RowBatch;
import io.tailwater.jdbc.wire.CallFailure;
import io.tailwater.jdbc.wire.FlightCall;
import io.tailwater.jdbc.wire.ProtoReader;
import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.util.List;

/** Rows as they come from the server. Heartbeats are taken out here: they renew tick and watermark and nothing else. */
final class StreamedRows implements RowSource {
    private final TailwaterConnection connection;
    private final FlightCall call;
    private final List<ResultColumn> columns;
    private volatile long tick = -1;
    private volatile long watermark = Long.MIN_VALUE;

    StreamedRows(TailwaterConnection connection, FlightCall call, List<ResultColumn> columns) {
        this.connection = connection;
        this.call = call;
        this.columns = columns;
    }

    @Override
    public @Nullable RowBatch next(long timeoutNanos) throws SQLException {
        try {
            long start = System.nanoTime();
            while (true) {
                byte[] message = timeoutNanos == Long.MAX_VALUE
                        ? call.take()
                        : call.take(timeoutNanos - (System.nanoTime() - start));
                if (message == null) {
                    return null;
                }
                IpcMessage decoded = IpcMessage.parse(message);
                readProgress(decoded.metadata());
                RowBatch rows = decoded.rows(columns);
                if (rows != null) {
                    return rows;
                }
            }
        } catch (CallFailure e) {
            throw connection.failed(e, null);
        }
    }

    private void readProgress(ProtoReader progress) throws CallFailure {
        while (progress.next()) {
            if (progress.field() == 1) {
                tick = progress.varint();
            } else if (progress.field() == 2) {
                watermark = progress.sint();
            }
        }
    }

    @Override
    public void cancel(String sqlState, String reason) {
        call.cancel(sqlState, reason);
    }

    @Override
    public long tick() {
        return tick;
    }

    @Override
    public long watermark() {
        return watermark;
    }
}
