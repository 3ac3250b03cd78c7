package io.tailwater.api.plan;

import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class PlanCodecTest {
    private static final Schema SCHEMA = Schema.of(new Column("a", DataType.BIGINT));
    private static final Traits SINGLE = new Traits(new Distribution.Single(), true, List.of(), List.of());

    private static PlanNode calc(int reader, int column, Traits traits) {
        PlanNode scan = new PlanNode.Scan(
                reader, PlanNode.ScanKind.STREAM, new ObjectName("public", "s"), List.of(column), SCHEMA, traits);
        return new PlanNode.Calc(scan, null, List.of(new Expr.Input(0, DataType.BIGINT)), SCHEMA, traits);
    }

    @Test
    void aNodeIsNamedByWhatItComputesAndNotByItsPlace() {
        String id = PlanCodec.stableId(calc(0, 0, Traits.NONE));
        assertThat(id).matches("[0-9a-f]{16}");
        assertThat(PlanCodec.stableId(calc(3, 0, SINGLE))).isEqualTo(id);
        assertThat(PlanCodec.stableId(calc(0, 1, Traits.NONE))).isNotEqualTo(id);
        assertThat(PlanCodec.stableId(calc(0, 0, Traits.NONE).inputs().get(0))).isNotEqualTo(id);
    }

    @Test
    void aPlanIsReadAsItWasWrittenWithReadersAndTraits() {
        PlanNode plan = calc(3, 0, SINGLE);
        assertThat(PlanCodec.read(PlanCodec.write(plan), PlanNode.class)).isEqualTo(plan);
    }
}
