/**
 * The runner of the sqllogictest scripts in {@code src/test/slt}: each script runs four ways on a server and, if it keeps to common SQL, on DuckDB as well, which
 * confirms what it expects. Start reading at {@link io.tailwater.endtoend.slt.ScriptsTest}; the format is described at {@link io.tailwater.endtoend.slt.Script}.
 */
@NullMarked
package io.tailwater.endtoend.slt;

import org.jspecify.annotations.NullMarked;
