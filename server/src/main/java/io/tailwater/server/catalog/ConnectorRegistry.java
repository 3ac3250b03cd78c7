package io.tailwater.server.catalog;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.Delivery;
import io.tailwater.api.connector.StreamOptions;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.planner.Connectors;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The connectors that are installed, by name. Immutable; connectors are thread-safe. */
public final class ConnectorRegistry implements Connectors {
    private final SortedMap<String, Connector> byName = new TreeMap<>();

    /**
     * A registry of these.
     *
     * @throws StreamException F0000 if two connectors bear the same name
     */
    public ConnectorRegistry(Collection<Connector> connectors) {
        for (Connector connector : connectors) {
            if (byName.put(connector.name(), connector) != null) {
                throw new StreamException(
                        ErrorCode.CONFIG_FILE_ERROR, "two connectors are named '" + connector.name() + "'");
            }
        }
    }

    /** Those that {@link ServiceLoader} finds. */
    public static ConnectorRegistry installed() {
        List<Connector> found = new ArrayList<>();
        ServiceLoader.load(Connector.class).forEach(found::add);
        return new ConnectorRegistry(found);
    }

    /** By name, in the order of names. */
    public Collection<Connector> all() {
        return Collections.unmodifiableCollection(byName.values());
    }

    /**
     * The connector of this name.
     *
     * @throws StreamException 22023 if it is not installed
     */
    public Connector get(String name) {
        Connector connector = byName.get(name);
        if (connector == null) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "unknown connector '" + name + "'",
                    -1,
                    NearestName.hint(
                            name, byName.keySet(), "Installed are: " + String.join(", ", byName.keySet()) + "."),
                    null);
        }
        return connector;
    }

    /**
     * Checks the options of a connector stream against what its connector declares and has it complete the definition.
     *
     * @throws StreamException 22023 for an unknown or missing option; or what the connector says
     */
    public CatalogObject.Stream resolve(CatalogObject.Stream declared, Path workingDirectory) {
        Connector connector = get(connectorOf(declared));
        List<String> known = Stream.concat(
                        connector.options().stream().map(ConnectorOption::key), StreamOptions.COMMON.stream())
                .sorted()
                .toList();
        for (String key : declared.options().keySet()) {
            if (!key.equals("connector") && known.stream().noneMatch(option -> matches(option, key))) {
                throw new StreamException(
                        ErrorCode.INVALID_PARAMETER_VALUE,
                        "connector '" + connector.name() + "' has no option '" + key + "'",
                        -1,
                        NearestName.hint(key, known, "Its options are: " + String.join(", ", known) + "."),
                        null);
            }
        }
        for (ConnectorOption option : connector.options()) {
            if (option.required() && !declared.options().containsKey(option.key())) {
                throw new StreamException(
                        ErrorCode.INVALID_PARAMETER_VALUE,
                        "connector '" + connector.name() + "' needs the option '" + option.key() + "'",
                        -1,
                        "For example: WITH (connector = '" + connector.name() + "', " + option.key() + " = '"
                                + option.example() + "').",
                        null);
            }
        }
        CatalogObject.Stream resolved = connector.resolve(declared, workingDirectory);
        requireDelivery(connector, resolved);
        return resolved;
    }

    private static void requireDelivery(Connector connector, CatalogObject.Stream stream) {
        Delivery.Guarantee wanted = StreamOptions.delivery(stream);
        if (wanted == null) {
            return;
        }
        if (!connector.writable()) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "option \"" + StreamOptions.DELIVERY + "\" is for sinks, and connector '" + connector.name()
                            + "' is none",
                    -1,
                    "Leave it out.",
                    null);
        }
        Delivery can = connector.delivery(stream);
        if (can.guarantee().compareTo(wanted) < 0) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "sink " + connector.name() + " cannot deliver " + wanted + ": it " + can.because(),
                    -1,
                    "Leave out delivery, or ask for '" + can.guarantee() + "'.",
                    null);
        }
    }

    /** What a job into this stream guarantees, and the weakest link of it, in one phrase. */
    public String delivery(CatalogObject.Stream stream) {
        Connector connector = get(connectorOf(stream));
        Delivery delivery = connector.delivery(stream);
        return delivery.guarantee() + ": sink " + connector.name() + " " + delivery.because();
    }

    /** The object as it may be shown: without secrets. */
    public CatalogObject shown(CatalogObject object) {
        if (!(object instanceof CatalogObject.Stream stream) || stream.connector() == null) {
            return object;
        }
        SortedMap<String, String> options = new TreeMap<>(stream.options());
        for (ConnectorOption option : get(connectorOf(stream)).options()) {
            if (option.secret()) {
                options.computeIfPresent(option.key(), (key, value) -> ConnectorOption.HIDDEN);
            }
        }
        return new CatalogObject.Stream(
                stream.name(), stream.schema(), stream.watermark(), stream.partitionBy(), stream.partitions(), options);
    }

    /** A star in an option stands for a column. */
    private static boolean matches(String option, String key) {
        int star = option.indexOf('*');
        if (star < 0) {
            return option.equals(key);
        }
        String before = option.substring(0, star);
        String after = option.substring(star + 1);
        return key.length() > before.length() + after.length() && key.startsWith(before) && key.endsWith(after);
    }

    @Override
    public boolean bounded(CatalogObject.Stream stream) {
        return get(connectorOf(stream)).bounded(stream);
    }

    @Override
    public boolean readable(CatalogObject.Stream stream) {
        return get(connectorOf(stream)).readable();
    }

    @Override
    public boolean writable(CatalogObject.Stream stream) {
        return get(connectorOf(stream)).writable();
    }

    @Override
    public boolean acceptsUpdates(CatalogObject.Stream stream) {
        return get(connectorOf(stream)).acceptsUpdates(stream);
    }

    @Override
    public List<Integer> upsertKey(CatalogObject.Stream stream) {
        return get(connectorOf(stream)).upsertKey(stream);
    }

    private static String connectorOf(CatalogObject.Stream stream) {
        String connector = stream.connector();
        if (connector == null) {
            throw new AssertionError("a stored stream has no connector: " + stream.name());
        }
        return connector;
    }
}
