package io.tailwater.api.connector;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.util.List;

/** A connector that only writes: reading from its streams fails with 42809. Thread-safe. */
public interface TargetConnector extends Connector {
    /** Why its streams cannot be read, to follow "its connector NAME". */
    String whyNotRead();

    @Override
    default boolean readable() {
        return false;
    }

    @Override
    default boolean writable() {
        return true;
    }

    @Override
    default boolean bounded(CatalogObject.Stream stream) {
        throw notReadable(stream);
    }

    @Override
    default List<String> splits(CatalogObject.Stream stream, int parallelism) {
        throw notReadable(stream);
    }

    @Override
    default SplitReader open(CatalogObject.Stream stream, String split, ReadContext context) {
        throw notReadable(stream);
    }

    private StreamException notReadable(CatalogObject.Stream stream) {
        return new StreamException(
                ErrorCode.WRONG_OBJECT_TYPE,
                "stream \"" + stream.name() + "\" cannot be read: its connector " + name() + " " + whyNotRead(),
                -1,
                "Use it as the target of INSERT INTO only.",
                null);
    }
}
