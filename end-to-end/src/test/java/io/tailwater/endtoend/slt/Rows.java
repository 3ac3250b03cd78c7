package io.tailwater.endtoend.slt;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

/**
 * The rows of a result as text. Immutable.
 *
 * @param types a letter for each column, see {@link Script}
 */
record Rows(String types, List<List<String>> rows) {
    private static final int DOUBLE_DIGITS = 10;

    Rows {
        rows = List.copyOf(rows);
    }

    static Rows of(ResultSet result) throws SQLException {
        ResultSetMetaData columns = result.getMetaData();
        StringBuilder types = new StringBuilder();
        for (int column = 1; column <= columns.getColumnCount(); column++) {
            types.append(letter(columns.getColumnType(column)));
        }
        List<List<String>> rows = new ArrayList<>();
        while (result.next()) {
            List<String> row = new ArrayList<>();
            for (int column = 1; column <= types.length(); column++) {
                row.add(text(result.getString(column)));
            }
            rows.add(row);
        }
        return new Rows(types.toString(), rows);
    }

    /** The rows that lines of a script stand for. */
    static Rows parse(String types, List<String> lines) {
        return new Rows(
                types,
                lines.stream().map(line -> Arrays.asList(line.split("\t", -1))).toList());
    }

    private static char letter(int type) {
        return switch (type) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> 'I';
            case Types.DECIMAL, Types.NUMERIC, Types.REAL, Types.FLOAT, Types.DOUBLE -> 'R';
            case Types.CHAR, Types.VARCHAR -> 'T';
            case Types.BOOLEAN, Types.BIT -> 'B';
            case Types.DATE, Types.TIME, Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE -> 'D';
            default -> '?';
        };
    }

    private static String text(@Nullable String value) {
        if (value == null) {
            return "NULL";
        }
        return value.isEmpty()
                ? "(empty)"
                : value.replace("\\", "\\\\")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r")
                        .replace("\t", "\\t");
    }

    /** One line for each row, in order; of one value each with {@link Script.Sort#VALUESORT}. */
    List<String> lines(Script.Sort sort) {
        List<String> out = new ArrayList<>();
        for (List<String> row : rows) {
            if (sort == Script.Sort.VALUESORT) {
                out.addAll(row);
            } else {
                out.add(String.join("\t", row));
            }
        }
        if (sort != Script.Sort.NOSORT) {
            Collections.sort(out);
        }
        return out;
    }

    /** The line that stands for a long result. */
    String hash(Script.Sort sort) {
        try {
            MessageDigest md5 = MessageDigest.getInstance("MD5");
            int values = 0;
            for (String line : lines(sort)) {
                for (String value : line.split("\t", -1)) {
                    md5.update((value + "\n").getBytes(StandardCharsets.UTF_8));
                    values++;
                }
            }
            return values + " values hashing to " + HexFormat.of().formatHex(md5.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * These rows with numbers and times in a form that does not depend on who computed them: no zeros at the end, ten digits of a number that is not whole. The
     * types decide what is a number; {@code as} gives them, since engines differ in whether a sum is a DECIMAL or a BIGINT.
     */
    Rows canonical(String as) {
        List<List<String>> out = new ArrayList<>();
        for (List<String> row : rows) {
            List<String> values = new ArrayList<>();
            for (int column = 0; column < row.size(); column++) {
                values.add(canonical(row.get(column), column < as.length() ? as.charAt(column) : '?'));
            }
            out.add(values);
        }
        return new Rows(as, out);
    }

    private static String canonical(String value, char type) {
        if (value.equals("NULL")) {
            return value;
        }
        switch (type) {
            case 'I', 'R' -> {
                try {
                    BigDecimal number = new BigDecimal(value);
                    BigDecimal rounded =
                            number.round(new MathContext(DOUBLE_DIGITS)).stripTrailingZeros();
                    return type == 'I' || rounded.signum() == 0
                            ? number.stripTrailingZeros().toPlainString()
                            : rounded.toPlainString();
                } catch (NumberFormatException e) {
                    return value;
                }
            }
            case 'D' -> {
                String seconds = value.matches("\\d\\d:\\d\\d") ? value + ":00" : value;
                return seconds.replaceFirst("(:\\d\\d)\\.(\\d*?)0*$", "$1.$2").replaceFirst("\\.$", "");
            }
            default -> {
                return value;
            }
        }
    }
}
