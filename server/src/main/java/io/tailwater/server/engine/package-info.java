/**
 * The engine as the SQL layer sees it: storage of streams and tables, continuous jobs, bounded and push queries. Start at {@link
 * io.tailwater.server.engine.Engine}.
 */
@NullMarked
package io.tailwater.server.engine;

import org.jspecify.annotations.NullMarked;
