package io.tailwater.connector.nexmark;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

/**
 * Share {@code index} of {@code count} of the events. Whole epochs are dealt round-robin, so every split has the same mix of kinds and all
 * advance in event time together. A position is the number of events of the split before it, of any kind.
 */
record Split(int index, int count) {
    /** As {@link #toString} writes it. */
    static Split parse(String text) {
        int slash = text.indexOf('/');
        try {
            Split split =
                    new Split(Integer.parseInt(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
            if (split.index >= 0 && split.index < split.count) {
                return split;
            }
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "no split of a nexmark stream: " + text, -1, null, e);
        }
        throw new StreamException(ErrorCode.DATA_CORRUPTED, "no split of a nexmark stream: " + text);
    }

    /** The global number of the split's event {@code position}. */
    long global(long position) {
        return (position / EventKind.EPOCH * count + index) * EventKind.EPOCH + position % EventKind.EPOCH;
    }

    /** How many of the first {@code events} events are in this split. */
    long size(long events) {
        long epochs = events / EventKind.EPOCH;
        long mine = epochs / count + (epochs % count > index ? 1 : 0);
        return mine * EventKind.EPOCH + (epochs % count == index ? events % EventKind.EPOCH : 0);
    }

    @Override
    public String toString() {
        return index + "/" + count;
    }
}
