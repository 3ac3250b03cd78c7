package io.tailwater.server.sql;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Views over real flights equal DuckDB's answers over the same files: delays per origin and hour, worst routes, a join with airports.
 *
 * <p>{@code -Dtailwater.flights=FILE} takes a Parquet file with columns date, delay, distance, origin, destination in place of the shipped sample.
 */
final class FlightsAnswersTest {
    private static final Path EXAMPLES =
            Path.of("..", "examples", "flights").toAbsolutePath().normalize();

    @Test
    void viewsOverFlightsEqualDuckDbs(@TempDir Path directory) throws SQLException {
        String parquet = System.getProperty("tailwater.flights");
        String time = parquet == null ? "departure" : "\"date\"";
        String airports = EXAMPLES.resolve("airports.csv").toString();
        String flights = parquet == null ? EXAMPLES.resolve("flights.csv").toString() : parquet;
        try (TestServer server = TestServer.open(directory);
                TestSession ours = server.session();
                Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement duck = connection.createStatement()) {
            String columns = parquet == null
                    ? "(departure TIMESTAMP, delay BIGINT, distance BIGINT, origin VARCHAR, destination VARCHAR)"
                    : "";
            ours.run("CREATE STREAM flights " + columns + " WITH (connector = 'file', path = '" + flights + "')");
            ours.run("CREATE STREAM airports (iata VARCHAR, name VARCHAR, city VARCHAR, state VARCHAR)"
                    + " WITH (connector = 'file', path = '" + airports + "')");
            duck.execute("CREATE TABLE flights AS SELECT * FROM '" + flights + "'");
            duck.execute("CREATE TABLE airports AS SELECT * FROM read_csv('" + airports + "', all_varchar = true)");

            String perHour =
                    "SELECT origin, %s AS since, COUNT(*) AS n, SUM(delay) AS total, MAX(delay) AS worst FROM %s GROUP BY origin, %s";
            equal(
                    ours,
                    duck,
                    "per_hour",
                    perHour.formatted(
                            "EXTRACT(EPOCH FROM window_start)",
                            "TABLE(TUMBLE(TABLE flights, DESCRIPTOR(" + time + "), INTERVAL '1' HOUR))",
                            "window_start, window_end"),
                    perHour.formatted(
                            "CAST(epoch(date_trunc('hour', " + time + ")) AS BIGINT)",
                            "flights",
                            "date_trunc('hour', " + time + ")"));
            String routes =
                    "SELECT origin, destination, COUNT(*) AS n, SUM(delay) AS total, MIN(delay) AS best, MAX(delay) AS worst"
                            + " FROM flights GROUP BY origin, destination HAVING SUM(delay) > 10 * COUNT(*)";
            equal(ours, duck, "worst_routes", routes, routes);
            String states =
                    "SELECT a.state AS st, a.city AS town, COUNT(*) AS n, SUM(f.delay) AS total, SUM(f.distance) AS miles"
                            + " FROM flights f JOIN airports a ON f.origin = a.iata WHERE f.delay > 0 GROUP BY a.state, a.city";
            equal(ours, duck, "by_town", states, states);
            String unknown =
                    "SELECT f.origin AS origin, a.name AS name, COUNT(*) AS n FROM flights f LEFT JOIN airports a"
                            + " ON f.destination = a.iata AND a.state = 'CA' GROUP BY f.origin, a.name";
            equal(ours, duck, "californian", unknown, unknown);
        }
    }

    private static void equal(TestSession ours, Statement duck, String view, String query, String duckQuery)
            throws SQLException {
        ours.run("CREATE MATERIALIZED VIEW " + view + " AS " + query);
        ours.run("WAIT FOR " + view);
        List<String> expected = new ArrayList<>();
        try (ResultSet rows = duck.executeQuery(duckQuery)) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                List<String> line = new ArrayList<>();
                for (int column = 1; column <= columns; column++) {
                    String value = rows.getString(column);
                    line.add(value == null ? "NULL" : value);
                }
                expected.add(String.join("|", line));
            }
        }
        Collections.sort(expected);
        assertThat(expected).isNotEmpty();
        assertThat(ours.sorted("SELECT * FROM " + view)).as(view + " kept").isEqualTo(expected);
        assertThat(ours.sorted(query)).as(view + " asked").isEqualTo(expected);
    }
}
