package dev.semel.engine;

import dev.semel.Message;
import dev.semel.Outgoing;
import dev.semel.TransactionMisuseException;
import dev.semel.Tx;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The transaction as a handler sees it: the lane's connection behind a proxy that does not let it
 * be ended, and that is dead once the handler has returned.
 */
final class HandlerTx implements Tx, InvocationHandler, AutoCloseable {

  private static final Set<String> REFUSED = Set.of("commit", "close", "abort");

  private final Connection target;
  private final Connection proxy;
  private final Promises promises;
  private final List<Entry> entries;

  /** The one that is being handled; null in a batch handler. */
  private volatile @Nullable Entry current;

  private volatile boolean ended;

  HandlerTx(Connection target, Promises promises, List<Entry> entries) {
    this.target = target;
    this.promises = promises;
    this.entries = entries;
    this.proxy =
        (Connection)
            Proxy.newProxyInstance(
                HandlerTx.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
  }

  @Override
  public Connection connection() {
    return proxy;
  }

  void handles(Entry entry) {
    current = entry;
  }

  @Override
  public UUID send(Outgoing message) {
    Entry cause = current;
    refuseIfEnded();
    if (cause == null) {
      throw new TransactionMisuseException(
          "send(message) was called by a batch handler; say for which message of the batch:"
              + " send(cause, message)");
    }
    return promises.add(cause, message);
  }

  @Override
  public UUID send(Message cause, Outgoing message) {
    refuseIfEnded();
    for (Entry entry : entries) {
      if (entry.message == cause) {
        return promises.add(entry, message);
      }
    }
    throw new TransactionMisuseException(
        "send(cause, message) was called with a cause that the handler was not given");
  }

  private void refuseIfEnded() {
    if (ended) {
      throw new TransactionMisuseException(
          "send was called after the handler had returned: its transaction is over");
    }
  }

  @Override
  public Object invoke(Object self, Method method, Object[] args) throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == Object.class) {
      return switch (name) {
        case "equals" -> self == args[0];
        case "hashCode" -> System.identityHashCode(self);
        default -> "connection of a Semel handler";
      };
    }
    if (ended && !name.equals("isClosed")) {
      throw new TransactionMisuseException(
          "Connection."
              + name
              + " was called after the handler had returned: its transaction is over");
    }
    boolean rollbackWhole = name.equals("rollback") && args == null;
    boolean autoCommitOn = name.equals("setAutoCommit") && Boolean.TRUE.equals(args[0]);
    if (REFUSED.contains(name) || rollbackWhole || autoCommitOn) {
      throw new TransactionMisuseException(
          "Connection."
              + name
              + " is refused in a handler: Semel ends the transaction, with the key and the effect"
              + " together; throw an exception to roll back");
    }
    if (name.equals("isClosed")) {
      return ended || target.isClosed();
    }
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Override
  public void close() {
    ended = true;
  }
}
