package io.tailwater.planner.validate;

import io.tailwater.planner.parser.TailwaterParser;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.avatica.util.Quoting;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.validate.SqlConformance;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.apache.calcite.sql.validate.SqlDelegatingConformance;

/** Standard SQL, opened where users of PostgreSQL, Flink SQL or RisingWave expect it. Immutable. */
public final class Dialect extends SqlDelegatingConformance {
    public static final SqlConformance CONFORMANCE = new Dialect();

    public static final SqlParser.Config PARSER = SqlParser.config()
            .withParserFactory(TailwaterParser.FACTORY)
            .withQuoting(Quoting.DOUBLE_QUOTE)
            .withUnquotedCasing(Casing.TO_LOWER)
            .withQuotedCasing(Casing.UNCHANGED)
            .withCaseSensitive(false)
            .withIdentifierMaxLength(128)
            .withConformance(CONFORMANCE);

    private Dialect() {
        super(SqlConformanceEnum.DEFAULT);
    }

    @Override
    public boolean isGroupByAlias() {
        return true;
    }

    @Override
    public boolean isGroupByOrdinal() {
        return true;
    }

    @Override
    public boolean isFromRequired() {
        return false;
    }

    @Override
    public boolean isBangEqualAllowed() {
        return true;
    }

    @Override
    public boolean isPercentRemainderAllowed() {
        return true;
    }

    @Override
    public boolean allowNiladicParentheses() {
        return true;
    }

    @Override
    public boolean isOffsetLimitAllowed() {
        return true;
    }

    @Override
    public boolean allowPluralTimeUnits() {
        return true;
    }

    @Override
    public boolean shouldConvertRaggedUnionTypesToVarying() {
        return true;
    }
}
