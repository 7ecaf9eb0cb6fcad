package dev.semel.bench;

/**
 * Who runs, and on what.
 *
 * @param name what people call it: short, lower-case
 * @param title what it is
 * @param way how it applies messages
 * @param scene what it finds
 */
record Contender(String name, String title, Way way, Scene scene) {}
