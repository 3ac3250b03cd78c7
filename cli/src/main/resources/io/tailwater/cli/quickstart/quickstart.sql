-- Real flights of 1 January 2001, read from a file 400 a second as if they departed now.
CREATE STREAM flights (departure TIMESTAMP(0), delay INT, distance INT, origin VARCHAR, destination VARCHAR,
    WATERMARK FOR departure AS departure - INTERVAL '1' MINUTE)
  WITH (connector = 'file', path = '${examples}/flights/flights.csv', format = 'csv', rows_per_second = 400);

-- The airports, to look up where a code is.
CREATE STREAM airports (iata VARCHAR, name VARCHAR, city VARCHAR, state VARCHAR)
  WITH (connector = 'file', path = '${examples}/flights/airports.csv', format = 'csv');

-- A view that is kept up to date flight by flight: delays by airport and hour.
CREATE MATERIALIZED VIEW delays AS
SELECT f.window_start AS departures_from, a.city, COUNT(*) AS flights, SUM(f.delay) / COUNT(*) AS average_delay, MAX(f.delay) AS worst_delay
FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(departure), INTERVAL '1' HOUR)) AS f
JOIN airports AS a ON f.origin = a.iata
GROUP BY f.window_start, f.window_end, a.city;
