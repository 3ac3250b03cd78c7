package io.tailwater.endtoend;

import io.tailwater.endtoend.Command.Result;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class QuickstartTest {
    @Test
    void itShowsSixStatesOfARealViewAndEnds() {
        Result result = Command.tailwater("quickstart", "--once");
        assertThat(result.err()).doesNotContain("ERROR");
        assertThat(result.status()).as(result.out()).isZero();
        assertThat(result.out())
                .contains("CREATE MATERIALIZED VIEW delays")
                .contains("state 6 of 6")
                .contains("2001-01-01 0")
                .doesNotContain("ERROR");
    }
}
