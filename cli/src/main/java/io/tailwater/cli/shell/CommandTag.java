package io.tailwater.cli.shell;

/** What PostgreSQL's shell says after a statement without rows: {@code CREATE TABLE}, {@code INSERT 0 2}, {@code UPDATE 1}. */
final class CommandTag {
    private CommandTag() {}

    /**
     * The tag of a statement that has succeeded.
     *
     * @param words the statement in capitals, without comments
     */
    static String of(String words, long count) {
        String[] word = words.split("[\\s(;]+");
        return switch (word[0]) {
            // PostgreSQL's 0 stands for a row identifier of old; programs expect it.
            case "INSERT" -> "INSERT 0 " + count;
            case "UPSERT", "UPDATE", "DELETE" -> word[0] + " " + count;
            case "CREATE", "DROP", "ALTER" -> word[0] + object(word);
            default -> word[0];
        };
    }

    /** The kind of object after CREATE, CREATE OR REPLACE, DROP or ALTER, with a blank before it. */
    private static String object(String[] word) {
        int at = word.length > 2 && word[1].equals("OR") ? 3 : 1;
        if (at >= word.length) {
            return "";
        }
        boolean two = (word[at].equals("MATERIALIZED") || word[at].equals("RECOVERY")) && at + 1 < word.length;
        return " " + word[at] + (two ? " " + word[at + 1] : "");
    }
}
