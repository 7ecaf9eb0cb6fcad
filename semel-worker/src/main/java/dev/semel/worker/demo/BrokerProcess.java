package dev.semel.worker.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.qpid.server.SystemLauncher;

/**
 * The main class of the embedded broker's JVM: Apache Qpid Broker-J, AMQP 0-9-1 on the loopback
 * address, everything in memory.
 */
final class BrokerProcess {

  static final String USER = "semel";
  static final String PASSWORD_VARIABLE = "SEMEL_DEMO_BROKER_PASSWORD";
  static final String READY = "ready";

  private BrokerProcess() {}

  /** Arguments: the port, and a directory for the broker's files. */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[1]);
    Path configuration = directory.resolve("broker.json");
    String password = System.getenv(PASSWORD_VARIABLE);
    new ObjectMapper().writeValue(configuration.toFile(), configuration(args[0], password));
    new SystemLauncher()
        .startup(
            Map.of(
                "type",
                "Memory",
                "initialConfigurationLocation",
                configuration.toUri().toString(),
                "startupLoggedToSystemOut",
                "false",
                "context",
                Map.of("qpid.work_dir", directory.toString())));
    Files.delete(configuration);
    System.out.println(READY);
    ParentWatch.start().awaitStop();
    System.exit(0);
  }

  private static Map<String, Object> configuration(String port, String password) {
    return Map.of(
        "name", "semel-demo",
        "modelVersion", "9.0",
        "context", Map.of("broker.failStartupWithErroredChild", "true"),
        "authenticationproviders",
            List.of(
                Map.of(
                    "name",
                    "plain",
                    "type",
                    "Plain",
                    // or else amqp-client's PLAIN is refused without TLS
                    "secureOnlyMechanisms",
                    List.of(),
                    "users",
                    List.of(Map.of("name", USER, "password", password, "type", "managed")))),
        "ports",
            List.of(
                Map.of(
                    "name",
                    "amqp",
                    "port",
                    port,
                    "bindingAddress",
                    "127.0.0.1",
                    "protocols",
                    List.of("AMQP_0_9_1"),
                    "authenticationProvider",
                    "plain",
                    "virtualhostaliases",
                    List.of(
                        Map.of("name", "byName", "type", "nameAlias"),
                        Map.of("name", "default", "type", "defaultAlias")))),
        "virtualhostnodes",
            List.of(
                Map.of(
                    "name", "default",
                    "type", "Memory",
                    "defaultVirtualHostNode", "true",
                    "virtualHostInitialConfiguration", "{\"type\":\"Memory\"}")));
  }
}
