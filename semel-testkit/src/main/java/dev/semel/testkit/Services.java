package dev.semel.testkit;

import java.io.IOException;
import java.lang.reflect.Executable;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Injects services into constructors, lifecycle methods and tests by the type of the parameter:
 * {@link TestDatabase} and {@link TestVhost} (one of each a test class, dropped after it), {@link
 * PostgresServer} and {@link RabbitNode} (one of each a JVM, shared by all classes: a class that
 * crashes them must not run beside others). A service starts when it is first asked for, and ends
 * with the test run.
 *
 * <p>With SEMEL_TEST_JDBC_URL (and SEMEL_TEST_JDBC_USER, SEMEL_TEST_JDBC_PASSWORD, of a role that
 * may create databases and roles) or SEMEL_TEST_AMQP_URI in the environment those servers are used
 * instead, except by classes that ask for the server process itself: they get one of their own.
 * Which RabbitMQ is started is told at {@link RabbitNode}.
 *
 * <p>After a class that used a database, no session of its runtime role may be left: the class
 * fails, naming the sessions, when one is still there after 10 s.
 */
public final class Services implements ParameterResolver, AfterAllCallback {

  private static final Namespace NAMESPACE = Namespace.create(Services.class);
  private static final Set<Class<?>> INJECTED =
      Set.of(TestDatabase.class, TestVhost.class, PostgresServer.class, RabbitNode.class);
  private static final String JDBC_URL = "SEMEL_TEST_JDBC_URL";
  private static final String JDBC_USER = "SEMEL_TEST_JDBC_USER";
  private static final String JDBC_PASSWORD = "SEMEL_TEST_JDBC_PASSWORD";
  private static final String AMQP_URI = "SEMEL_TEST_AMQP_URI";
  private static final Duration LEAK_DEADLINE = Duration.ofSeconds(10);

  /** Made by JUnit. */
  public Services() {}

  /** Something that JUnit's store starts once. */
  @FunctionalInterface
  private interface Start<T> {
    T start() throws IOException, SQLException;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return INJECTED.contains(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    if (type == TestDatabase.class) {
      return database(context);
    }
    if (type == TestVhost.class) {
      return vhost(context);
    }
    return type == PostgresServer.class ? postgres(context) : rabbit(context);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getParent().flatMap(ExtensionContext::getTestClass).isPresent()) {
      return;
    }
    TestDatabase database = context.getStore(NAMESPACE).get(TestDatabase.class, TestDatabase.class);
    if (database != null) {
      requireNoSessions(database, context.getDisplayName(), LEAK_DEADLINE);
    }
  }

  static void requireNoSessions(TestDatabase database, String who, Duration deadline) {
    String what = "no session of " + database.runtimeName() + " left open by " + who;
    Await.value(what, deadline, database::runtimeSessions, List::isEmpty);
  }

  private static TestDatabase database(ExtensionContext context) {
    ExtensionContext owner = outermostClass(context);
    return once(
        owner,
        TestDatabase.class,
        () -> access(context).createDatabase(owner.getRequiredTestClass().getSimpleName()));
  }

  private static TestVhost vhost(ExtensionContext context) {
    ExtensionContext owner = outermostClass(context);
    String given = asksFor(owner, RabbitNode.class) ? null : System.getenv(AMQP_URI);
    return once(
        owner,
        TestVhost.class,
        () ->
            given != null
                ? shared(given)
                : rabbit(context).createVhost(owner.getRequiredTestClass().getSimpleName()));
  }

  private static PostgresAccess access(ExtensionContext context) {
    String given =
        asksFor(outermostClass(context), PostgresServer.class) ? null : System.getenv(JDBC_URL);
    if (given == null) {
      return postgres(context).access();
    }
    return new PostgresAccess(
        given,
        System.getenv().getOrDefault(JDBC_USER, "postgres"),
        System.getenv().getOrDefault(JDBC_PASSWORD, ""));
  }

  private static TestVhost shared(String uri) {
    String path = URI.create(uri).getPath();
    String name = path == null || path.isEmpty() ? "/" : path.substring(1);
    return new TestVhost(uri, name, PostgresAccess.unique("semel") + "-", () -> {});
  }

  private static PostgresServer postgres(ExtensionContext context) {
    return once(context.getRoot(), PostgresServer.class, PostgresServer::start);
  }

  private static RabbitNode rabbit(ExtensionContext context) {
    return once(context.getRoot(), RabbitNode.class, RabbitNode::start);
  }

  /** Who crashes a server, or counts in it, must have it for itself, and its databases with it. */
  private static boolean asksFor(ExtensionContext owner, Class<?> server) {
    for (Class<?> at = owner.getRequiredTestClass(); at != null; at = at.getSuperclass()) {
      Stream<? extends Executable> executables =
          Stream.concat(
              Arrays.stream(at.getDeclaredConstructors()), Arrays.stream(at.getDeclaredMethods()));
      if (executables.anyMatch(e -> Arrays.asList(e.getParameterTypes()).contains(server))) {
        return true;
      }
    }
    return false;
  }

  private static ExtensionContext outermostClass(ExtensionContext context) {
    ExtensionContext found = context;
    for (ExtensionContext at = context; at != null; at = at.getParent().orElse(null)) {
      if (at.getTestClass().isPresent()) {
        found = at;
      }
    }
    return found;
  }

  /**
   * The store closes what it holds when its class, or the run, has ended; even when many threads
   * ask it starts a thing once.
   */
  private static <T extends AutoCloseable> T once(
      ExtensionContext owner, Class<T> type, Start<T> start) {
    return owner.getStore(NAMESPACE).getOrComputeIfAbsent(type, key -> started(key, start), type);
  }

  private static <T> T started(Class<T> type, Start<T> start) {
    try {
      return start.start();
    } catch (IOException | SQLException e) {
      throw new ParameterResolutionException(
          "could not provide a " + type.getSimpleName() + ": " + e.getMessage(), e);
    }
  }
}
