/**
 * The command line {@code semel}: verbs, options, and errors that name the thing and the remedy.
 */
@NullMarked
package dev.semel.worker;

import org.jspecify.annotations.NullMarked;
