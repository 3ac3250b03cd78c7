package io.tailwater.planner.physical;

import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.JoinKind;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Joins: equi-keys brought to one type, in an order that an input already has if there is one, both sides hashed by them. What is left of an inner
 * join's condition is a filter above it, of another's its residual. Without keys all rows meet on worker 0.
 */
final class Joins {
    private final PlanBuilder plans;
    private final Expressions expressions;

    Joins(PlanBuilder plans, Expressions expressions) {
        this.plans = plans;
        this.expressions = expressions;
    }

    private record Keys(List<Integer> left, List<Integer> right, List<Boolean> nullSafe) {
        Keys reordered(List<Integer> order) {
            return new Keys(
                    order.stream().map(left::get).toList(),
                    order.stream().map(right::get).toList(),
                    order.stream().map(nullSafe::get).toList());
        }
    }

    Built join(Join join) {
        List<Integer> leftKeys = new ArrayList<>();
        List<Integer> rightKeys = new ArrayList<>();
        List<Boolean> filterNulls = new ArrayList<>();
        RexNode rest = RelOptUtil.splitJoinCondition(
                join.getLeft(), join.getRight(), join.getCondition(), leftKeys, rightKeys, filterNulls);
        Built left = plans.visit(join.getLeft());
        Built right = plans.visit(join.getRight());
        int leftWidth = left.schema().size();
        int rightWidth = right.schema().size();
        Keys keys =
                new Keys(leftKeys, rightKeys, filterNulls.stream().map(f -> !f).toList());
        for (int i = 0; i < keys.left().size(); i++) {
            DataType common = keyType(
                    left.schema().type(keys.left().get(i)),
                    right.schema().type(keys.right().get(i)));
            left = withKey(left, keys.left(), i, common);
            right = withKey(right, keys.right(), i, common);
        }
        Keys equal = keys;
        keys = independent(keys, left, right);
        boolean padded = left.schema().size() != leftWidth || right.schema().size() != rightWidth;
        @Nullable Expr residual = rest.isAlwaysTrue() ? null : expressions.translate(rest);
        if (residual != null && left.schema().size() != leftWidth) {
            residual = shiftRight(residual, leftWidth, left.schema().size() - leftWidth);
        }
        JoinKind kind = kind(join);
        if (keys.left().isEmpty()) {
            left = left.single();
            right = right.single();
        } else if (!(left.isSingle() && right.isSingle())) {
            keys = ordered(keys, left, right);
            left = left.hashed(keys.left());
            right = right.hashed(keys.right());
        }
        Built joined = node(left, right, kind, keys, equal, kind == JoinKind.INNER ? null : residual);
        List<String> names = join.getRowType().getFieldNames();
        if (padded || kind == JoinKind.INNER && residual != null) {
            return Calcs.calc(
                    joined,
                    kind == JoinKind.INNER ? residual : null,
                    without(joined.schema(), leftWidth, left.schema().size(), rightWidth, kind),
                    names);
        }
        return Calcs.calc(joined, null, Exprs.identity(joined.schema()), names);
    }

    /**
     * Without the keys that follow from others on both sides alike: where starts of equal windows are equal, so are their ends.
     */
    private static Keys independent(Keys keys, Built left, Built right) {
        List<Integer> kept = new ArrayList<>();
        for (int to = 0; to < keys.left().size(); to++) {
            boolean follows = false;
            for (int from = 0; from < keys.left().size() && !follows; from++) {
                OptionalLong l = Offsets.between(
                        left.node(), keys.left().get(from), keys.left().get(to));
                OptionalLong r = Offsets.between(
                        right.node(), keys.right().get(from), keys.right().get(to));
                follows = l.isPresent()
                        && l.equals(r)
                        && keys.nullSafe().get(from).equals(keys.nullSafe().get(to));
            }
            if (!follows) {
                kept.add(to);
            }
        }
        return keys.reordered(kept);
    }

    private static JoinKind kind(Join join) {
        return switch (join.getJoinType()) {
            case INNER -> JoinKind.INNER;
            case LEFT -> JoinKind.LEFT;
            case RIGHT -> JoinKind.RIGHT;
            case FULL -> JoinKind.FULL;
            case SEMI -> JoinKind.SEMI;
            case ANTI -> JoinKind.ANTI;
            default ->
                throw PlanBuilder.unsupported(
                        join.getJoinType().name().replace('_', ' ') + " JOIN is not supported yet", null);
        };
    }

    private static DataType keyType(DataType left, DataType right) {
        DataType common = Casts.common(left, right, true);
        if (common == null) {
            throw new StreamException(
                    ErrorCode.DATATYPE_MISMATCH, "cannot compare " + left.sql() + " with " + right.sql());
        }
        return common;
    }

    /** Adds a column with key {@code i} in type {@code type} where the present column has another, and makes it the key. */
    private Built withKey(Built side, List<Integer> keys, int i, DataType type) {
        DataType from = side.schema().type(keys.get(i));
        boolean same = from.kind() == type.kind() && (from.kind() != TypeKind.DECIMAL || from.scale() == type.scale());
        if (same) {
            return side;
        }
        List<Expr> projections = new ArrayList<>(Exprs.identity(side.schema()));
        projections.add(expressions.casts().cast(new Expr.Input(keys.get(i), from), type));
        List<String> names = new ArrayList<>(
                side.schema().columns().stream().map(Column::name).toList());
        names.add("$" + names.get(keys.get(i)) + "_key");
        keys.set(i, projections.size() - 1);
        return Calcs.calc(side, null, projections, names);
    }

    private static Expr shiftRight(Expr residual, int leftWidth, int by) {
        return Exprs.map(residual, e -> {
            int index = ((Expr.Input) e).index();
            return index < leftWidth ? e : new Expr.Input(index + by, e.type());
        });
    }

    /** Keys in an order by which one side is distributed already, if all keys are covered. */
    private static Keys ordered(Keys keys, Built left, Built right) {
        Optional<List<Integer>> byLeft = left.hashOver(keys.left());
        Optional<List<Integer>> byRight = right.hashOver(keys.right());
        boolean distinct = keys.left().stream().distinct().count()
                        == keys.left().size()
                && keys.right().stream().distinct().count() == keys.right().size();
        if (!distinct) {
            return keys;
        }
        if (byLeft.isPresent()) {
            return keys.reordered(
                    byLeft.get().stream().map(keys.left()::indexOf).toList());
        }
        if (byRight.isPresent()) {
            return keys.reordered(
                    byRight.get().stream().map(keys.right()::indexOf).toList());
        }
        return keys;
    }

    private static List<Expr> without(Schema joined, int leftWidth, int paddedLeft, int rightWidth, JoinKind kind) {
        List<Expr> out = new ArrayList<>();
        for (int i = 0; i < leftWidth; i++) {
            out.add(new Expr.Input(i, joined.type(i)));
        }
        if (kind != JoinKind.SEMI && kind != JoinKind.ANTI && kind != JoinKind.NULL_AWARE_ANTI) {
            for (int i = paddedLeft; i < paddedLeft + rightWidth; i++) {
                out.add(new Expr.Input(i, joined.type(i)));
            }
        }
        return out;
    }

    /** @param equal {@code keys} and the columns that are equal because they are */
    private static Built node(Built left, Built right, JoinKind kind, Keys keys, Keys equal, @Nullable Expr residual) {
        boolean leftOnly = kind == JoinKind.SEMI || kind == JoinKind.ANTI || kind == JoinKind.NULL_AWARE_ANTI;
        boolean padsLeft = kind == JoinKind.RIGHT || kind == JoinKind.FULL;
        boolean padsRight = kind == JoinKind.LEFT || kind == JoinKind.FULL;
        List<Column> columns = new ArrayList<>();
        left.schema().columns().forEach(c -> columns.add(padsLeft ? nullable(c) : c));
        if (!leftOnly) {
            right.schema().columns().forEach(c -> columns.add(padsRight ? nullable(c) : c));
        }
        int shift = left.schema().size();
        List<Integer> rightKeysAbove = keys.right().stream().map(k -> k + shift).toList();
        List<List<Integer>> hashes = new ArrayList<>();
        boolean single = left.isSingle() && right.isSingle();
        if (!single && !keys.left().isEmpty()) {
            if (!padsLeft) {
                hashes.add(keys.left());
            }
            if (!padsRight && !leftOnly) {
                hashes.add(rightKeysAbove);
            }
        }
        Distribution distribution = single
                ? new Distribution.Single()
                : hashes.isEmpty() ? new Distribution.Any() : new Distribution.Hash(hashes.get(0));
        boolean appendOnly = (kind == JoinKind.INNER || kind == JoinKind.SEMI)
                && left.traits().appendOnly()
                && right.traits().appendOnly();
        Traits traits = new Traits(
                distribution,
                appendOnly,
                uniqueKeys(left, right, kind, keys, shift),
                watermarked(left, right, kind, equal, shift));
        return new Built(
                new PlanNode.Join(
                        left.node(),
                        right.node(),
                        kind,
                        keys.left(),
                        keys.right(),
                        keys.nullSafe(),
                        residual,
                        new Schema(columns),
                        traits),
                hashes);
    }

    /** Old rows of one side meet new ones of the other: only what is equal on both is bounded, where it is not padded with NULLs. */
    private static List<Traits.Watermarked> watermarked(Built left, Built right, JoinKind kind, Keys equal, int shift) {
        List<Traits.Watermarked> l = left.traits().watermarked();
        List<Traits.Watermarked> r = right.traits().watermarked();
        List<Traits.Watermarked> out = new ArrayList<>();
        if (kind != JoinKind.RIGHT && kind != JoinKind.FULL) {
            out.addAll(Watermarks.both(l, r, equal.left(), equal.right()));
        }
        if (kind == JoinKind.INNER || kind == JoinKind.RIGHT) {
            for (Traits.Watermarked w : Watermarks.both(r, l, equal.right(), equal.left())) {
                out.add(new Traits.Watermarked(w.column() + shift, w.reader(), w.lagMicros()));
            }
        }
        return out;
    }

    private static Column nullable(Column column) {
        return new Column(column.name(), column.type().withNullable(true));
    }

    /**
     * A side whose join keys cover a unique key of it matches each row of the other side at most once, so the other side's keys stay unique. Otherwise
     * a key of each side together is unique. Keys of a side that is padded with NULLs are no keys of the result.
     */
    private static List<List<Integer>> uniqueKeys(Built left, Built right, JoinKind kind, Keys keys, int shift) {
        List<List<Integer>> leftUnique = left.traits().uniqueKeys();
        List<List<Integer>> rightUnique = right.traits().uniqueKeys().stream()
                .map(k -> k.stream().map(c -> c + shift).toList())
                .toList();
        if (kind == JoinKind.SEMI || kind == JoinKind.ANTI || kind == JoinKind.NULL_AWARE_ANTI) {
            return leftUnique;
        }
        boolean leftMatchesOnce = leftUnique.stream().anyMatch(keys.left()::containsAll);
        boolean rightMatchesOnce = right.traits().uniqueKeys().stream().anyMatch(keys.right()::containsAll);
        List<List<Integer>> out = new ArrayList<>();
        if (rightMatchesOnce && (kind == JoinKind.INNER || kind == JoinKind.LEFT)) {
            out.addAll(leftUnique);
        }
        if (leftMatchesOnce && (kind == JoinKind.INNER || kind == JoinKind.RIGHT)) {
            out.addAll(rightUnique);
        }
        if (out.isEmpty()) {
            for (List<Integer> l : leftUnique) {
                for (List<Integer> r : rightUnique) {
                    out.add(Stream.concat(l.stream(), r.stream()).toList());
                }
            }
        }
        return out.stream().distinct().toList();
    }
}
