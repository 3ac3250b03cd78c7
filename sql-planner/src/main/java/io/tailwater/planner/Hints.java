package io.tailwater.planner;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.planner.validate.Positions;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlHint;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlTableRef;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Takes the hints out of a query, so that the validator never meets them: {@code OPTIONS('start' = 'latest')} and {@code JOB('name')}. */
final class Hints extends SqlShuttle {
    private final String sql;
    private final Map<String, String> options = new TreeMap<>();
    private @Nullable String job;

    Hints(String sql) {
        this.sql = sql;
    }

    /** The query without its hints. */
    SqlNode strip(SqlNode query) {
        SqlNode stripped = query.accept(this);
        if (stripped == null) {
            throw new AssertionError("a query vanished");
        }
        return stripped;
    }

    @Nullable String job() {
        return job;
    }

    boolean latest() {
        return "latest".equals(options.get("start"));
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        if (call instanceof SqlTableRef ref) {
            add((SqlNodeList) ref.operand(1));
            return ((SqlNode) ref.operand(0)).accept(this);
        }
        if (call instanceof SqlSelect select && select.hasHints()) {
            add(select.getHints());
            select.setHints(SqlNodeList.EMPTY);
        }
        return super.visit(call);
    }

    private void add(SqlNodeList hints) {
        for (SqlNode node : hints) {
            SqlHint hint = (SqlHint) node;
            int at = Positions.offset(sql, hint.getParserPosition());
            switch (hint.getName().toUpperCase(Locale.ROOT)) {
                case "OPTIONS" -> hint.getOptionKVPairs().forEach((key, value) -> option(key, value, at));
                case "JOB" -> {
                    if (hint.getOptionList().size() != 1) {
                        throw error("JOB takes one name: JOB('name')", at);
                    }
                    job = hint.getOptionList().get(0);
                }
                default -> throw error("hint " + hint.getName() + " is not known", at);
            }
        }
    }

    private void option(String key, String value, int at) {
        if (!key.equalsIgnoreCase("start")) {
            throw error("option \"" + key + "\" is not known in a hint", at);
        }
        String start = value.toLowerCase(Locale.ROOT);
        if (!start.equals("latest") && !start.equals("earliest")) {
            throw error("start must be 'latest' or 'earliest', not '" + value + "'", at);
        }
        options.put("start", start);
    }

    private static StreamException error(String message, int at) {
        return new StreamException(
                ErrorCode.INVALID_PARAMETER_VALUE,
                message,
                at,
                "hints are OPTIONS('start' = 'latest') and JOB('name')",
                null);
    }
}
