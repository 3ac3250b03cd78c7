-- a bidder's last bid on an auction
SELECT auction, bidder, price, channel, url, "dateTime", extra
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY "dateTime" DESC) AS rn
  FROM bid
)
WHERE rn <= 1
