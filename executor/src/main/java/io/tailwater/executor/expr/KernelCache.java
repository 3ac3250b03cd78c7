package io.tailwater.executor.expr;

import org.codehaus.commons.compiler.CompileException;
import org.codehaus.janino.SimpleCompiler;

import java.lang.invoke.MethodHandles;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Generated classes by their source. Constants are constructor arguments, so two queries of one shape have one source and one class. The least
 * recently used class is forgotten past the bound; classes are hidden, so they unload with their last kernel. Thread-safe.
 */
final class KernelCache {
    static final int MAX_CLASSES = 512;
    /** HotSpot never compiles a method longer than this. */
    static final int MAX_METHOD_BYTES = 8000;

    private static final Map<String, Class<?>> CLASSES = new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Class<?>> eldest) {
            return size() > MAX_CLASSES;
        }
    };

    private KernelCache() {}

    /** A kernel of this source, a class {@code Generated} of this package, with these constants. */
    static Kernel instantiate(String source, Object[] constants) {
        Class<?> kernel;
        synchronized (CLASSES) {
            kernel = CLASSES.get(source);
            if (kernel == null) {
                kernel = define(compile(source));
                CLASSES.put(source, kernel);
            }
        }
        try {
            return (Kernel) kernel.getDeclaredConstructor(Object[].class).newInstance((Object) constants);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(source, e);
        }
    }

    /** How many classes are cached, for tests. */
    static int size() {
        synchronized (CLASSES) {
            return CLASSES.size();
        }
    }

    static byte[] compile(String source) {
        SimpleCompiler compiler = new SimpleCompiler();
        compiler.setParentClassLoader(Kernel.class.getClassLoader());
        compiler.setDebuggingInformation(false, false, false);
        try {
            compiler.cook(source);
        } catch (CompileException e) {
            throw new AssertionError("generated code does not compile: " + e.getMessage() + "\n" + source, e);
        }
        Map<String, byte[]> classes = compiler.getBytecodes();
        if (classes.size() != 1) {
            throw new AssertionError("one class expected, got " + classes.keySet());
        }
        return classes.values().iterator().next();
    }

    private static Class<?> define(byte[] bytecode) {
        try {
            // Hidden: same package, so that generated code may use what the package keeps to itself, and unloadable.
            return MethodHandles.lookup().defineHiddenClass(bytecode, true).lookupClass();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
