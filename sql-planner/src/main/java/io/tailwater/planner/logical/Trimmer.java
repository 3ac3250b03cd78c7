package io.tailwater.planner.logical;

import com.google.common.collect.ImmutableSet;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql2rel.RelFieldTrimmer;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.Mapping;
import org.apache.calcite.util.mapping.MappingType;
import org.apache.calcite.util.mapping.Mappings;

import java.util.Set;

/** Removes columns that nobody reads, down to the scans. One for each use. */
public final class Trimmer extends RelFieldTrimmer {
    Trimmer(RelBuilder builder) {
        super(null, builder);
    }

    /** Called by Calcite by reflection: a window needs its time column and what is used above; its own two columns stay. */
    public TrimResult trimFields(WindowRel window, ImmutableBitSet used, Set<RelDataTypeField> extra) {
        RelNode input = window.getInput();
        int inputCount = input.getRowType().getFieldCount();
        ImmutableBitSet inputUsed =
                used.intersect(ImmutableBitSet.range(inputCount)).set(window.timeColumn());
        TrimResult trimmed = trimChild(window, input, inputUsed, ImmutableSet.of());
        RelNode newInput = trimmed.left;
        Mapping inputMapping = trimmed.right;
        if (newInput == input && inputMapping.isIdentity()) {
            return result(window, Mappings.createIdentity(inputCount + 2));
        }
        int newCount = newInput.getRowType().getFieldCount();
        WindowRel narrowed = window.over(newInput, inputMapping.getTarget(window.timeColumn()));
        Mapping mapping = Mappings.create(MappingType.INVERSE_SURJECTION, inputCount + 2, newCount + 2);
        for (int i = 0; i < inputCount; i++) {
            int target = inputMapping.getTargetOpt(i);
            if (target >= 0) {
                mapping.set(i, target);
            }
        }
        mapping.set(inputCount, newCount);
        mapping.set(inputCount + 1, newCount + 1);
        return result(narrowed, mapping);
    }

    /** The tree with the same columns at its root. */
    static RelNode trim(RelNode root, RelBuilder builder) {
        RelNode trimmed = new Trimmer(builder).trim(root);
        return RelOptUtil.createCastRel(trimmed, root.getRowType(), true);
    }
}
