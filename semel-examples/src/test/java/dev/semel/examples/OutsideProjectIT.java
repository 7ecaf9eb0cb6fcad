package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.testkit.WithServices;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a user gets: the modules as they are published, and a project of its own that depends on
 * them and runs the README's worker. Runs after packaging, so {@code mvn verify} of all modules is
 * needed. With {@code -Dsemel.long=true} the modules come from a real {@code mvn install} of a copy
 * of the sources; else the jars of this build are put where it would put them.
 */
@WithServices
class OutsideProjectIT {

  private static final Path OUTSIDE = Markdown.ROOT.resolve("semel-examples/outside");
  private static final Pattern VERSION = Pattern.compile("<(\\w[\\w.]*\\.version)>([^<]+)</");
  private static final int TERMINATED = 128 + 15;

  private static Build build;

  @BeforeAll
  static void installModules() throws Exception {
    build = Build.in(Markdown.ROOT.resolve("semel-examples/target/outside"));
    if (Boolean.getBoolean("semel.long")) {
      Path sources = build.copyOf(Markdown.ROOT, "sources");
      String modules = String.join(",", jars().stream().map(PublishedModule::name).toList());
      build.maven(
          sources,
          "install",
          "-DskipTests",
          "-Dspotless.check.skip=true",
          "-pl",
          "semel-bom," + modules,
          "-am");
      return;
    }
    for (PublishedModule module : PublishedModule.all()) {
      install(module, module.pomFile(), ".pom");
      if (module.hasJar()) {
        for (String ending : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
          install(module, module.built(ending), ending);
        }
      }
    }
  }

  private static void install(PublishedModule module, Path file, String ending) throws IOException {
    build.install(module.name(), PublishedModule.VERSION, file, ending);
  }

  static List<PublishedModule> modules() {
    return PublishedModule.all();
  }

  static List<PublishedModule> jars() {
    return PublishedModule.all().stream().filter(PublishedModule::hasJar).toList();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void aPomDescribesItsModule(PublishedModule module) {
    module.requireDescriptions();
    assertThat(build.installed(module.name(), PublishedModule.VERSION, ".pom")).isNotEmptyFile();
  }

  @ParameterizedTest
  @MethodSource("jars")
  void aModuleHasJarSourcesAndJavadoc(PublishedModule module) throws IOException {
    String version = PublishedModule.VERSION;
    module.requireContents(
        build.installed(module.name(), version, ".jar"),
        build.installed(module.name(), version, "-sources.jar"),
        build.installed(module.name(), version, "-javadoc.jar"));
  }

  @Test
  void theProjectUsesTheVersionsOfThisBuild() throws IOException {
    String root = Files.readString(Markdown.ROOT.resolve("pom.xml"));
    Matcher versions = VERSION.matcher(Files.readString(OUTSIDE.resolve("pom.xml")));
    int compared = 0;
    while (versions.find()) {
      if (versions.group(1).equals("semel.version")) {
        assertThat(versions.group(2)).isEqualTo(PublishedModule.VERSION);
      } else {
        assertThat(root).as("versions in pom.xml, for outside/pom.xml").contains(versions.group());
        compared++;
      }
    }
    assertThat(compared).isPositive();
  }

  @Test
  void aProjectOutsideBuildsAndRunsTheReadmesWorker(TestDatabase database, TestVhost vhost)
      throws Exception {
    Path project = build.copyOf(OUTSIDE, "payments");
    build.maven(project, "package");

    Shop shop = Shop.open(database, vhost);
    String queue = shop.queueOfPayments(20);
    Path log = build.directory().resolve("worker.log");
    Process worker = start(project.resolve("target"), queue, database, vhost, log);
    try {
      shop.awaitEachOnce(queue, 20);
      worker.destroy();
      assertThat(worker.waitFor(20, TimeUnit.SECONDS)).as("ends by SIGTERM").isTrue();
    } catch (AssertionError e) {
      e.addSuppressed(new AssertionError(Build.text(log)));
      throw e;
    } finally {
      worker.destroyForcibly();
    }
    assertThat(worker.exitValue()).isEqualTo(TERMINATED);
    Await.until(
        "a worker that ended cleanly",
        Duration.ZERO,
        () -> database.queryLong("SELECT count(*) FROM semel.workers WHERE ending = 'clean'") == 1);
  }

  private static Process start(
      Path target, String queue, TestDatabase database, TestVhost vhost, Path log)
      throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = target.resolve("classes") + File.pathSeparator + target.resolve("lib/*");
    ProcessBuilder builder =
        new ProcessBuilder(
                java, "-Xmx128m", "-cp", classPath, "com.example.payments.PaymentWorker", queue)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "SEMEL_JDBC_URL", database.jdbcUrl(),
                "SEMEL_JDBC_USER", database.runtimeName(),
                "SEMEL_JDBC_PASSWORD", database.runtimePassword(),
                "SEMEL_AMQP_URI", vhost.amqpUri()));
    Process worker = builder.start();
    Runtime.getRuntime().addShutdownHook(new Thread(worker::destroyForcibly));
    return worker;
  }
}
