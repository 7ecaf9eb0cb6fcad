package dev.semel.worker;

/**
 * A verb of the command line that another module brings, found on the class path by {@link
 * java.util.ServiceLoader}.
 */
public interface Verb {

  /**
   * The verb.
   *
   * @return an object of a class with picocli's annotation {@code Command} that is a {@code
   *     Callable<Integer>}
   */
  Object command();
}
