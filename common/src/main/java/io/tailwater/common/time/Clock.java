package io.tailwater.common.time;

/** Time as the system sees it. Production wraps the JDK's clocks ({@link #SYSTEM}); simulation advances one by hand. */
public interface Clock {
    Clock SYSTEM = new Clock() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long wallMicros() {
            java.time.Instant now = java.time.Instant.now();
            return now.getEpochSecond() * 1_000_000L + now.getNano() / 1_000;
        }
    };

    /** Monotonic nanoseconds; only differences mean anything. */
    long nanoTime();

    /** Microseconds since 1970-01-01T00:00:00Z. */
    long wallMicros();
}
