/** Benchmarks: contenders on the same servers, in turn, and what they did is checked. */
@NullMarked
package dev.semel.bench;

import org.jspecify.annotations.NullMarked;
