/** Types, errors, time: what needs only the JDK. */
@NullMarked
package io.tailwater.common;

import org.jspecify.annotations.NullMarked;
