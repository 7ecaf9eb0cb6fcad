/** Workers as processes of their own, Semel's and the broken twins, behind one factory. */
@org.jspecify.annotations.NullMarked
package dev.semel.tests.worker;
