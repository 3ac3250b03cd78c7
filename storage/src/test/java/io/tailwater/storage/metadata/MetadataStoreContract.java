package io.tailwater.storage.metadata;

import io.tailwater.api.storage.MetadataStore;
import io.tailwater.api.storage.MetadataStore.Change;
import io.tailwater.api.storage.MetadataStore.Condition;
import io.tailwater.api.storage.MetadataStore.Entry;
import io.tailwater.api.storage.MetadataStore.Operation;
import io.tailwater.api.storage.MetadataStore.Outcome;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What every metadata store does. A subclass supplies an empty store, a way to open it again after the process ended, and a way to let time pass. Keys are
 * kept under one prefix per test, so that a shared server can serve all.
 */
abstract class MetadataStoreContract {
    /** A store, empty at first; called again to get another handle of the same content after the first was closed. */
    abstract MetadataStore open();

    /** Lets this much time pass for leases. */
    abstract void pass(Duration time);

    private static List<Change> next(BlockingQueue<List<Change>> queue) throws InterruptedException {
        List<Change> changes = queue.poll(10, TimeUnit.SECONDS);
        assertThat(changes).as("a change that the watch must see").isNotNull();
        return changes;
    }

    @Test
    void aKeyCountsItsVersionsAndRevisions() {
        try (MetadataStore store = open()) {
            assertThat(store.get("/a")).isEmpty();
            long first = store.put("/a", "1");
            long second = store.put("/a", "2");
            assertThat(second).isGreaterThan(first);
            assertThat(store.get("/a")).contains(new Entry("/a", "2", first, second, 2, 0));
            assertThat(store.revision()).isEqualTo(second);
            store.commit(List.of(), List.of(new Operation.Delete("/a")));
            long third = store.put("/a", "3");
            assertThat(store.get("/a")).contains(new Entry("/a", "3", third, third, 1, 0));
        }
    }

    @Test
    void aRangeIsSortedAndEndsWithItsPrefix() {
        try (MetadataStore store = open()) {
            for (String key : List.of("/b/2", "/b/10", "/a", "/c", "/b/\u00e9", "/b", "/b/1", "/b0")) {
                store.put(key, "v" + key);
            }
            assertThat(store.range("/b/")).extracting(Entry::key).containsExactly("/b/1", "/b/10", "/b/2", "/b/\u00e9");
            assertThat(store.range("/nothing")).isEmpty();
        }
    }

    @Test
    void aTransactionIsAllOrNothing() {
        try (MetadataStore store = open()) {
            long revision = store.put("/epoch", "7");
            Outcome refused = store.commit(
                    List.of(new Condition.Value("/epoch", "7"), new Condition.Absent("/epoch")),
                    List.of(new Operation.Put("/x", "1"), new Operation.Delete("/epoch")));
            assertThat(refused).isEqualTo(new Outcome(false, revision));
            assertThat(store.get("/x")).isEmpty();
            Outcome done = store.commit(
                    List.of(new Condition.Value("/epoch", "7"), new Condition.Absent("/x")),
                    List.of(
                            new Operation.Put("/x", "1"),
                            new Operation.Put("/y", "2"),
                            new Operation.Delete("/epoch")));
            assertThat(done.succeeded()).isTrue();
            assertThat(store.get("/x").orElseThrow().modified()).isEqualTo(done.revision());
            assertThat(store.get("/y").orElseThrow().modified()).isEqualTo(done.revision());
            assertThat(store.get("/epoch")).isEmpty();
        }
    }

    @Test
    void everyConditionHoldsExactlyWhenItSays() {
        try (MetadataStore store = open()) {
            long created = store.put("/k", "a");
            long modified = store.put("/k", "b");
            List<Condition> holding = List.of(
                    new Condition.Exists("/k"),
                    new Condition.Absent("/none"),
                    new Condition.Created("/k", created),
                    new Condition.Modified("/k", modified),
                    new Condition.Version("/k", 2),
                    new Condition.Value("/k", "b"));
            List<Condition> failing = List.of(
                    new Condition.Exists("/none"),
                    new Condition.Absent("/k"),
                    new Condition.Created("/k", modified),
                    new Condition.Modified("/k", created),
                    new Condition.Version("/k", 1),
                    new Condition.Value("/k", "a"),
                    new Condition.Value("/none", ""),
                    new Condition.Version("/none", 1));
            assertThat(holding)
                    .allMatch(c -> store.commit(List.of(c), List.of()).succeeded());
            assertThat(failing)
                    .noneMatch(c -> store.commit(List.of(c), List.of()).succeeded());
            assertThat(store.revision()).as("nothing was changed").isEqualTo(modified);
        }
    }

    @Test
    void aPrefixIsRemovedAtOnce() {
        try (MetadataStore store = open()) {
            store.put("/app/1", "x");
            store.put("/app/2", "y");
            store.put("/apq", "z");
            assertThat(store.commit(List.of(), List.of(new Operation.DeletePrefix("/app/")))
                            .succeeded())
                    .isTrue();
            assertThat(store.range("/ap")).extracting(Entry::key).containsExactly("/apq");
        }
    }

    @Test
    void everythingAcknowledgedIsThereAfterReopening() {
        List<Entry> before;
        long revision;
        try (MetadataStore store = open()) {
            for (int i = 0; i < 50; i++) {
                store.put("/k" + i % 7, "value " + i);
            }
            store.commit(List.of(), List.of(new Operation.Delete("/k3")));
            before = store.range("");
            revision = store.revision();
        }
        try (MetadataStore store = open()) {
            assertThat(store.range("")).isEqualTo(before);
            assertThat(store.revision()).isEqualTo(revision);
            assertThat(store.put("/k3", "again")).isGreaterThan(revision);
        }
    }

    @Test
    void onlyOneCandidateHoldsAnOfficeAndTheLoserIsFenced() {
        try (MetadataStore store = open()) {
            long lease = store.grantLease(Duration.ofSeconds(10));
            long epoch = store.campaign("/primary", "a", lease).orElseThrow();
            assertThat(store.campaign("/primary", "b", MetadataStore.NO_LEASE)).isEmpty();
            store.revoke(lease);
            long next = store.campaign("/primary", "b", MetadataStore.NO_LEASE).orElseThrow();
            assertThat(next).isGreaterThan(epoch);
            assertThat(store.commit(
                                    List.of(new Condition.Created("/primary", epoch)),
                                    List.of(new Operation.Put("/state", "zombie")))
                            .succeeded())
                    .isFalse();
            assertThat(store.commit(
                                    List.of(new Condition.Created("/primary", next)),
                                    List.of(new Operation.Put("/state", "b")))
                            .succeeded())
                    .isTrue();
        }
    }

    @Test
    void compareAndSetWinsOnce() {
        try (MetadataStore store = open()) {
            assertThat(store.compareAndSet("/e", null, "1").succeeded()).isTrue();
            assertThat(store.compareAndSet("/e", null, "1").succeeded()).isFalse();
            assertThat(store.compareAndSet("/e", "1", "2").succeeded()).isTrue();
            assertThat(store.compareAndSet("/e", "1", "3").succeeded()).isFalse();
            assertThat(store.get("/e").orElseThrow().value()).isEqualTo("2");
        }
    }

    @Test
    void aLeaseTakesItsKeysWithItUnlessKeptAlive() throws InterruptedException {
        try (MetadataStore store = open()) {
            BlockingQueue<List<Change>> seen = new LinkedBlockingQueue<>();
            long lease = store.grantLease(Duration.ofSeconds(4));
            store.commit(List.of(), List.of(new Operation.Put("/node/1", "here", lease)));
            store.put("/node/2", "for ever");
            MetadataStore.Watch watch = store.watch("/node/", store.revision(), seen::add);
            pass(Duration.ofSeconds(3));
            assertThat(store.keepAlive(lease)).isTrue();
            pass(Duration.ofSeconds(3));
            assertThat(store.get("/node/1")).isPresent();
            pass(Duration.ofSeconds(5));
            assertThat(store.get("/node/1")).isEmpty();
            assertThat(next(seen))
                    .extracting(Change::key, Change::value)
                    .containsExactly(org.assertj.core.api.Assertions.tuple("/node/1", null));
            watch.close();
            assertThat(store.keepAlive(lease)).isFalse();
            assertThat(store.range("/node/")).extracting(Entry::key).containsExactly("/node/2");
            assertThatThrownBy(() -> store.commit(List.of(), List.of(new Operation.Put("/node/1", "late", lease))))
                    .isInstanceOf(StreamException.class)
                    .extracting(e -> ((StreamException) e).code())
                    .isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE);
        }
    }

    @Test
    void aWatchSeesEveryTransactionInOrderFromItsRevision() throws InterruptedException {
        try (MetadataStore store = open()) {
            store.put("/w/old", "0");
            long after = store.revision();
            store.put("/w/a", "1");
            store.put("/other", "unseen");
            BlockingQueue<List<Change>> seen = new LinkedBlockingQueue<>();
            List<Object> got = new ArrayList<>();
            MetadataStore.Watch watch = store.watch("/w/", after, seen::add);
            Outcome both =
                    store.commit(List.of(), List.of(new Operation.Put("/w/b", "2"), new Operation.Delete("/w/old")));
            assertThat(next(seen))
                    .extracting(Change::key, Change::value)
                    .containsExactly(org.assertj.core.api.Assertions.tuple("/w/a", "1"));
            List<Change> second = next(seen);
            assertThat(second).extracting(Change::key).containsExactlyInAnyOrder("/w/b", "/w/old");
            assertThat(second).extracting(Change::revision).containsOnly(both.revision());
            got.addAll(second);
            watch.close();
            store.put("/w/c", "3");
            assertThat(seen).isEmpty();
            assertThat(got).hasSize(2);
        }
    }

    @Test
    void twoOperationsOnOneKeyAreAMistakeOfTheCaller() {
        try (MetadataStore store = open()) {
            assertThatThrownBy(() -> store.commit(
                            List.of(), List.of(new Operation.Put("/a/1", "x"), new Operation.DeletePrefix("/a/"))))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
