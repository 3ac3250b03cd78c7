package io.tailwater.cli.format;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

final class CellTextTest {
    @ParameterizedTest
    @CsvSource({
        "1.0,1.0",
        "-0.0,-0.0",
        "0.1,0.1",
        "100,100.0",
        "1e7,1.0E7",
        "123456789.5,1.234567895E8",
        "2e-3,0.002",
        "1e-4,1.0E-4",
        "2.0E-323,2.0E-323",
        "4.9E-324,4.9E-324",
        "1.0E23,1.0E23",
        "2.2E-322,2.2E-322",
        "-1.1E-322,-1.1E-322",
        "NaN,NaN",
        "-Infinity,-Infinity"
    })
    void doublesHaveTheirShortestText(double value, String text) {
        String actual = CellText.of(value);
        assertThat(Double.valueOf(actual)).isEqualTo(Double.valueOf(value));
        assertThat(actual.length()).isLessThanOrEqualTo(text.length());
    }

    @Test
    void textThatJava17WritesTooLongIsCutShort() {
        assertThat(CellText.of(Double.parseDouble("2.0E23"))).isEqualTo("2.0E23");
        assertThat(CellText.of(Double.parseDouble("8.41E21"))).isEqualTo("8.41E21");
        assertThat(CellText.of(Float.parseFloat("8.41E21"))).isEqualTo("8.41E21");
        assertThat(CellText.of(Float.parseFloat("1.0E10"))).isEqualTo("1.0E10");
    }

    @Test
    void anyFloatingPointNumberReadsBackAsItself() {
        Random random = new Random(42);
        for (int i = 0; i < 20_000; i++) {
            double d = Double.longBitsToDouble(random.nextLong());
            assertThat(Double.valueOf(CellText.of(d))).isEqualTo(Double.valueOf(d));
            float f = Float.intBitsToFloat(random.nextInt());
            assertThat(Float.valueOf(CellText.of(f))).isEqualTo(Float.valueOf(f));
        }
    }
}
