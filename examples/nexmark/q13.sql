-- enrichment from a bounded side input: the keys 0 to 9,999, each with its text
WITH digits AS (SELECT d FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS v (d)),
side_input AS (
  SELECT s.key, CAST(s.key AS VARCHAR) AS "value"
  FROM (
    SELECT CAST(1000 * a.d + 100 * b.d + 10 * c.d + e.d AS BIGINT) AS key
    FROM digits AS a, digits AS b, digits AS c, digits AS e
  ) AS s
)
SELECT b.auction, b.bidder, b.price, b."dateTime", s."value"
FROM bid AS b
JOIN side_input AS s ON MOD(b.auction, 10000) = s.key
