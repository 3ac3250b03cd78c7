/**
 * JMH benchmarks of the kernels. They are built with everything else and run by hand:
 *
 * <pre>
 *   mvn -q -pl benchmarks -am package -DskipTests dependency:copy-dependencies -DincludeScope=runtime
 *   java -cp 'benchmarks/target/classes:benchmarks/target/dependency/*' org.openjdk.jmh.Main Aggregate -prof gc
 * </pre>
 *
 * <p>Figures count rows. Start at {@link io.tailwater.benchmarks.Inputs}, what all of them are fed with.
 */
@NullMarked
package io.tailwater.benchmarks;

import org.jspecify.annotations.NullMarked;
