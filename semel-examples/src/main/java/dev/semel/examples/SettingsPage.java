package dev.semel.examples;

import dev.semel.Consumer;
import dev.semel.RetryPolicy;
import dev.semel.Semel;
import dev.semel.Setting;
import dev.semel.rabbitmq.RabbitSourceBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes {@code docs/settings.md} from the descriptors that also check the values. */
public final class SettingsPage {

  /** From the root of the repository, after a build. */
  static final String COMMAND =
      "java -cp semel-core/target/classes:semel-rabbitmq/target/classes:semel-examples/target/classes"
          + " dev.semel.examples.SettingsPage docs/settings.md";

  private static final String HEAD =
      """
      # Settings

      <!-- Made by a program from dev.semel.Setting. Do not edit; change the descriptor, build, and run:
           %s -->

      Every setting has a default. A value outside its bounds is refused by the builder, with an error that
      names the setting and its bounds; nothing is repaired silently. Times are of `java.time.Duration`.

      | name | set on | meaning | unit | default | bounds |
      | --- | --- | --- | --- | --- | --- |
      """;

  private static final String TAIL =
      """

      A setting of both builders is the default of all consumers on `Semel.Builder`, and that of one consumer on
      `Consumer.Builder`. `Semel.Builder.oneAtATime()` overrides lanes, batch and prefetch with 1, for debugging.
      """;

  private static final List<Class<?>> BUILDERS =
      List.of(
          Semel.Builder.class,
          Consumer.Builder.class,
          RetryPolicy.Builder.class,
          RabbitSourceBuilder.class);

  private SettingsPage() {}

  /** Writes the page to the file that is named; without one, to standard output. */
  public static void main(String[] args) throws IOException {
    if (args.length == 0) {
      System.out.print(text());
    } else {
      Files.writeString(Path.of(args[0]), text());
    }
  }

  /** The whole page. */
  static String text() {
    StringBuilder page = new StringBuilder(HEAD.formatted(COMMAND));
    List<Setting<?>> all = new ArrayList<>(Setting.all());
    all.add(RabbitSourceBuilder.MAX_MESSAGE_BYTES);
    for (Setting<?> setting : all) {
      page.append(row(setting)).append('\n');
    }
    return page.append(TAIL).toString();
  }

  private static String row(Setting<?> setting) {
    List<String> cells =
        List.of(
            "`" + setting.name() + "`",
            builders(setting.name()),
            setting.meaning(),
            unit(setting),
            setting.defaultText(),
            Setting.text(setting.min()) + " to " + Setting.text(setting.max()));
    return "| "
        + String.join(" | ", cells.stream().map(c -> c.replace("|", "\\|")).toList())
        + " |";
  }

  private static String unit(Setting<?> setting) {
    if (setting.min() instanceof Duration) {
      return "time";
    }
    return setting.unit().isEmpty() ? "number" : setting.unit();
  }

  /** Where a builder has a method of the setting's name. */
  private static String builders(String setting) {
    List<String> found = new ArrayList<>();
    for (Class<?> builder : BUILDERS) {
      if (Arrays.stream(builder.getMethods()).anyMatch(m -> m.getName().equals(setting))) {
        String name = builder.getName();
        found.add("`" + name.substring(name.lastIndexOf('.') + 1).replace('$', '.') + "`");
      }
    }
    if (found.isEmpty()) {
      throw new IllegalStateException("no builder has a method named " + setting);
    }
    return String.join(", ", found);
  }
}
