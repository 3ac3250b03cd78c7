package io.tailwater.storage.metadata;

import io.tailwater.api.storage.MetadataStore;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.SpaceGuard;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The metadata store of one process: a sorted map in memory, each change in a {@link Journal} before it shows. The directory belongs to this store
 * alone (see {@code DataDirectory}). Thread-safe; watches are called by whoever makes the change.
 *
 * <p>Leases run on the injected clock and are looked at in every call; {@link #expireLeases} looks without a call. After a restart every lease has its
 * whole time again.
 */
public final class EmbeddedMetadataStore implements MetadataStore {
    /** Watches may begin this many transactions back. */
    private static final int HISTORY = 1024;

    private static final long COMPACT_BYTES = 1 << 20;

    private final Clock clock;
    private final SpaceGuard space;
    private final Journal journal;
    private final TreeMap<String, Entry> entries = new TreeMap<>();
    private final TreeMap<Long, Lease> leases = new TreeMap<>();
    private final ArrayDeque<List<Change>> history = new ArrayDeque<>();
    private final CopyOnWriteArrayList<Watcher> watchers = new CopyOnWriteArrayList<>();
    private long revision;
    private long oldestWatchable;
    private long nextLease = 1;
    private long compactAt;
    private boolean closed;

    private record Lease(long ttlNanos, long endsNanos) {}

    private record Watcher(String prefix, Consumer<List<Change>> listener) {
        void offer(List<Change> changes) {
            List<Change> mine =
                    changes.stream().filter(c -> c.key().startsWith(prefix)).toList();
            if (!mine.isEmpty()) {
                listener.accept(mine);
            }
        }
    }

    public EmbeddedMetadataStore(FileIo io, Path directory, Clock clock) {
        this(io, directory, clock, 0);
    }

    /** @param maxReserve see {@link SpaceGuard}; transactions that delete something may use all of it */
    public EmbeddedMetadataStore(FileIo io, Path directory, Clock clock, long maxReserve) {
        this.clock = clock;
        this.space = new SpaceGuard(io, directory, maxReserve, SpaceGuard.Share.INPUT, clock);
        journal = Journal.open(io, directory, new JournalRecord.Checkpoint(0, 1, List.of(), List.of()), this::replay);
        oldestWatchable = revision;
        history.clear();
        compactAt = Math.max(COMPACT_BYTES, 4 * journal.bytes());
    }

    private void replay(JournalRecord record) {
        if (record instanceof JournalRecord.Checkpoint checkpoint) {
            revision = checkpoint.revision();
            nextLease = checkpoint.nextLease();
            checkpoint.entries().forEach(e -> entries.put(e.key(), e.entry()));
            checkpoint.leases().forEach(this::grant);
        } else if (record instanceof JournalRecord.Transaction transaction) {
            apply(transaction);
        } else if (record instanceof JournalRecord.Granted granted) {
            grant(granted);
        } else if (record instanceof JournalRecord.Ended ended) {
            leases.remove(ended.lease());
        } else {
            throw new AssertionError(record);
        }
    }

    private void grant(JournalRecord.Granted granted) {
        long ttl = granted.ttlMicros() * 1_000;
        leases.put(granted.lease(), new Lease(ttl, clock.nanoTime() + ttl));
        nextLease = Math.max(nextLease, granted.lease() + 1);
    }

    private void apply(JournalRecord.Transaction transaction) {
        revision = transaction.revision();
        List<Change> changes = new ArrayList<>();
        for (String key : transaction.deletes()) {
            entries.remove(key);
            changes.add(new Change(key, null, revision));
        }
        for (JournalRecord.Written put : transaction.puts()) {
            entries.put(put.key(), put.entry(entries.get(put.key()), revision));
            changes.add(new Change(put.key(), put.value(), revision));
        }
        history.add(List.copyOf(changes));
        if (history.size() > HISTORY) {
            oldestWatchable = history.remove().get(0).revision();
        }
        watchers.forEach(w -> w.offer(changes));
    }

    private void enter() {
        if (closed) {
            throw new StreamException(ErrorCode.ADMIN_SHUTDOWN, "the metadata store is closed");
        }
        expireLeases();
    }

    @Override
    public synchronized Optional<Entry> get(String key) {
        enter();
        return Optional.ofNullable(entries.get(key));
    }

    @Override
    public synchronized List<Entry> range(String prefix) {
        enter();
        return List.copyOf(withPrefix(prefix).values());
    }

    private Map<String, Entry> withPrefix(String prefix) {
        // U+FFFF sorts after every character of a key: it is no character.
        return prefix.isEmpty() ? entries : entries.subMap(prefix, prefix + '\uFFFF');
    }

    @Override
    public synchronized long revision() {
        enter();
        return revision;
    }

    @Override
    public synchronized Outcome commit(List<Condition> conditions, List<Operation> operations) {
        enter();
        checkDistinct(operations);
        if (!conditions.stream().allMatch(this::holds)) {
            return new Outcome(false, revision);
        }
        List<JournalRecord.Written> puts = new ArrayList<>();
        List<String> deletes = new ArrayList<>();
        for (Operation operation : operations) {
            if (operation instanceof Operation.Put put) {
                if (put.lease() != NO_LEASE && !leases.containsKey(put.lease())) {
                    throw new StreamException(
                            ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                            "lease " + put.lease() + " of key " + put.key() + " has ended");
                }
                puts.add(new JournalRecord.Written(put.key(), put.value(), put.lease()));
            } else if (operation instanceof Operation.Delete delete) {
                if (entries.containsKey(delete.key())) {
                    deletes.add(delete.key());
                }
            } else if (operation instanceof Operation.DeletePrefix delete) {
                deletes.addAll(withPrefix(delete.prefix()).keySet());
            } else {
                throw new AssertionError(operation);
            }
        }
        if (!puts.isEmpty() || !deletes.isEmpty()) {
            if (deletes.isEmpty()) {
                space.admit(puts.stream()
                        .mapToLong(p -> p.key().length() + p.value().length())
                        .sum());
            }
            write(new JournalRecord.Transaction(revision + 1, puts, deletes));
        }
        return new Outcome(true, revision);
    }

    private static void checkDistinct(List<Operation> operations) {
        Set<String> keys = new HashSet<>();
        List<String> prefixes = new ArrayList<>();
        for (Operation operation : operations) {
            boolean fresh = operation instanceof Operation.Put put
                    ? keys.add(put.key())
                    : operation instanceof Operation.Delete delete
                            ? keys.add(delete.key())
                            : prefixes.add(((Operation.DeletePrefix) operation).prefix());
            if (!fresh) {
                throw new IllegalArgumentException("two operations on one key: " + operations);
            }
        }
        for (String prefix : prefixes) {
            if (keys.stream().anyMatch(k -> k.startsWith(prefix))) {
                throw new IllegalArgumentException("two operations on one key: " + operations);
            }
        }
    }

    private boolean holds(Condition condition) {
        Entry entry = entries.get(condition.key());
        if (condition instanceof Condition.Absent) {
            return entry == null;
        }
        if (entry == null) {
            return false;
        }
        if (condition instanceof Condition.Exists) {
            return true;
        } else if (condition instanceof Condition.Modified modified) {
            return entry.modified() == modified.revision();
        } else if (condition instanceof Condition.Created created) {
            return entry.created() == created.revision();
        } else if (condition instanceof Condition.Version version) {
            return entry.version() == version.version();
        } else if (condition instanceof Condition.Value value) {
            return entry.value().equals(value.value());
        }
        throw new AssertionError(condition);
    }

    private void write(JournalRecord record) {
        journal.append(record);
        replay(record);
        if (journal.bytes() > compactAt) {
            journal.compact(new JournalRecord.Checkpoint(
                    revision,
                    nextLease,
                    entries.values().stream().map(JournalRecord.StoredEntry::of).toList(),
                    leases.entrySet().stream()
                            .map(l -> new JournalRecord.Granted(
                                    l.getKey(), l.getValue().ttlNanos() / 1_000))
                            .toList()));
            compactAt = Math.max(COMPACT_BYTES, 4 * journal.bytes());
        }
    }

    @Override
    public synchronized long grantLease(Duration ttl) {
        enter();
        long lease = nextLease;
        write(new JournalRecord.Granted(lease, ttl.toNanos() / 1_000));
        return lease;
    }

    @Override
    public synchronized boolean keepAlive(long lease) {
        enter();
        return leases.computeIfPresent(lease, (id, l) -> new Lease(l.ttlNanos(), clock.nanoTime() + l.ttlNanos()))
                != null;
    }

    @Override
    public synchronized void revoke(long lease) {
        enter();
        end(lease);
    }

    private void end(long lease) {
        if (!leases.containsKey(lease)) {
            return;
        }
        List<String> keys = entries.values().stream()
                .filter(e -> e.lease() == lease)
                .map(Entry::key)
                .toList();
        if (!keys.isEmpty()) {
            write(new JournalRecord.Transaction(revision + 1, List.of(), keys));
        }
        write(new JournalRecord.Ended(lease));
    }

    /** Ends leases whose time is over, so that watches see it although nobody calls. */
    public synchronized void expireLeases() {
        if (closed) {
            return;
        }
        long now = clock.nanoTime();
        List<Long> over = leases.entrySet().stream()
                .filter(l -> now - l.getValue().endsNanos() >= 0)
                .map(Map.Entry::getKey)
                .toList();
        over.forEach(this::end);
    }

    @Override
    public synchronized Watch watch(String prefix, long after, Consumer<List<Change>> listener) {
        enter();
        if (after < oldestWatchable) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "changes after revision " + after + " are no longer known, the oldest are after " + oldestWatchable,
                    -1,
                    "Read the keys again and watch from the revision of that read.",
                    null);
        }
        Watcher watcher = new Watcher(prefix, listener);
        for (List<Change> changes : history) {
            if (changes.get(0).revision() > after) {
                watcher.offer(changes);
            }
        }
        watchers.add(watcher);
        return () -> watchers.remove(watcher);
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            watchers.clear();
            journal.close();
        }
    }
}
