package io.tailwater.planner;

/**
 * One statement of a script.
 *
 * @param text without the semicolon and without blanks around it
 * @param offset of its first character in the script: add a {@code StreamException.position()} to it
 */
public record ScriptStatement(String text, int offset) {}
