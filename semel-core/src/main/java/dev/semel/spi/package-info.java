/** What an adapter to a broker implements, and the named steps of the protocol. */
@NullMarked
package dev.semel.spi;

import org.jspecify.annotations.NullMarked;
