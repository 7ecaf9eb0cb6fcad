package dev.semel.worker;

import java.util.ArrayList;
import java.util.List;

/** Aligned columns, two spaces apart. Cells must be {@link Visible}. */
final class TextTable {

  private final List<List<String>> rows = new ArrayList<>();
  private final List<Boolean> numbers = new ArrayList<>();

  /** A table whose first row is its head; none is written if there are no titles. */
  static TextTable of(String... titles) {
    TextTable table = new TextTable();
    if (titles.length > 0) {
      table.row(titles);
    }
    return table;
  }

  /** The columns that stand right-aligned, from 0. */
  TextTable numbers(Integer... columns) {
    for (int column : columns) {
      while (numbers.size() <= column) {
        numbers.add(false);
      }
      numbers.set(column, true);
    }
    return this;
  }

  TextTable row(String... cells) {
    rows.add(List.of(cells));
    return this;
  }

  List<String> lines() {
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        if (widths.size() == i) {
          widths.add(0);
        }
        widths.set(i, Math.max(widths.get(i), length(row.get(i))));
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private String line(List<String> row, List<Integer> widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      String padding = " ".repeat(widths.get(i) - length(row.get(i)));
      boolean right = i < numbers.size() && numbers.get(i);
      line.append(i == 0 ? "" : "  ");
      line.append(right ? padding + row.get(i) : row.get(i) + padding);
    }
    return line.toString().stripTrailing();
  }

  private static int length(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
