package io.tailwater.storage.file;

import io.tailwater.api.storage.SegmentStore;

import java.nio.file.Path;

class FileSegmentStoreTest extends SegmentStoreContract {
    @Override
    SegmentStore open(Path directory) {
        return new FileSegmentStore(FileIo.DISK, directory, new FileSegmentStore.Options(1500, 40, 0));
    }

    @Override
    int histories() {
        return 2;
    }
}
