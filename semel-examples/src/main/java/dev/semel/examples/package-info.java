/**
 * What the documentation shows, compiled and run by the build. The text between the comments {@code
 * tag} and {@code end} of one name is a code block of README.md or docs; a test compares the two.
 */
package dev.semel.examples;
