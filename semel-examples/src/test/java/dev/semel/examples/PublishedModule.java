package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** A module that users can depend on: what its POM says, and what the build made of it. */
record PublishedModule(String name, Path directory, Document pom) {

  static final String VERSION = System.getProperty("semel.version");

  /** The parent, and all modules of the reactor that are deployed. */
  static List<PublishedModule> all() {
    PublishedModule parent = read("semel-parent", Markdown.ROOT);
    NodeList modules = parent.pom.getElementsByTagName("module");
    Stream<PublishedModule> published =
        Stream.iterate(0, i -> i < modules.getLength(), i -> i + 1)
            .map(i -> modules.item(i).getTextContent().strip())
            .map(module -> read(module, Markdown.ROOT.resolve(module)))
            .filter(module -> !module.text("maven.deploy.skip").equals("true"));
    return Stream.concat(Stream.of(parent), published).toList();
  }

  private static PublishedModule read(String name, Path directory) {
    try {
      Document pom =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(directory.resolve("pom.xml").toFile());
      return new PublishedModule(name, directory, pom);
    } catch (Exception e) {
      throw new IllegalStateException("cannot read the POM of " + name, e);
    }
  }

  /** The text of the only, or first, element of that name; empty if there is none. */
  String text(String element) {
    NodeList found = pom.getElementsByTagName(element);
    return found.getLength() == 0 ? "" : found.item(0).getTextContent().strip();
  }

  private String ownText(String element) {
    NodeList children = pom.getDocumentElement().getChildNodes();
    for (int i = 0; i < children.getLength(); i++) {
      if (children.item(i) instanceof Element e && e.getTagName().equals(element)) {
        return e.getTextContent().strip();
      }
    }
    return "";
  }

  boolean hasJar() {
    return !ownText("packaging").equals("pom");
  }

  Path pomFile() {
    return directory.resolve("pom.xml");
  }

  /** Jar, sources or Javadoc; a module may leave the version out of the names in target. */
  Path built(String ending) {
    Path target = directory.resolve("target");
    Path versioned = target.resolve(name + "-" + VERSION + ending);
    Path plain = target.resolve(name + ending);
    Path file = Files.exists(versioned) ? versioned : plain;
    assertThat(file).as("made by mvn verify of all modules, from the root").isNotEmptyFile();
    return file;
  }

  void requireDescriptions() {
    assertThat(ownText("name")).as("<name> of %s", name).isNotBlank();
    assertThat(ownText("description")).as("<description> of %s", name).isNotBlank();
    boolean inherits = !ownText("parent").isEmpty();
    if (!inherits) {
      assertThat(ownText("licenses")).as("<licenses> of %s", name).contains("Apache-2.0");
    }
  }

  void requireContents(Path jar, Path sources, Path javadoc) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      assertThat(file.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
          .as("Automatic-Module-Name of %s", jar.getFileName())
          .isEqualTo(text("semel.module.name"))
          .startsWith("dev.semel");
    }
    requireEntry(sources, ".java");
    requireEntry(javadoc, "index.html");
  }

  private static void requireEntry(Path jar, String ending) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      assertThat(file.stream().anyMatch(entry -> entry.getName().endsWith(ending)))
          .as("%s has a %s", jar.getFileName(), ending)
          .isTrue();
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
