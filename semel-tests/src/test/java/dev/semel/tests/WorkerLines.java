package dev.semel.tests;

import java.util.List;

/** What a worker process has printed, line by line in its order. */
record WorkerLines(List<String> all) {

  /** Lines that are {@code word key} or begin with {@code word key }. */
  List<String> of(String word, String key) {
    return starting(word + " " + key + " ");
  }

  List<String> starting(String prefix) {
    return all.stream().filter(l -> (l + " ").startsWith(prefix)).toList();
  }

  /** Lines after the first one that starts like this; none if there is no such line. */
  WorkerLines after(String prefix) {
    for (int i = 0; i < all.size(); i++) {
      if ((all.get(i) + " ").startsWith(prefix)) {
        return new WorkerLines(all.subList(i + 1, all.size()));
      }
    }
    return new WorkerLines(List.of());
  }

  /** Most runs of the handler for one key at a time. */
  int mostAtOnce(String key) {
    int now = 0;
    int most = 0;
    for (String line : all) {
      if (line.equals("ENTERED " + key)) {
        most = Math.max(most, ++now);
      } else if (line.equals("LEFT " + key)) {
        now--;
      }
    }
    return most;
  }
}
