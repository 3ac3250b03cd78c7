package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class SessionSettingsTest {
    private final SessionSettings settings = new SessionSettings("", ZoneOffset.UTC);

    @Test
    void resetGoesBackToWhatTheSessionBeganWith() {
        SessionSettings other = new SessionSettings("SYS", ZoneId.of("Europe/Berlin"));
        assertThat(other.schema()).isEqualTo("sys");
        other.set("time zone", "Asia/Tokyo");
        other.set("search_path", "public");
        assertThat(other.zone()).isEqualTo(ZoneId.of("Asia/Tokyo"));
        other.reset("timezone");
        assertThat(other.zone()).isEqualTo(ZoneId.of("Europe/Berlin"));
        assertThat(other.schema()).isEqualTo("public");
        other.reset(null);
        assertThat(other.schema()).isEqualTo("sys");
    }

    @Test
    void timeoutsTakeUnits() {
        assertThat(settings.statementTimeout()).isZero();
        settings.set("STATEMENT_TIMEOUT", "1500");
        assertThat(settings.statementTimeout()).isEqualTo(Duration.ofMillis(1500));
        settings.set("statement_timeout", "2 min");
        assertThat(settings.statementTimeout()).isEqualTo(Duration.ofMinutes(2));
        assertThatThrownBy(() -> settings.set("statement_timeout", "soon"))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PARAMETER_VALUE));
        assertThat(settings.statementTimeout()).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void unknownSettingsSuggestNearOnes() {
        assertThatThrownBy(() -> settings.set("statement_timout", "1"))
                .isInstanceOfSatisfying(StreamException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.UNDEFINED_OBJECT);
                    assertThat(e.hint()).contains("Did you mean \"statement_timeout\"?");
                });
    }

    @Test
    void badValuesAreRefused() {
        assertThatThrownBy(() -> settings.set("schema", "nowhere"))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCHEMA_NAME));
        assertThatThrownBy(() -> settings.set("timezone", "Mars/Olympus"))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PARAMETER_VALUE));
        assertThatThrownBy(() -> new SessionSettings("nowhere", ZoneOffset.UTC)).isInstanceOf(StreamException.class);
    }
}
