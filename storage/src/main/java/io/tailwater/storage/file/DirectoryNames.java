package io.tailwater.storage.file;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Any text as one name of a directory, and back: letters, digits, {@code _ - .} stay, other bytes become {@code %XX}. A leading dot is escaped, so that no
 * name is hidden or leads upwards. Stateless.
 */
public final class DirectoryNames {
    private static final int LONGEST = 255;
    private static final String PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    private static final Pattern ENCODED =
            Pattern.compile("(?:[A-Za-z0-9_-]|%[0-9a-f]{2})(?:[A-Za-z0-9_.-]|%[0-9a-f]{2})*");

    private DirectoryNames() {}

    /**
     * The name of a directory that stands for {@code text}.
     *
     * @throws io.tailwater.common.error.StreamException 22023 if file systems could not hold the name
     */
    public static String encode(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (PLAIN.indexOf(b) >= 0 || (b == '.' && out.length() > 0)) {
                out.append((char) b);
            } else {
                out.append('%').append(Character.forDigit((b >> 4) & 15, 16)).append(Character.forDigit(b & 15, 16));
            }
        }
        if (out.length() > LONGEST || out.length() == 0) {
            throw new io.tailwater.common.error.StreamException(
                    io.tailwater.common.error.ErrorCode.INVALID_PARAMETER_VALUE,
                    "the name \"" + text + "\" cannot be stored: " + out.length() + " bytes as a directory, 1 to "
                            + LONGEST + " are allowed");
        }
        return out.toString();
    }

    /** Whether {@link #encode} makes such names. */
    public static boolean isEncoded(String directory) {
        return ENCODED.matcher(directory).matches();
    }

    /** What {@link #encode} made the name of. */
    public static String decode(String directory) {
        byte[] out = new byte[directory.length()];
        int n = 0;
        for (int i = 0; i < directory.length(); i++) {
            char c = directory.charAt(i);
            if (c == '%' && i + 2 < directory.length()) {
                out[n++] = (byte) Integer.parseInt(directory.substring(i + 1, i + 3), 16);
                i += 2;
            } else {
                out[n++] = (byte) c;
            }
        }
        return new String(out, 0, n, StandardCharsets.UTF_8);
    }
}
