package io.tailwater.cli.shell;

import org.jspecify.annotations.Nullable;

/**
 * Cuts text into statements at semicolons outside of quotes and comments. Text comes in whole lines, so that a script is run while it is read. Owned by
 * one thread.
 */
final class StatementSplitter {
    private enum State {
        CODE,
        STRING,
        IDENTIFIER,
        LINE_COMMENT,
        BLOCK_COMMENT
    }

    private final StringBuilder text = new StringBuilder();
    private State state = State.CODE;
    /** All before it has been scanned. */
    private int position;
    /** Where the pending statement begins, past blanks and comments; -1 while there is only such. */
    private int start = -1;

    private int line = 1;
    private int startLine = 1;

    /**
     * One statement.
     *
     * @param sql without the semicolon and the comments before it
     * @param line in all the text given, from 1, where it begins
     */
    record Piece(String sql, int line) {}

    /** Adds text, which must end with a line end unless it is the last. */
    void append(String more) {
        text.append(more);
    }

    /** The next complete statement that is not empty; null if more text is needed. */
    @Nullable Piece next() {
        while (position < text.length()) {
            int end = position;
            if (step()) {
                Piece piece = start < 0 ? null : piece(end);
                text.delete(0, position);
                position = 0;
                start = -1;
                if (piece != null) {
                    return piece;
                }
            }
        }
        return null;
    }

    /** What is left when there is no more text, if it is a statement without its semicolon; after {@link #next} gave null. */
    @Nullable Piece rest() {
        Piece piece = start < 0 ? null : piece(text.length());
        clear();
        return piece;
    }

    /** Whether no statement has begun: a line of the shell's own commands may follow. */
    boolean isBlank() {
        return start < 0 && state != State.BLOCK_COMMENT;
    }

    /** Forgets the pending text. */
    void clear() {
        text.setLength(0);
        position = 0;
        start = -1;
        state = State.CODE;
    }

    private Piece piece(int end) {
        return new Piece(text.substring(start, end).stripTrailing(), startLine);
    }

    /** Scans one character or a pair. Returns whether it was the semicolon that ends a statement. */
    private boolean step() {
        char c = text.charAt(position);
        char following = position + 1 < text.length() ? text.charAt(position + 1) : '\0';
        int from = position++;
        if (c == '\n') {
            line++;
        }
        switch (state) {
            case CODE -> {
                return code(c, following, from);
            }
            case STRING -> state = c == '\'' ? State.CODE : State.STRING;
            case IDENTIFIER -> state = c == '"' ? State.CODE : State.IDENTIFIER;
            case LINE_COMMENT -> state = c == '\n' ? State.CODE : State.LINE_COMMENT;
            case BLOCK_COMMENT -> {
                if (c == '*' && following == '/') {
                    position++;
                    state = State.CODE;
                }
            }
        }
        return false;
    }

    private boolean code(char c, char following, int from) {
        if (c == ';') {
            return true;
        }
        if (c == '-' && following == '-') {
            position++;
            state = State.LINE_COMMENT;
            return false;
        }
        if (c == '/' && following == '*') {
            position++;
            state = State.BLOCK_COMMENT;
            return false;
        }
        if (c == '\'') {
            state = State.STRING;
        } else if (c == '"') {
            state = State.IDENTIFIER;
        }
        if (start < 0 && !Character.isWhitespace(c) && c != '\uFEFF') {
            start = from;
            startLine = line;
        }
        return false;
    }
}
