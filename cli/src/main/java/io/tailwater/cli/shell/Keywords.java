package io.tailwater.cli.shell;

import java.util.Set;
import java.util.TreeSet;

/** Words that the shell completes and colours. */
final class Keywords {
    /** In upper case, sorted. */
    static final Set<String> ALL = new TreeSet<>(Set.of(
            ("ALL ALTER AND APPLICATION AS ASC AVG BETWEEN BIGINT BOOLEAN BY CASCADE CASE CAST CHANGES COUNT CREATE CROSS DATE DECIMAL DELETE"
                            + " DESC DESCRIBE DESCRIPTOR DISTINCT DOUBLE DROP ELSE EMIT END EXCEPT EXISTS EXPLAIN FALSE FOR FROM FULL"
                            + " GROUP HAVING HOP IF IN INNER INSERT INT INTEGER INTERSECT INTERVAL INTO IS JOB JOBS JOIN KEY LATENESS"
                            + " LEFT LIKE LIMIT MATERIALIZED MAX MIN NOT NULL OFFSET ON OR ORDER OUTER PARTITION PAUSE POINT PRIMARY RECOVERY"
                            + " REPLACE RESTRICT RESUME RIGHT ROLLBACK SECOND MINUTE HOUR DAY SELECT SET SHOW SMALLINT SNAPSHOTS STREAM STREAMS SUM SYSTEM_TIME"
                            + " TABLE TABLES THEN TIME TIMEOUT TIMESTAMP TINYINT TRUE TUMBLE UNION UPDATE USING VALUES VARCHAR VIEW"
                            + " VIEWS WAIT WATERMARK WHEN WHERE WITH")
                    .split(" ")));

    private Keywords() {}
}
