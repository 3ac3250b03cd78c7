/** What drives operators in tests: ticks cut in many ways, compared with a model and with DuckDB. */
@NullMarked
package io.tailwater.executor.harness;

import org.jspecify.annotations.NullMarked;
