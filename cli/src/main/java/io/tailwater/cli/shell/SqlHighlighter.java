package io.tailwater.cli.shell;

import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Colours keywords, literals and comments while they are typed. */
final class SqlHighlighter implements Highlighter {
    private static final Pattern TOKEN = Pattern.compile(
            "(?<comment>--[^\n]*|/\\*.*?(?:\\*/|$))|(?<string>'[^']*'?)|(?<name>\"[^\"]*\"?)"
                    + "|(?<word>[\\p{L}_][\\p{L}\\p{N}_$]*)|(?<number>\\d+(?:\\.\\d+)?)",
            Pattern.DOTALL);

    @Override
    public AttributedString highlight(LineReader reader, String buffer) {
        AttributedStringBuilder out = new AttributedStringBuilder(buffer.length());
        Matcher token = TOKEN.matcher(buffer);
        int done = 0;
        while (token.find()) {
            out.append(buffer, done, token.start());
            out.styled(style(token), token.group());
            done = token.end();
        }
        out.append(buffer, done, buffer.length());
        return out.toAttributedString();
    }

    private static AttributedStyle style(Matcher token) {
        if (token.group("comment") != null) {
            return AttributedStyle.DEFAULT.foreground(AttributedStyle.BRIGHT);
        }
        if (token.group("string") != null) {
            return AttributedStyle.DEFAULT.foreground(AttributedStyle.GREEN);
        }
        if (token.group("number") != null) {
            return AttributedStyle.DEFAULT.foreground(AttributedStyle.CYAN);
        }
        String word = token.group("word");
        boolean keyword = word != null && Keywords.ALL.contains(word.toUpperCase(Locale.ROOT));
        return keyword
                ? AttributedStyle.DEFAULT.foreground(AttributedStyle.BLUE).bold()
                : AttributedStyle.DEFAULT;
    }

    @Override
    public void setErrorPattern(Pattern errorPattern) {
        // The reader's error marks are not used.
    }

    @Override
    public void setErrorIndex(int errorIndex) {
        // The reader's error marks are not used.
    }
}
