/** Tests of all modules against real PostgreSQL, real RabbitMQ and real processes. */
@org.jspecify.annotations.NullMarked
package dev.semel.tests;
