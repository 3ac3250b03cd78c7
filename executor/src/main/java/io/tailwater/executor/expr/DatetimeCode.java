package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;

/** Functions of dates, times and intervals. */
final class DatetimeCode {
    DatetimeCode(ExprCompiler compiler, MethodWriter out, CastCode cast) {}

    static boolean isDatetimeArithmetic(Expr.Call call) {
        return false;
    }

    Val compile(Expr.Call call) {
        throw ExprCompiler.unsupported(call, null);
    }

    Val arithmetic(Expr.Call call) {
        throw ExprCompiler.unsupported(call, null);
    }
}
