-- average winning price of a category, cut to a whole number
SELECT w.category AS id, SUM(w.top) / COUNT(w.top) AS final
FROM (
  SELECT a.id, a.category, MAX(b.price) AS top
  FROM auction AS a, bid AS b
  WHERE a.id = b.auction AND b."dateTime" BETWEEN a."dateTime" AND a.expires
  GROUP BY a.id, a.category
) AS w
GROUP BY w.category
