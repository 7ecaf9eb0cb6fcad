/**
 * The demo: the same payments, the same kills, three workers in turn, and an audit by SQL. The one
 * door is {@link dev.semel.worker.demo.Demo}.
 */
@NullMarked
package dev.semel.worker.demo;

import org.jspecify.annotations.NullMarked;
