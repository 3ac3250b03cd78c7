/**
 * Partition logs as plain files: one directory per segment, one writer, positional reads.
 *
 * <p>Start at {@link io.tailwater.storage.file.FileSegmentStore}; {@link io.tailwater.storage.file.FileIo} is the only door to the disk, so that tests can
 * make it fail.
 */
@NullMarked
package io.tailwater.storage.file;

import org.jspecify.annotations.NullMarked;
