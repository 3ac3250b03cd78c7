/**
 * How rows are written: table, vertical, csv, tsv, json, markdown. Invariant: a value's text does not depend on locale or default time zone. Start at
 * {@link io.tailwater.cli.format.Format}.
 */
@NullMarked
package io.tailwater.cli.format;

import org.jspecify.annotations.NullMarked;
