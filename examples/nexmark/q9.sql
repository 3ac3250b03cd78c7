-- winning bid of each auction
SELECT id, itemName, description, initialBid, reserve, "dateTime", expires, seller, category, extra,
  auction, bidder, price, bidTime, bidExtra
FROM (
  SELECT a.*, b.auction, b.bidder, b.price, b."dateTime" AS bidTime, b.extra AS bidExtra,
    ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b."dateTime" ASC) AS rn
  FROM auction AS a, bid AS b
  WHERE a.id = b.auction AND b."dateTime" BETWEEN a."dateTime" AND a.expires
)
WHERE rn <= 1
