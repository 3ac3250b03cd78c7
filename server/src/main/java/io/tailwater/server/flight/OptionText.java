package io.tailwater.server.flight;

import org.apache.arrow.flight.SessionOptionValueVisitor;

/** A Flight session option as the text that SET would take. */
enum OptionText implements SessionOptionValueVisitor<String> {
    INSTANCE;

    @Override
    public String visit(String value) {
        return value;
    }

    @Override
    public String visit(boolean value) {
        return String.valueOf(value);
    }

    @Override
    public String visit(long value) {
        return String.valueOf(value);
    }

    @Override
    public String visit(double value) {
        return String.valueOf(value);
    }

    @Override
    public String visit(String[] value) {
        return String.join(",", value);
    }

    @Override
    public String visit(Void value) {
        return "";
    }
}
