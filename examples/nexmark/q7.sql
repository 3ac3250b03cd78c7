-- highest bids of each 10 seconds
SELECT b.auction, b.price, b.bidder, b."dateTime", b.extra
FROM bid AS b
JOIN (
  SELECT MAX(price) AS top, window_end AS we
  FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR("dateTime"), INTERVAL '10' SECOND))
  GROUP BY window_start, window_end
) AS m
ON b.price = m.top
WHERE b."dateTime" BETWEEN m.we - INTERVAL '10' SECOND AND m.we
