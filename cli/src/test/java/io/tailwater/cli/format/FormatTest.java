package io.tailwater.cli.format;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class FormatTest {
    private static final ResultColumn NAME = new ResultColumn("name", Types.VARCHAR, 0);
    private static final ResultColumn COUNT = new ResultColumn("n", Types.BIGINT, 0);
    private static final ResultColumn FLAG = new ResultColumn("ok", Types.BOOLEAN, 0);

    @Test
    void csvFollowsTheRfcAndTellsNullFromEmpty() throws IOException {
        assertThat(write(
                        Format.CSV,
                        List.of(NAME, COUNT),
                        row("a", "1"),
                        row("", null),
                        row("x,\"y\"\nz", "2"),
                        row("\r", "3")))
                .isEqualTo("name,n\na,1\n\"\",\n\"x,\"\"y\"\"\nz\",2\n\"\r\",3\n");
    }

    @Test
    void aSingleNullColumnInCsvIsAnEmptyLine() throws IOException {
        assertThat(write(Format.CSV, List.of(NAME), row((String) null), row("")))
                .isEqualTo("name\n\n\"\"\n");
    }

    @Test
    void csvOfNoRowsIsTheHeader() throws IOException {
        assertThat(write(Format.CSV, List.of(NAME, COUNT))).isEqualTo("name,n\n");
    }

    @Test
    void tsvEscapesWhatWouldBreakALine() throws IOException {
        assertThat(write(Format.TSV, List.of(NAME, COUNT), row("a\tb\n\\", null)))
                .isEqualTo("name\tn\na\\tb\\n\\\\\t\\N\n");
    }

    @Test
    void jsonHasOneObjectForEachLine() throws IOException {
        assertThat(write(Format.JSON, List.of(NAME, COUNT, FLAG), row("q\"\n", "12", "true"), row(null, null, null)))
                .isEqualTo("{\"name\":\"q\\\"\\n\",\"n\":12,\"ok\":true}\n{\"name\":null,\"n\":null,\"ok\":null}\n");
    }

    @Test
    void jsonKeepsDecimalsExactAndQuotesWhatIsNoJsonNumber() throws IOException {
        List<ResultColumn> columns =
                List.of(new ResultColumn("d", Types.DECIMAL, 20), new ResultColumn("f", Types.DOUBLE, 0));
        assertThat(write(
                        Format.JSON,
                        columns,
                        row("123456789012345678.00000000000000000001", "NaN"),
                        row("1.50", "1.0E300")))
                .isEqualTo(
                        "{\"d\":123456789012345678.00000000000000000001,\"f\":\"NaN\"}\n{\"d\":1.50,\"f\":1.0E300}\n");
    }

    @Test
    void aTableAlignsNumbersRightAndMeasuresWideCharacters() throws IOException {
        assertThat(write(Format.TABLE, List.of(COUNT, NAME), row("1", "東京"), row("12345", null), row(null, "é")))
                .isEqualTo("     n | name\n-------+------\n     1 | 東京\n 12345 | \n       | é\n");
    }

    @Test
    void aTableShowsControlCharactersAsEscapes() throws IOException {
        assertThat(write(Format.TABLE, List.of(NAME), row("a\nb\u001b[31m")))
                .isEqualTo(" name\n----------------\n a\\nb\\u001b[31m\n");
    }

    @Test
    void aLiveTableShowsEachRowAtOnce() throws IOException {
        StringBuilder out = new StringBuilder();
        RowWriter writer = Format.TABLE.writer(List.of(COUNT, NAME), out, true);
        writer.flush();
        assertThat(out).hasToString("          n | name\n------------+--------------\n");
        writer.row(row("1", "a"));
        assertThat(out.toString()).endsWith("\n          1 | a\n");
    }

    @Test
    void aTableOfManyRowsKeepsAllOfThem() throws IOException {
        StringBuilder out = new StringBuilder();
        RowWriter writer = Format.TABLE.writer(List.of(COUNT), out, false);
        for (int i = 0; i < 2_500; i++) {
            writer.row(row(Integer.toString(i)));
        }
        writer.end();
        assertThat(out.toString().lines()).hasSize(2_502).last().isEqualTo(" 2499");
    }

    @Test
    void markdownEscapesItsBar() throws IOException {
        assertThat(write(Format.MARKDOWN, List.of(NAME, COUNT), row("a|b", "1")))
                .isEqualTo("| name | n   |\n| ---- | --: |\n| a\\|b |   1 |\n");
    }

    @Test
    void verticalHasALineForEachValue() throws IOException {
        assertThat(write(Format.VERTICAL, List.of(NAME, COUNT), row("x", null)))
                .isEqualTo("-[ row 1 ]----\nname | x\nn    |\n");
    }

    @SafeVarargs
    private static String write(Format format, List<ResultColumn> columns, List<@Nullable String>... rows)
            throws IOException {
        StringBuilder out = new StringBuilder();
        RowWriter writer = format.writer(columns, out, false);
        for (List<@Nullable String> row : rows) {
            writer.row(row);
        }
        writer.end();
        return out.toString();
    }

    private static List<@Nullable String> row(@Nullable String... cells) {
        return Arrays.asList(cells);
    }
}
