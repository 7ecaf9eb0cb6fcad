/** What users of Semel call: settings, messages, handlers, the inbox and the worker. */
@NullMarked
package dev.semel;

import org.jspecify.annotations.NullMarked;
