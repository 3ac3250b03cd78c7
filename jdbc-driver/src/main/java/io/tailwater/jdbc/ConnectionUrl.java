package io.tailwater.jdbc;

import org.jspecify.annotations.Nullable;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** {@code jdbc:tailwater://host[:port][,host[:port]]*[/schema][?key=value[&key=value]*]}, merged with the properties of the call. Immutable. */
final class ConnectionUrl {
    static final String PREFIX = "jdbc:tailwater:";
    static final int DEFAULT_PORT = 7480;

    private final List<Host> hosts;
    private final String schema;
    private final Map<String, String> properties;

    private ConnectionUrl(List<Host> hosts, String schema, Map<String, String> properties) {
        this.hosts = hosts;
        this.schema = schema;
        this.properties = properties;
    }

    /** One place a server may listen at. */
    static final class Host {
        final String name;
        final int port;

        Host(String name, int port) {
            this.name = name;
            this.port = port;
        }

        @Override
        public String toString() {
            return name + ":" + port;
        }
    }

    /** What in the URL is given in the call's properties too, is taken from the URL. */
    static ConnectionUrl parse(String url, @Nullable Properties given) throws SQLException {
        Map<String, String> properties = new TreeMap<>();
        if (given != null) {
            for (String name : given.stringPropertyNames()) {
                properties.put(name, given.getProperty(name));
            }
        }
        String rest = url.substring(PREFIX.length());
        if (!rest.startsWith("//")) {
            throw malformed(url);
        }
        int query = rest.indexOf('?');
        if (query >= 0) {
            parseQuery(url, rest.substring(query + 1), properties);
            rest = rest.substring(0, query);
        }
        int slash = rest.indexOf('/', 2);
        String path = slash < 0 ? "" : rest.substring(slash + 1);
        List<Host> hosts = new ArrayList<>();
        for (String host : rest.substring(2, slash < 0 ? rest.length() : slash).split(",", -1)) {
            hosts.add(host(url, host.trim()));
        }
        String schema = path.isEmpty() ? properties.getOrDefault("schema", "") : decode(path);
        return new ConnectionUrl(List.copyOf(hosts), schema, Map.copyOf(properties));
    }

    List<Host> hosts() {
        return hosts;
    }

    /** Empty for the default. */
    String schema() {
        return schema;
    }

    String property(String name, String otherwise) {
        return properties.getOrDefault(name, otherwise);
    }

    /** Seconds, above 0. */
    int seconds(String name, int otherwise) throws SQLException {
        String text = properties.get(name);
        if (text == null) {
            return otherwise;
        }
        if (!text.matches("[1-9]\\d{0,5}")) {
            throw SqlErrors.invalidArgument("property " + name + " = " + text + " is no number of seconds");
        }
        return Integer.parseInt(text);
    }

    Map<String, String> properties() {
        return properties;
    }

    /** The URL without properties, which may hold a password. */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder(PREFIX).append("//");
        for (int i = 0; i < hosts.size(); i++) {
            out.append(i == 0 ? "" : ",").append(hosts.get(i));
        }
        return out.append('/').append(schema).toString();
    }

    private static void parseQuery(String url, String query, Map<String, String> into) throws SQLException {
        for (String pair : query.split("&")) {
            int equals = pair.indexOf('=');
            if (equals <= 0 && !pair.isEmpty()) {
                throw malformed(url);
            }
            if (!pair.isEmpty()) {
                into.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
            }
        }
    }

    private static Host host(String url, String text) throws SQLException {
        int bracket = text.indexOf(']');
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon > bracket;
        String name = hasPort ? text.substring(0, colon) : text;
        String port = hasPort ? text.substring(colon + 1) : String.valueOf(DEFAULT_PORT);
        if (name.isEmpty() || !port.matches("\\d{1,5}") || Integer.parseInt(port) > 65535) {
            throw malformed(url);
        }
        return new Host(name, Integer.parseInt(port));
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static SQLException malformed(String url) {
        int query = url.indexOf('?');
        return SqlErrors.invalidArgument("malformed URL " + (query < 0 ? url : url.substring(0, query))
                + "; expected jdbc:tailwater://host:port[,host:port]/schema?key=value");
    }
}
