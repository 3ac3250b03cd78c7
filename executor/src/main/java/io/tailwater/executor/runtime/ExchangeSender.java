package io.tailwater.executor.runtime;

import io.tailwater.api.batch.BatchGather;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.Distribution;
import io.tailwater.executor.expr.KeyHash;
import io.tailwater.executor.operator.Output;
import io.tailwater.executor.operator.Tick;

/**
 * Sends each row to the worker that owns its vnode. Owned by one worker.
 */
final class ExchangeSender implements Output {
    private final int exchange;
    private final int workers;
    private final Distribution distribution;
    private final int[] keys;
    private final Peers peers;
    private final MemoryAccount memory;
    private final int[][] selections;
    private final int[] counts;
    private long[] hashes = {};

    ExchangeSender(int exchange, int workers, Distribution distribution, Peers peers, MemoryAccount memory) {
        this.exchange = exchange;
        this.workers = workers;
        this.distribution = distribution;
        this.peers = peers;
        this.memory = memory;
        keys = distribution instanceof Distribution.Hash hash
                ? hash.columns().stream().mapToInt(Integer::intValue).toArray()
                : new int[0];
        selections = new int[workers][0];
        counts = new int[workers];
    }

    @Override
    public void emit(ColumnBatch batch) {
        if (batch.rows() == 0) {
            batch.close();
        } else if (distribution instanceof Distribution.Single) {
            peers.data(0, exchange, batch);
        } else if (distribution instanceof Distribution.Broadcast) {
            for (int worker = 1; worker < workers; worker++) {
                peers.data(worker, exchange, batch.retain());
            }
            peers.data(0, exchange, batch);
        } else if (distribution instanceof Distribution.Hash) {
            scatter(batch);
        } else {
            batch.close();
            throw new AssertionError("an exchange to " + distribution);
        }
    }

    private void scatter(ColumnBatch batch) {
        try (batch) {
            int rows = batch.rows();
            if (hashes.length < rows) {
                int room = Math.max(rows, 2 * hashes.length);
                hashes = new long[room];
                for (int worker = 0; worker < workers; worker++) {
                    selections[worker] = new int[room];
                }
            }
            KeyHash.hash(batch, keys, hashes);
            java.util.Arrays.fill(counts, 0);
            for (int row = 0; row < rows; row++) {
                int worker = Hashing.vnode(hashes[row]) % workers;
                selections[worker][counts[worker]++] = row;
            }
            for (int worker = 0; worker < workers; worker++) {
                if (counts[worker] == rows) {
                    peers.data(worker, exchange, batch.retain());
                } else if (counts[worker] > 0) {
                    peers.data(worker, exchange, BatchGather.gather(batch, selections[worker], counts[worker], memory));
                }
            }
        }
    }

    void endTick(Tick tick) {
        for (int worker = 0; worker < workers; worker++) {
            peers.end(worker, exchange);
        }
    }
}
