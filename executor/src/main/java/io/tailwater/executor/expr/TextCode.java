package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;

/** Functions of text. */
final class TextCode {
    TextCode(ExprCompiler compiler, MethodWriter out, CastCode cast) {}

    Val compile(Expr.Call call) {
        throw ExprCompiler.unsupported(call, null);
    }
}
