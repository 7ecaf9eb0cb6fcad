package dev.semel.rabbitmq;

import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestVhost;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** A user of one vhost who may read there, and do nothing else. */
final class LimitedUser {

  private static final String NAME = "limited";
  private static final String PASSWORD = "s3cret";

  private final RabbitNode node;
  private final TestVhost vhost;

  LimitedUser(RabbitNode node, TestVhost vhost) throws Exception {
    this.node = node;
    this.vhost = vhost;
    put("users/" + NAME, "{\"password\":\"" + PASSWORD + "\",\"tags\":\"\"}");
    mayRead(".*");
  }

  String amqpUri() {
    return vhost
        .amqpUri()
        .replace(node.user() + ":" + node.password() + "@", NAME + ":" + PASSWORD + "@");
  }

  /** Names of the queues that may be read, as a regular expression. */
  void mayRead(String queues) throws Exception {
    put(
        "permissions/" + vhost.name() + "/" + NAME,
        "{\"configure\":\"\",\"write\":\"\",\"read\":\"" + queues + "\"}");
  }

  private void put(String path, String json) throws Exception {
    String account = node.user() + ":" + node.password();
    int status =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .build()
            .send(
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + node.httpPort() + "/api/" + path))
                    .header(
                        "Authorization",
                        "Basic "
                            + Base64.getEncoder()
                                .encodeToString(account.getBytes(StandardCharsets.UTF_8)))
                    .header("Content-Type", "application/json")
                    .PUT(BodyPublishers.ofString(json))
                    .build(),
                BodyHandlers.discarding())
            .statusCode();
    if (status / 100 != 2) {
      throw new IOException(path + " answered " + status);
    }
  }
}
