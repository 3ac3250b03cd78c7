package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Seeded expressions of any wanted type over the columns of {@link #SCHEMA}. */
final class RandomExpr {
    static final Schema SCHEMA = Schema.of(
            new Column("b1", DataType.BOOLEAN),
            new Column("b2", DataType.BOOLEAN),
            new Column("i1", DataType.INTEGER),
            new Column("i2", DataType.INTEGER),
            new Column("s1", DataType.SMALLINT),
            new Column("l1", DataType.BIGINT),
            new Column("l2", DataType.BIGINT),
            new Column("f1", DataType.DOUBLE),
            new Column("f2", DataType.DOUBLE),
            new Column("d1", DataType.decimal(9, 2)),
            new Column("d2", DataType.decimal(18, 4)),
            new Column("d3", DataType.decimal(38, 10)),
            new Column("t1", DataType.VARCHAR),
            new Column("t2", DataType.VARCHAR),
            new Column("a1", DataType.DATE),
            new Column("p1", DataType.TIMESTAMP));

    private static final DataType[] NUMBERS = {
        DataType.SMALLINT,
        DataType.INTEGER,
        DataType.BIGINT,
        DataType.DOUBLE,
        DataType.decimal(9, 2),
        DataType.decimal(18, 4),
        DataType.decimal(19, 0),
        DataType.decimal(38, 10)
    };
    private static final Function[] COMPARISONS = {
        Function.EQ,
        Function.NE,
        Function.LT,
        Function.LE,
        Function.GT,
        Function.GE,
        Function.IS_DISTINCT_FROM,
        Function.IS_NOT_DISTINCT_FROM
    };

    private final Random random;

    RandomExpr(Random random) {
        this.random = random;
    }

    private <T> T one(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    Expr any(int depth) {
        List<DataType> types = new ArrayList<>(List.of(NUMBERS));
        types.addAll(List.of(DataType.BOOLEAN, DataType.BOOLEAN, DataType.VARCHAR, DataType.DATE, DataType.TIMESTAMP));
        return of(one(types), depth);
    }

    Expr of(DataType type, int depth) {
        int choice = random.nextInt(10);
        if (depth == 0 || choice == 0) {
            return leaf(type);
        }
        if (choice == 1) {
            List<Expr> operands = new ArrayList<>();
            for (int branches = random.nextInt(1, 4); branches > 0; branches--) {
                operands.add(of(DataType.BOOLEAN, depth - 1));
                operands.add(of(type, depth - 1));
            }
            operands.add(of(type, depth - 1));
            return new Expr.Call(Function.CASE, operands, type);
        }
        if (choice == 2) {
            return Expr.call(Function.COALESCE, type, of(type, depth - 1), of(type, depth - 1));
        }
        if (choice == 3 && type.kind() != TypeKind.BOOLEAN) {
            Function function = random.nextBoolean() ? Function.GREATEST : Function.LEAST;
            return Expr.call(function, type, of(type, depth - 1), of(type, depth - 1));
        }
        return switch (type.kind()) {
            case BOOLEAN -> condition(depth);
            case VARCHAR -> text(depth);
            case DATE -> Expr.call(Function.CAST, type, of(DataType.TIMESTAMP, depth - 1));
            case TIMESTAMP -> timestamp(depth);
            default -> number(type, depth);
        };
    }

    private Expr leaf(DataType type) {
        List<Expr> leaves = new ArrayList<>();
        for (int c = 0; c < SCHEMA.size(); c++) {
            if (SCHEMA.type(c).sameAs(type)) {
                leaves.add(new Expr.Input(c, SCHEMA.type(c)));
            }
        }
        if (leaves.isEmpty() || random.nextInt(4) == 0) {
            boolean none = random.nextInt(8) == 0;
            return new Expr.Literal(none ? null : Scalar.text(RandomValues.value(type, random)), type);
        }
        return one(leaves);
    }

    private Expr condition(int depth) {
        return switch (random.nextInt(7)) {
            case 0, 1 -> {
                List<Expr> operands = new ArrayList<>();
                for (int count = random.nextInt(2, 4); count > 0; count--) {
                    operands.add(of(DataType.BOOLEAN, depth - 1));
                }
                yield new Expr.Call(random.nextBoolean() ? Function.AND : Function.OR, operands, DataType.BOOLEAN);
            }
            case 2 ->
                Expr.call(
                        one(List.of(
                                Function.NOT,
                                Function.IS_TRUE,
                                Function.IS_NOT_TRUE,
                                Function.IS_FALSE,
                                Function.IS_NOT_FALSE)),
                        DataType.BOOLEAN,
                        of(DataType.BOOLEAN, depth - 1));
            case 3 ->
                Expr.call(
                        random.nextBoolean() ? Function.IS_NULL : Function.IS_NOT_NULL,
                        DataType.BOOLEAN,
                        any(depth - 1));
            case 4 ->
                random.nextBoolean()
                        ? Expr.call(
                                Function.LIKE,
                                DataType.BOOLEAN,
                                of(DataType.VARCHAR, depth - 1),
                                new Expr.Literal(
                                        one(List.of("%a%", "_b%", "%", "a,b%", "%e", "日_語%")), DataType.VARCHAR))
                        : Expr.call(
                                Function.STARTS_WITH,
                                DataType.BOOLEAN,
                                of(DataType.VARCHAR, depth - 1),
                                of(DataType.VARCHAR, depth - 1));
            default -> {
                Expr left = any(depth - 1);
                yield Expr.call(one(List.of(COMPARISONS)), DataType.BOOLEAN, left, of(left.type(), depth - 1));
            }
        };
    }

    private Expr number(DataType type, int depth) {
        int choice = random.nextInt(8);
        if (choice == 0) {
            return Expr.call(
                    random.nextBoolean() ? Function.CAST : Function.TRY_CAST,
                    type,
                    of(one(List.of(NUMBERS)), depth - 1));
        }
        if (choice == 1 && type.kind() != TypeKind.DOUBLE) {
            return Expr.call(
                    random.nextInt(4) == 0 ? Function.CAST : Function.TRY_CAST, type, of(DataType.VARCHAR, depth - 1));
        }
        if (choice == 2) {
            return Expr.call(random.nextBoolean() ? Function.NEGATE : Function.ABS, type, of(type, depth - 1));
        }
        if (choice == 3 && type.kind() == TypeKind.BIGINT) {
            return switch (random.nextInt(3)) {
                case 0 -> Expr.call(Function.CHAR_LENGTH, type, of(DataType.VARCHAR, depth - 1));
                case 1 ->
                    Expr.call(
                            Function.POSITION, type, of(DataType.VARCHAR, depth - 1), of(DataType.VARCHAR, depth - 1));
                default ->
                    Expr.call(
                            Function.EXTRACT,
                            type,
                            new Expr.Literal(
                                    one(List.of("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "DOY")),
                                    DataType.VARCHAR),
                            of(random.nextBoolean() ? DataType.DATE : DataType.TIMESTAMP, depth - 1));
            };
        }
        Function function = one(List.of(
                Function.PLUS,
                Function.PLUS,
                Function.MINUS,
                Function.MINUS,
                Function.TIMES,
                Function.DIVIDE,
                Function.MOD));
        if (type.kind() != TypeKind.DECIMAL) {
            return Expr.call(function, type, of(type, depth - 1), of(type, depth - 1));
        }
        // Operands of decimal arithmetic may differ in precision and scale.
        List<DataType> decimals =
                List.of(DataType.decimal(9, 2), DataType.decimal(18, 4), DataType.decimal(38, 10), type);
        return Expr.call(function, type, of(one(decimals), depth - 1), of(one(decimals), depth - 1));
    }

    private Expr timestamp(int depth) {
        if (random.nextBoolean()) {
            return Expr.call(Function.CAST, DataType.TIMESTAMP, of(DataType.DATE, depth - 1));
        }
        if (random.nextBoolean()) {
            DataType interval = new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, false);
            return Expr.call(
                    Function.TUMBLE_START,
                    DataType.TIMESTAMP,
                    of(DataType.TIMESTAMP, depth - 1),
                    new Expr.Literal(one(List.of("7", "1000000", "3600000000")), interval),
                    new Expr.Literal("0", interval));
        }
        return Expr.call(
                Function.FLOOR_TO,
                DataType.TIMESTAMP,
                of(DataType.TIMESTAMP, depth - 1),
                new Expr.Literal(one(List.of("YEAR", "MONTH", "DAY", "HOUR")), DataType.VARCHAR));
    }

    private Expr text(int depth) {
        DataType type = DataType.VARCHAR;
        return switch (random.nextInt(9)) {
            case 0 -> Expr.call(Function.LOWER, type, of(type, depth - 1));
            case 1 -> Expr.call(Function.UPPER, type, of(type, depth - 1));
            case 2 -> Expr.call(Function.CONCAT, type, of(type, depth - 1), of(type, depth - 1));
            case 3 -> Expr.call(Function.SUBSTRING, type, of(type, depth - 1), small(), small());
            case 4 ->
                Expr.call(random.nextBoolean() ? Function.LEFT : Function.RIGHT, type, of(type, depth - 1), small());
            case 5 -> Expr.call(Function.REPLACE, type, of(type, depth - 1), of(type, depth - 1), of(type, depth - 1));
            case 6 -> Expr.call(Function.REVERSE, type, of(type, depth - 1));
            case 7 ->
                Expr.call(
                        Function.SPLIT_INDEX,
                        type,
                        of(type, depth - 1),
                        new Expr.Literal(one(List.of(",", "/", "//", "e")), type),
                        small());
            default ->
                Expr.call(
                        Function.CAST,
                        random.nextInt(4) == 0 ? DataType.varchar(6) : type,
                        of(
                                one(List.of(
                                        DataType.BIGINT,
                                        DataType.INTEGER,
                                        DataType.decimal(18, 4),
                                        DataType.decimal(38, 10),
                                        DataType.DATE,
                                        DataType.TIMESTAMP)),
                                depth - 1));
        };
    }

    private Expr small() {
        return new Expr.Literal(Integer.toString(random.nextInt(-2, 8)), DataType.INTEGER);
    }
}
