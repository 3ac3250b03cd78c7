package io.tailwater.planner.validate;

import org.apache.calcite.sql.type.SqlTypeFactoryImpl;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Strings are UTF-8. One for each statement; not thread-safe. */
public final class TypeFactory extends SqlTypeFactoryImpl {
    public TypeFactory() {
        super(TypeSystem.INSTANCE);
    }

    @Override
    public Charset getDefaultCharset() {
        return StandardCharsets.UTF_8;
    }
}
