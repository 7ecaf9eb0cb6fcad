/**
 * Judges from outside, by recorder files, the database and the queues, whether every message had
 * its effect once.
 */
@NullMarked
package dev.semel.checker;

import org.jspecify.annotations.NullMarked;
