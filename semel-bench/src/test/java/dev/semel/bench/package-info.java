@NullMarked
package dev.semel.bench;

import org.jspecify.annotations.NullMarked;
