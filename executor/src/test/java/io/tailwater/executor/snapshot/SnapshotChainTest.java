package io.tailwater.executor.snapshot;

import io.tailwater.api.snapshot.VnodeRange;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class SnapshotChainTest {
    private static long hashOf(long vnode) {
        return vnode << 56 | 12345;
    }

    @Test
    void ofAVnodeThatWasNeverFullAllSnapshotsCount() {
        SnapshotChain chain = new SnapshotChain(List.of(VnodeRange.NONE, new VnodeRange(0, 200), VnodeRange.NONE));
        for (int snapshot = 0; snapshot < 3; snapshot++) {
            assertThat(chain.counts(snapshot, hashOf(200))).isTrue();
            assertThat(chain.needs(snapshot)).isTrue();
        }
    }

    @Test
    void ofAVnodeOnlyTheLastFullSnapshotAndLaterOnesCount() {
        SnapshotChain chain = new SnapshotChain(List.of(
                VnodeRange.ALL, new VnodeRange(10, 20), VnodeRange.NONE, new VnodeRange(0, 11), VnodeRange.NONE));
        assertThat(chain.counts(0, hashOf(15))).isFalse();
        assertThat(chain.counts(1, hashOf(15))).isTrue();
        assertThat(chain.counts(2, hashOf(15))).isTrue();
        assertThat(chain.counts(2, hashOf(10))).isFalse();
        assertThat(chain.counts(3, hashOf(10))).isTrue();
        assertThat(chain.counts(4, hashOf(10))).isTrue();
        assertThat(chain.counts(0, hashOf(255))).isTrue();
    }

    @Test
    void snapshotIsNotNeededOnceAllVnodesAreFullInLaterOnes() {
        List<VnodeRange> full =
                List.of(VnodeRange.ALL, VnodeRange.NONE, new VnodeRange(0, 128), new VnodeRange(128, 256));
        assertThat(new SnapshotChain(full.subList(0, 3)).needs(0)).isTrue();
        SnapshotChain chain = new SnapshotChain(full);
        assertThat(chain.needs(0)).isFalse();
        assertThat(chain.needs(1)).isFalse();
        assertThat(chain.needs(2)).isTrue();
        assertThat(chain.needs(3)).isTrue();
    }
}
