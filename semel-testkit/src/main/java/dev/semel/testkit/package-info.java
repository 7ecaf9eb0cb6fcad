/**
 * The test kit's services and faults: a real PostgreSQL and a real RabbitMQ as processes of this
 * machine, a proxy that loses answers, child JVMs that can be killed, and the JUnit 5 extension
 * that hands them to tests.
 */
@NullMarked
package dev.semel.testkit;

import org.jspecify.annotations.NullMarked;
