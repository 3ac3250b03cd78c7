package io.tailwater.server.catalog;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class NearestNameTest {
    @Test
    void theNameWithTheFewestEditsWins() {
        assertThat(NearestName.of("deliminter", List.of("format", "delimiter", "header")))
                .contains("delimiter");
        assertThat(NearestName.of("PATH", List.of("paths", "path"))).contains("path");
    }

    @Test
    void aNameThatIsFarFromAllIsNotGuessed() {
        assertThat(NearestName.of("rows", List.of("format", "path"))).isEmpty();
        assertThat(NearestName.hint("rows", List.of("format"), "Say format.")).isEqualTo("Say format.");
    }
}
