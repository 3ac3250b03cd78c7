package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.planner.Session;
import io.tailwater.planner.SqlPlanner;
import io.tailwater.planner.Statement;
import io.tailwater.planner.parser.TailwaterParserConstants;
import io.tailwater.server.catalog.ConnectorRegistry;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import static org.assertj.core.api.Assertions.assertThat;

final class SqlTextTest {
    private static final ConnectorRegistry NONE = new ConnectorRegistry(List.of());

    /** Each word of the parser, as a column and as a stream, must survive being printed and read. */
    @Test
    void everyKeywordIsPrintedSoThatItIsReadAsAName() {
        List<String> wrong = new ArrayList<>();
        for (String image : TailwaterParserConstants.tokenImage) {
            String word = image.replace("\"", "").toLowerCase(Locale.ROOT);
            if (!image.startsWith("\"") || !word.matches("[a-z_][a-z0-9_]*")) {
                continue;
            }
            String name = SqlText.identifier(word);
            try {
                Statement statement = SqlPlanner.plan(
                        "CREATE STREAM " + name + " (" + name + " BIGINT)",
                        List.of(),
                        CatalogImage.EMPTY,
                        Session.DEFAULT,
                        NONE);
                Statement.CreateStream create = (Statement.CreateStream) statement;
                if (!create.stream().name().name().equals(word)
                        || !create.stream().schema().column(0).name().equals(word)) {
                    wrong.add(word);
                }
            } catch (RuntimeException e) {
                wrong.add(word + ": " + e.getMessage());
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void intervalsTakeTheLargestUnitThatDividesThem() {
        assertThat(SqlText.interval(0)).isEqualTo("INTERVAL '0' SECOND");
        assertThat(SqlText.interval(90_000_000)).isEqualTo("INTERVAL '90' SECOND");
        assertThat(SqlText.interval(7_200_000_000L)).isEqualTo("INTERVAL '2' HOUR");
        assertThat(SqlText.interval(1_500_000)).isEqualTo("INTERVAL '1.500000' SECOND(2, 6)");
        assertThat(SqlText.interval(86_400_000_000L * 400)).isEqualTo("INTERVAL '400' DAY(3)");
        assertThat(SqlText.interval(100_000_000)).isEqualTo("INTERVAL '100' SECOND(3)");
    }
}
