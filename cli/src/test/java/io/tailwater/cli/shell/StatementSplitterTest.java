package io.tailwater.cli.shell;

import io.tailwater.cli.shell.StatementSplitter.Piece;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class StatementSplitterTest {
    @Test
    void semicolonsInQuotesAndCommentsDoNotSplit() {
        assertThat(split("SELECT ';' AS \";\" -- ; no\n, 'it''s;' /* ; */ FROM t; SELECT 2"))
                .extracting(Piece::sql)
                .containsExactly("SELECT ';' AS \";\" -- ; no\n, 'it''s;' /* ; */ FROM t", "SELECT 2");
    }

    @Test
    void quotesInCommentsAreNoQuotes() {
        assertThat(split("-- it's\nSELECT 1; /* \" ' */ SELECT 2;"))
                .extracting(Piece::sql)
                .containsExactly("SELECT 1", "SELECT 2");
    }

    @Test
    void emptyStatementsAndLoneCommentsGiveNothing() {
        assertThat(split(" ;; -- only this\n ; /* and this */")).isEmpty();
    }

    @Test
    void hintsInsideAStatementStay() {
        assertThat(split("INSERT INTO t /*+ JOB('daily') */ SELECT 1;"))
                .extracting(Piece::sql)
                .containsExactly("INSERT INTO t /*+ JOB('daily') */ SELECT 1");
    }

    @Test
    void aMinusOrSlashAloneIsCode() {
        assertThat(split("SELECT 1 - -1, 4/2*1;")).extracting(Piece::sql).containsExactly("SELECT 1 - -1, 4/2*1");
    }

    @Test
    void linesAreCountedFromTheBeginningOfTheText() {
        assertThat(split("\n-- x\nSELECT 1;\nSELECT\n2; SELECT 3"))
                .extracting(Piece::line)
                .containsExactly(3, 4, 5);
    }

    @Test
    void aBlankStateAllowsShellCommandsButAnOpenCommentDoesNot() {
        StatementSplitter splitter = new StatementSplitter();
        splitter.append("SELECT 1; -- done\n");
        assertThat(splitter.next()).isEqualTo(new Piece("SELECT 1", 1));
        assertThat(splitter.next()).isNull();
        assertThat(splitter.isBlank()).isTrue();
        splitter.append("/* open\n");
        assertThat(splitter.next()).isNull();
        assertThat(splitter.isBlank()).isFalse();
        splitter.append("*/ SELECT\n");
        assertThat(splitter.next()).isNull();
        assertThat(splitter.isBlank()).isFalse();
        assertThat(splitter.rest()).isEqualTo(new Piece("SELECT", 3));
    }

    private static List<Piece> split(String text) {
        StatementSplitter splitter = new StatementSplitter();
        List<Piece> pieces = new ArrayList<>();
        for (String line : text.split("(?<=\n)")) {
            splitter.append(line);
            for (Piece piece = splitter.next(); piece != null; piece = splitter.next()) {
                pieces.add(piece);
            }
        }
        Piece rest = splitter.rest();
        if (rest != null) {
            pieces.add(rest);
        }
        return pieces;
    }
}
