package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Setting;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class SettingsPageTest {

  @Test
  void thePageInTheRepositoryIsTheOneThatTheDescriptorsMake() throws IOException {
    assertThat(Files.readString(Markdown.ROOT.resolve("docs/settings.md")))
        .as("docs/settings.md is out of date; run, from the root: %s", SettingsPage.COMMAND)
        .isEqualTo(SettingsPage.text());
  }

  @Test
  void everySettingHasARow() {
    assertThat(Setting.all())
        .allSatisfy(s -> assertThat(SettingsPage.text()).contains("\n| `" + s.name() + "` | "));
  }
}
