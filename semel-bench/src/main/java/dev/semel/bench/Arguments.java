package dev.semel.bench;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bench's own command line. */
record Arguments(Plan plan, boolean json) {

  static Arguments parse(String... args) {
    int messages = Plan.MESSAGES;
    int rounds = Plan.ROUNDS;
    @Nullable String amqpUri = null;
    List<Contender> only = List.of(Contender.values());
    boolean json = false;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--messages" -> messages = number(args, i++);
        case "--rounds" -> rounds = number(args, i++);
        case "--amqp" -> amqpUri = value(args, i++);
        case "--only" -> only = contenders(value(args, i++));
        case "--json" -> json = true;
        default -> throw new IllegalArgumentException("unknown option '" + args[i] + "'");
      }
    }
    return new Arguments(new Plan(messages, rounds, amqpUri, only), json);
  }

  private static String value(String[] args, int at) {
    if (at + 1 == args.length) {
      throw new IllegalArgumentException(args[at] + " needs a value");
    }
    return args[at + 1];
  }

  private static int number(String[] args, int at) {
    try {
      return Integer.parseInt(value(args, at));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(args[at] + " needs a whole number");
    }
  }

  private static List<Contender> contenders(String letters) {
    List<Contender> chosen = new ArrayList<>();
    for (Contender each : Contender.values()) {
      if (letters.contains(each.letter())) {
        chosen.add(each);
      }
    }
    if (chosen.size() != letters.length()) {
      throw new IllegalArgumentException("--only takes letters from a to e, each once");
    }
    return chosen;
  }
}
