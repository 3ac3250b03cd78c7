package io.tailwater.executor.expr;

import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

/**
 * Where generated code keeps the value of an expression for the current row.
 *
 * @param type what the value means
 * @param form how many Java variables hold it
 * @param isNull a Java expression without side effects: a variable, {@code true} or {@code false}
 * @param first a Java expression without side effects, mostly a variable
 * @param second the other half, or empty
 * @param digits for a DECIMAL, a bound on the digits of its unscaled value, which may be tighter than the type's
 * @param scratch for text, whether its bytes may lie in the scratch area of {@link Registers}, rather than in an input or a constant
 */
record Val(DataType type, Form form, String isNull, String first, String second, int digits, boolean scratch) {
    enum Form {
        /** One variable of {@link Val#javaType}; a DECIMAL whose unscaled value fits 64 bits is a long. */
        PRIMITIVE,
        /** A DECIMAL as low and high half. */
        WIDE,
        /** Text as the address of a 16-byte string view. */
        SLOT,
        /** Text as the address of its bytes and its length. */
        SPAN
    }

    static Val of(DataType type, Form form, String isNull, String first, String second) {
        return new Val(
                type, form, isNull, first, second, type.kind() == TypeKind.DECIMAL ? type.precision() : 0, false);
    }

    static Val primitive(DataType type, String isNull, String first) {
        return of(type, Form.PRIMITIVE, isNull, first, "");
    }

    Val withNull(String other) {
        return new Val(type, form, other, first, second, digits, scratch);
    }

    Val withType(DataType other) {
        return new Val(other, form, isNull, first, second, digits, scratch);
    }

    Val withDigits(int bound) {
        return new Val(type, form, isNull, first, second, bound, scratch);
    }

    Val withScratch(boolean now) {
        return new Val(type, form, isNull, first, second, digits, now);
    }

    Val withForm(Form other) {
        return new Val(type, other, isNull, first, second, digits, scratch);
    }

    TypeKind kind() {
        return type.kind();
    }

    boolean neverNull() {
        return isNull.equals("false");
    }

    boolean alwaysNull() {
        return isNull.equals("true");
    }

    /** The low half of a DECIMAL. */
    String low() {
        return first;
    }

    /** The high half of a DECIMAL. */
    String high() {
        return form == Form.WIDE ? second : "(" + first + " >> 63)";
    }

    /** The Java type of the first variable. */
    String javaType() {
        return form == Form.PRIMITIVE ? javaType(type.kind()) : "long";
    }

    static String javaType(TypeKind kind) {
        return switch (kind) {
            case BOOLEAN -> "boolean";
            case TINYINT, SMALLINT, INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL -> "int";
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME, DECIMAL, VARCHAR, VARBINARY -> "long";
            case REAL -> "float";
            case DOUBLE -> "double";
        };
    }

    /** The form that every value of a type can take. */
    static Form form(DataType type) {
        return switch (type.kind()) {
            case DECIMAL -> type.precision() <= 18 ? Form.PRIMITIVE : Form.WIDE;
            case VARCHAR, VARBINARY -> Form.SPAN;
            default -> Form.PRIMITIVE;
        };
    }

    /** A harmless value of the first variable. */
    static String zero(String javaType, Form form) {
        return switch (form) {
            case SLOT -> "Registers.emptySlot()";
            case SPAN, WIDE -> "0L";
            case PRIMITIVE ->
                switch (javaType) {
                    case "boolean" -> "false";
                    case "int" -> "0";
                    case "float" -> "0f";
                    case "double" -> "0d";
                    default -> "0L";
                };
        };
    }

    /** The NULL of a type. */
    static Val nullOf(DataType type) {
        Form form = form(type);
        String zero = zero(javaType(type.kind()), form);
        String second = switch (form) {
            case WIDE -> "0L";
            case SPAN -> "0";
            default -> "";
        };
        return of(type, form, "true", zero, second);
    }
}
