package io.tailwater.executor.runtime;

import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.JoinKind;

import java.util.ArrayList;
import java.util.List;

/**
 * Which worker a node's rows are on, as follows from the exchanges below it and nothing else: what the planner says of distributions is what it needed to know, not all
 * that is so. Immutable.
 */
sealed interface Placement {
    /** By the vnode of each of these lists of columns; there is at least one. */
    record Hash(List<List<Integer>> columns) implements Placement {
        public Hash {
            columns = List.copyOf(columns);
        }
    }

    /** On worker 0. */
    record Single() implements Placement {}

    /** On every worker. */
    record Broadcast() implements Placement {}

    /** Each on one worker, which the row does not tell. */
    record Any() implements Placement {}

    /** Some on one worker, some on all. */
    record Mixed() implements Placement {}

    /** The placement of rows that keep some columns; {@code positions.get(i)} is where column i went, or -1. */
    default Placement moved(List<Integer> positions) {
        if (!(this instanceof Hash hash)) {
            return this;
        }
        List<List<Integer>> out = new ArrayList<>();
        for (List<Integer> columns : hash.columns()) {
            if (columns.stream().allMatch(c -> positions.get(c) >= 0)) {
                out.add(columns.stream().map(positions::get).toList());
            }
        }
        return hashOf(out);
    }

    private static Placement hashOf(List<List<Integer>> columns) {
        return columns.isEmpty() ? new Any() : new Hash(columns);
    }

    /** Where the rows of a node are, given where those of its inputs are. */
    static Placement of(PlanNode node, List<Placement> inputs) {
        if (node instanceof PlanNode.Scan scan) {
            // A table's changes come from where its key is; it is unique and nothing else of a table is said to be.
            return scan.kind() == PlanNode.ScanKind.TABLE ? hashOf(scan.traits().uniqueKeys()) : new Any();
        }
        if (node instanceof PlanNode.Values) {
            return new Single();
        }
        if (node instanceof PlanNode.Exchange exchange) {
            return of(exchange.distribution());
        }
        if (node instanceof PlanNode.Union || node instanceof PlanNode.SetOperation) {
            return common(inputs);
        }
        if (node instanceof PlanNode.Join join) {
            return of(join, inputs.get(0), inputs.get(1));
        }
        Placement input = inputs.get(0);
        int width = node.inputs().get(0).schema().size();
        if (node instanceof PlanNode.Calc calc) {
            return input.moved(positions(width, calc.projections()));
        }
        if (node instanceof PlanNode.Aggregate aggregate) {
            return input.moved(positionsOf(width, aggregate.groupKeys()));
        }
        if (node instanceof PlanNode.Keyed keyed) {
            // Of a row that is replaced, only the key stays.
            List<Integer> kept = new ArrayList<>();
            for (int c = 0; c < width; c++) {
                kept.add(keyed.key().contains(c) ? c : -1);
            }
            return input.moved(kept);
        }
        return input;
    }

    private static Placement of(Distribution distribution) {
        if (distribution instanceof Distribution.Hash hash) {
            return new Hash(List.of(hash.columns()));
        } else if (distribution instanceof Distribution.Single) {
            return new Single();
        }
        return distribution instanceof Distribution.Broadcast ? new Broadcast() : new Any();
    }

    /** Where columns of the input went in a list of expressions. */
    private static List<Integer> positions(int width, List<Expr> projections) {
        List<Integer> from = new ArrayList<>();
        for (Expr projection : projections) {
            from.add(projection instanceof Expr.Input column ? column.index() : -1);
        }
        return positionsOf(width, from);
    }

    private static List<Integer> positionsOf(int width, List<Integer> columns) {
        List<Integer> out = new ArrayList<>();
        for (int c = 0; c < width; c++) {
            out.add(columns.indexOf(c));
        }
        return out;
    }

    /** What holds of the rows of all inputs. */
    private static Placement common(List<Placement> inputs) {
        if (inputs.stream().allMatch(inputs.get(0)::equals)) {
            return inputs.get(0);
        }
        if (inputs.stream().anyMatch(i -> i instanceof Broadcast || i instanceof Mixed)) {
            return new Mixed();
        }
        List<List<Integer>> shared = new ArrayList<>();
        if (inputs.get(0) instanceof Hash first) {
            shared.addAll(first.columns());
        }
        for (Placement input : inputs) {
            shared.retainAll(input instanceof Hash hash ? hash.columns() : List.of());
        }
        return hashOf(shared);
    }

    /** A pair is where its rows are. A row that is padded with NULLs has the columns of one of them only. */
    private static Placement of(PlanNode.Join join, Placement left, Placement right) {
        if (left.equals(right) && !(left instanceof Hash)) {
            return left;
        }
        if (left instanceof Mixed || right instanceof Mixed) {
            return new Mixed();
        }
        boolean padsLeft = join.kind() == JoinKind.RIGHT || join.kind() == JoinKind.FULL;
        boolean padsRight = join.kind() == JoinKind.LEFT || join.kind() == JoinKind.FULL;
        boolean leftOnly =
                join.kind() == JoinKind.SEMI || join.kind() == JoinKind.ANTI || join.kind() == JoinKind.NULL_AWARE_ANTI;
        if (right instanceof Broadcast) {
            return padsLeft ? new Mixed() : left;
        }
        if (left instanceof Broadcast) {
            int shift = join.left().schema().size();
            List<Integer> positions = new ArrayList<>();
            for (int c = 0; c < join.right().schema().size(); c++) {
                positions.add(c + shift);
            }
            return padsRight || leftOnly ? new Mixed() : right.moved(positions);
        }
        List<List<Integer>> out = new ArrayList<>();
        if (left instanceof Hash hash && !padsLeft) {
            out.addAll(hash.columns());
        }
        if (right instanceof Hash hash && !padsRight && !leftOnly) {
            int shift = join.left().schema().size();
            hash.columns()
                    .forEach(columns ->
                            out.add(columns.stream().map(c -> c + shift).toList()));
        }
        return hashOf(out);
    }
}
