package io.tailwater.storage.file;

import io.tailwater.api.storage.SegmentStore;

import java.nio.file.Path;

class ChronicleSegmentStoreTest extends SegmentStoreContract {
    @Override
    SegmentStore open(Path directory) {
        return new FileSegmentStore(
                FileIo.DISK, directory, new FileSegmentStore.Options(20_000, 40, 0).with(SegmentFormat.CHRONICLE));
    }

    @Override
    int histories() {
        return 2;
    }
}
