package io.tailwater.storage.file;

import io.tailwater.api.storage.SegmentStore;

import java.nio.file.Path;

/** The same store on a disk in memory: many more histories in the same time. */
class SimulatedSegmentStoreTest extends SegmentStoreContract {
    private final SimulatedDisk disk = new SimulatedDisk();

    @Override
    SegmentStore open(Path directory) {
        return new FileSegmentStore(disk, directory, new FileSegmentStore.Options(1500, 40, 0));
    }

    @Override
    int histories() {
        return 100;
    }
}
