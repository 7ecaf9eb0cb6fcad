package dev.semel.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;

/**
 * The few calls to RabbitMQ's HTTP API that tests need. Lists are read without statistics, because
 * those lag by seconds.
 */
final class RabbitApi {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String LIVE = "?disable_stats=true";

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient client =
      HttpClient.newBuilder().connectTimeout(LIMIT).version(HttpClient.Version.HTTP_1_1).build();
  private final String base;
  private final String authorization;

  RabbitApi(int port, String user, String password) {
    this.base = "http://127.0.0.1:" + port + "/api/";
    this.authorization =
        "Basic "
            + Base64.getEncoder()
                .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
  }

  void createVhost(String vhost, String user) throws IOException {
    send(request("vhosts/" + escaped(vhost)).PUT(BodyPublishers.noBody()));
    String all = json.writeValueAsString(Map.of("configure", ".*", "write", ".*", "read", ".*"));
    send(
        request("permissions/" + escaped(vhost) + "/" + escaped(user))
            .PUT(BodyPublishers.ofString(all)));
  }

  void deleteVhost(String vhost) throws IOException {
    send(request("vhosts/" + escaped(vhost)).DELETE());
  }

  JsonNode queues(String vhost) throws IOException {
    return get("queues/" + escaped(vhost) + LIVE + "&enable_queue_totals=true");
  }

  /** Open connections, each with its name and vhost. */
  JsonNode connections() throws IOException {
    return get("connections" + LIVE);
  }

  void closeConnection(String name, String reason) throws IOException {
    send(request("connections/" + escaped(name) + LIVE).header("X-Reason", reason).DELETE());
  }

  /** Whether an alarm, for memory or disk, stops those that publish. */
  boolean hasAlarm() throws IOException {
    HttpRequest request = request("health/checks/local-alarms").GET().build();
    return answer(request).statusCode() == 503;
  }

  private JsonNode get(String path) throws IOException {
    return json.readTree(send(request(path).GET()));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path))
        .timeout(LIMIT)
        .header("Authorization", authorization)
        .header("Content-Type", "application/json");
  }

  /** Not found is no failure: what was to be closed or deleted has gone by itself. */
  private String send(HttpRequest.Builder builder) throws IOException {
    HttpRequest request = builder.build();
    HttpResponse<String> response = answer(request);
    boolean gone = response.statusCode() == 404 && "DELETE".equals(request.method());
    if (response.statusCode() / 100 != 2 && !gone) {
      throw new IOException(
          request.method()
              + " "
              + request.uri()
              + " answered "
              + response.statusCode()
              + " "
              + response.body());
    }
    return response.body();
  }

  private HttpResponse<String> answer(HttpRequest request) throws IOException {
    try {
      return client.send(request, BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while asking RabbitMQ", e);
    }
  }

  static String escaped(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
