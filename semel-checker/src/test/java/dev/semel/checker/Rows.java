package dev.semel.checker;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A connection whose every query gives the same rows; it knows the few calls that a tally may make.
 */
final class Rows {
  private final int columns;
  private final List<String> values;
  private final List<String> calls = new ArrayList<>();
  private int row = -1;

  Rows(int columns, String... values) {
    this.columns = columns;
    this.values = Arrays.asList(values);
  }

  Connection connection() {
    return answer(Connection.class);
  }

  List<String> calls() {
    return calls;
  }

  private <T> T answer(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              calls.add(type.getSimpleName() + "." + method.getName());
              return switch (method.getName()) {
                case "prepareStatement" -> answer(PreparedStatement.class);
                case "executeQuery" -> answer(ResultSet.class);
                case "getMetaData" -> answer(ResultSetMetaData.class);
                case "getColumnCount" -> columns;
                case "next" -> ++row < values.size();
                case "getString" -> values.get(row);
                case "close" -> null;
                default -> throw new UnsupportedOperationException(method.toString());
              };
            }));
  }
}
