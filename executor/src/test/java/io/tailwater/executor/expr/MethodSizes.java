package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Reads how long the methods of a generated class are. */
final class MethodSizes {
    private MethodSizes() {}

    /** Bytecodes of the longest method, the constructor aside, of a kernel that computes the expression, as a filter too if it is a condition. */
    static int largest(Expr expr, boolean nulls) {
        Expr normal = Shape.normal(expr);
        Expr condition = normal.type().kind() == io.tailwater.common.type.TypeKind.BOOLEAN ? normal : null;
        String source = new KernelWriter(nulls).write(condition, List.of(new KernelWriter.Output(0, normal)));
        return largest(KernelCache.compile(source));
    }

    static int largest(byte[] classFile) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile))) {
            in.skipNBytes(8);
            String[] texts = constants(in);
            in.skipNBytes(6);
            in.skipNBytes(2L * in.readUnsignedShort());
            int largest = 0;
            for (int kind = 0; kind < 2; kind++) {
                for (int members = in.readUnsignedShort(); members > 0; members--) {
                    in.skipNBytes(2);
                    // A constructor runs once.
                    boolean counts = !"<init>".equals(texts[in.readUnsignedShort()]);
                    in.skipNBytes(2);
                    for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                        String name = texts[in.readUnsignedShort()];
                        int length = in.readInt();
                        if ("Code".equals(name)) {
                            in.skipNBytes(4);
                            int bytes = in.readInt();
                            largest = counts ? Math.max(largest, bytes) : largest;
                            length -= 8;
                        }
                        in.skipNBytes(length);
                    }
                }
            }
            return largest;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String[] constants(DataInputStream in) throws IOException {
        String[] texts = new String[in.readUnsignedShort()];
        for (int i = 1; i < texts.length; i++) {
            switch (in.readUnsignedByte()) {
                case 1 -> texts[i] = in.readUTF();
                case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
                case 5, 6 -> {
                    in.skipNBytes(8);
                    i++;
                }
                case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
                case 15 -> in.skipNBytes(3);
                default -> throw new IOException("constant pool");
            }
        }
        return texts;
    }
}
