package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** Brings a query's rows into the form of a stored object: column order, types, lengths, NOT NULL. */
public final class Assignments {
    private final Casts casts;

    public Assignments(Casts casts) {
        this.casts = casts;
    }

    /**
     * The rows of {@code source} as rows of {@code target}.
     *
     * @param sourceOf for each target column the source column that fills it, or -1 for NULL
     * @param literal for each source column whether it holds string constants, which take any type
     * @param extra columns of the source to add behind, as they are
     * @throws StreamException 42804 if a type does not fit, 23502 if a NOT NULL column is not given
     */
    public PlanNode assign(
            PlanNode source, Schema target, int[] sourceOf, boolean[] literal, List<Integer> extra, int position) {
        List<Expr> projections = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < target.size(); i++) {
            Column column = target.column(i);
            names.add(column.name());
            if (sourceOf[i] < 0) {
                projections.add(missing(column, position));
            } else {
                Expr value = new Expr.Input(sourceOf[i], source.schema().type(sourceOf[i]));
                if (source instanceof PlanNode.Calc calc
                        && calc.projections().get(sourceOf[i]) instanceof Expr.Literal constant) {
                    value = constant;
                }
                projections.add(assign(value, column, literal[sourceOf[i]], position));
            }
        }
        for (int column : extra) {
            names.add(source.schema().column(column).name());
            projections.add(new Expr.Input(column, source.schema().type(column)));
        }
        return Calcs.calc(Built.of(source), null, projections, names).node();
    }

    /** What a column holds that is not given. */
    public Expr.Literal missing(Column column, int position) {
        if (!column.type().nullable()) {
            throw new StreamException(
                    ErrorCode.NOT_NULL_VIOLATION,
                    "column \"" + column.name() + "\" is NOT NULL and gets no value",
                    position,
                    "add it to the column list",
                    null);
        }
        return new Expr.Literal(null, column.type());
    }

    /**
     * A value as the column stores it.
     *
     * @param literal whether it is a string constant if it is text
     */
    public Expr assign(Expr value, Column column, boolean literal, int position) {
        DataType to = column.type();
        if (!assignable(value.type(), to, literal)) {
            throw new StreamException(
                    ErrorCode.DATATYPE_MISMATCH,
                    "column \"" + column.name() + "\" is of type " + to.sql() + " but expression is of type "
                            + value.type().sql(),
                    position,
                    "cast the expression: CAST(... AS " + to.sql() + ")",
                    null);
        }
        Expr converted = convert(value, column);
        if (to.nullable()) {
            return converted;
        }
        if (converted instanceof Expr.Literal constant && constant.value() == null) {
            throw new StreamException(
                    ErrorCode.NOT_NULL_VIOLATION,
                    "null value in column \"" + column.name() + "\", which is NOT NULL",
                    position,
                    null,
                    null);
        }
        return converted.type().nullable()
                ? Expr.call(Function.REQUIRE_NOT_NULL, to, converted, name(column))
                : converted;
    }

    private Expr convert(Expr value, Column column) {
        DataType from = value.type();
        DataType to = column.type();
        // Stored times keep their microseconds whatever the declared precision.
        if (from.kind() == to.kind()
                && (from.kind() == TypeKind.TIMESTAMP
                        || from.kind() == TypeKind.TIMESTAMP_LTZ
                        || from.kind() == TypeKind.TIME)) {
            return value;
        }
        if (to.kind().isView() && to.precision() != DataType.UNBOUNDED) {
            DataType unbounded = new DataType(to.kind(), DataType.UNBOUNDED, 0, true);
            Expr text = casts.cast(value, unbounded);
            return from.kind() == to.kind() && from.precision() <= to.precision() || isShortConstant(text, to)
                    ? text
                    : Expr.call(
                            Function.REQUIRE_LENGTH, to.withNullable(text.type().nullable()), text, name(column));
        }
        return casts.cast(value, to);
    }

    private static boolean isShortConstant(Expr text, DataType to) {
        return text instanceof Expr.Literal constant
                && to.kind() == TypeKind.VARCHAR
                && (constant.value() == null
                        || constant.value().codePointCount(0, constant.value().length()) <= to.precision());
    }

    private static Expr name(Column column) {
        return new Expr.Literal(column.name(), DataType.VARCHAR.notNull());
    }

    /** PostgreSQL's assignment casts: among numbers, among dates and times, anything to text; string constants to anything. */
    static boolean assignable(DataType from, DataType to, boolean literal) {
        TypeKind a = from.kind();
        TypeKind b = to.kind();
        if (a == b || a == TypeKind.NULL) {
            return true;
        }
        if (a.isNumeric() && b.isNumeric() || b == TypeKind.VARCHAR && a != TypeKind.VARBINARY) {
            return true;
        }
        if (a == TypeKind.VARCHAR) {
            return literal;
        }
        boolean dates = isDate(a) && isDate(b);
        return dates || a == TypeKind.TIMESTAMP && b == TypeKind.TIME;
    }

    private static boolean isDate(@Nullable TypeKind kind) {
        return kind == TypeKind.DATE || kind == TypeKind.TIMESTAMP || kind == TypeKind.TIMESTAMP_LTZ;
    }
}
