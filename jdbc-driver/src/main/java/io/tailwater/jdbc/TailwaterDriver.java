package io.tailwater.jdbc;

import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;

/**
 * The driver, for URLs like {@code jdbc:tailwater://host:7480,other:7480/schema?user=me}. Found by {@link DriverManager} alone. Thread-safe.
 *
 * <p>Properties: {@code user}, {@code password}, {@code schema} (the URL's path goes first), {@code zone} (of the session; the server's unless given), {@code
 * connectTimeout} (seconds, 10 unless given), {@code tableTypes} ({@code standard} or {@code native}: whether streams and materialized views have
 * table types of their own in metadata). Others become settings of the session, as if by SET, if they begin with {@code set.}.
 */
public final class TailwaterDriver implements Driver {
    static final int MAJOR = 0;
    static final int MINOR = 1;

    static {
        try {
            DriverManager.registerDriver(new TailwaterDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** For DriverManager and tools. */
    public TailwaterDriver() {
        // Nothing to set up.
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(ConnectionUrl.PREFIX);
    }

    @Override
    public @Nullable Connection connect(String url, @Nullable Properties properties) throws SQLException {
        return acceptsURL(url) ? TailwaterConnection.open(ConnectionUrl.parse(url, properties)) : null;
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, @Nullable Properties given) {
        Properties properties = given == null ? new Properties() : given;
        return new DriverPropertyInfo[] {
            property("user", properties, "name of the user"),
            property("password", properties, "password of the user"),
            property("schema", properties, "default schema, unless the URL names one"),
            property("zone", properties, "time zone of the session, the server's unless given"),
            property("connectTimeout", properties, "seconds to wait for a connection, 10 unless given"),
            property(
                    "tableTypes",
                    properties,
                    "standard: TABLE and VIEW only, as tools expect; native: STREAM and MATERIALIZED VIEW too"),
        };
    }

    private static DriverPropertyInfo property(String name, Properties given, String description) {
        DriverPropertyInfo info = new DriverPropertyInfo(name, given.getProperty(name));
        info.description = description;
        return info;
    }

    @Override
    public int getMajorVersion() {
        return MAJOR;
    }

    @Override
    public int getMinorVersion() {
        return MINOR;
    }

    /** False: there are no transactions, which the compliance test suite asks for. */
    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("the driver does not log", "0A000");
    }
}
