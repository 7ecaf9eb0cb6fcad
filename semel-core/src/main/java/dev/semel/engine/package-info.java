/**
 * The machine: one class per table, one class per protocol, and one public door, {@link
 * dev.semel.engine.Engine}.
 */
@NullMarked
package dev.semel.engine;

import org.jspecify.annotations.NullMarked;
