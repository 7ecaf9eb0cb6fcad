package dev.semel.worker.demo;

/** One planned kill: at this moment, once so many payments of this life have come so far. */
record Kill(Moment moment, int after) {}
