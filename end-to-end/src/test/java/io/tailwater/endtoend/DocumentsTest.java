package io.tailwater.endtoend;

import io.tailwater.cli.format.Format;
import io.tailwater.cli.shell.Shell;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** Every SQL block of a document runs, in order, on one server; a text block right after one is what the last query must show. */
final class DocumentsTest {
    private static final Pattern BLOCK =
            Pattern.compile("```sql\\n(.*?)```\\n(?:```text\\n(.*?)```\\n)?", Pattern.DOTALL);

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/sql.md", "examples/nexmark/README.md"})
    void theSqlOfADocumentRunsWordForWord(String document) throws IOException {
        String text = Files.readString(Command.HOME.resolve(document), StandardCharsets.UTF_8);
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int blocks = 0;
        try (Server server = Server.start(dir);
                Shell shell = new Shell(server.url(), print(rows), print(messages), Format.TABLE)) {
            Matcher block = BLOCK.matcher(text);
            while (block.find()) {
                rows.reset();
                boolean fine = shell.runScript(block.group(1));
                assertThat(fine)
                        .as("%s%n%s", block.group(1), messages.toString(StandardCharsets.UTF_8))
                        .isTrue();
                if (block.group(2) != null) {
                    assertThat(rows.toString(StandardCharsets.UTF_8))
                            .as(block.group(1))
                            .endsWith(block.group(2));
                }
                blocks++;
            }
        }
        assertThat(blocks).isPositive();
    }

    private static PrintStream print(ByteArrayOutputStream out) {
        return new PrintStream(out, true, StandardCharsets.UTF_8);
    }
}
