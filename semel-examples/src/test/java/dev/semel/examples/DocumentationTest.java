package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.examples.Markdown.JavaBlock;
import dev.semel.spi.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages show code that is compiled and run, and do not lead nowhere. */
class DocumentationTest {

  private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(#[^)]*)?\\)");
  private static final int MOST_WORDS = 800;

  static Stream<JavaBlock> javaBlocks() {
    return Markdown.pages().stream().flatMap(page -> page.javaBlocks().stream());
  }

  @ParameterizedTest
  @MethodSource("javaBlocks")
  void everyBlockIsTheRegionThatItNames(JavaBlock block) {
    assertThat(block.isTagged())
        .as(
            "the java block at %s has no line <!-- example: File.java#name --> above it: put the"
                + " code into a class of semel-examples, between // tag::name and // end::name,"
                + " run it in a test, and name it there (or use another language than java)",
            block)
        .isTrue();
    assertThat(block.text())
        .as(
            "the java block at %s is not %s#%s any more: copy the region over the block",
            block, block.sourceFile(), block.region())
        .isEqualTo(Region.of(block.sourceFile(), block.region()));
  }

  @Test
  void everyRegionIsShownSomewhere() {
    List<String> shown =
        javaBlocks()
            .filter(JavaBlock::isTagged)
            .map(block -> block.sourceFile() + "#" + block.region())
            .toList();
    assertThat(shown)
        .as("regions of semel-examples that no page shows: show them, or drop their tags")
        .containsAll(Region.all());
  }

  @Test
  void theProjectOutsideRunsTheCodeOfTheReadme() {
    Path outside =
        Markdown.ROOT.resolve(
            "semel-examples/outside/src/main/java/com/example/payments/PaymentWorker.java");
    assertThat(Region.of(outside, "worker"))
        .as("copy the region worker of semel-examples' PaymentWorker.java to outside's")
        .isEqualTo(Region.of("PaymentWorker.java", "worker"));
  }

  @Test
  void theReadmeIsShort() {
    Markdown readme = Markdown.read(Markdown.ROOT.resolve("README.md"));
    long words =
        readme.lines().stream()
            .flatMap(line -> Arrays.stream(line.strip().split("\\s+")))
            .filter(word -> !word.isEmpty())
            .count();
    assertThat(words).as("words in README.md").isLessThan(MOST_WORDS);
  }

  @Test
  void noLinkLeadsNowhere() {
    List<String> broken = new ArrayList<>();
    for (Markdown page : Markdown.pages()) {
      for (String line : page.lines()) {
        Matcher link = LINK.matcher(line);
        while (link.find()) {
          if (!Files.exists(page.file().resolveSibling(link.group(1)))) {
            broken.add(page.name() + " → " + link.group(1));
          }
        }
      }
    }
    assertThat(broken).as("links to files that are not there").isEmpty();
  }

  @Test
  void everyStepIsExplainedInOrder() {
    List<String> rows =
        Markdown.read(Markdown.ROOT.resolve("docs/how-it-works.md")).lines().stream()
            .filter(line -> line.matches("\\| `[A-Z_]+` \\|.*"))
            .map(line -> line.split("`")[1])
            .toList();
    assertThat(rows)
        .as("the table of steps in docs/how-it-works.md")
        .isEqualTo(Arrays.stream(Step.values()).map(Step::name).toList());
  }
}
