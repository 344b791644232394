// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.web.URLConnectionFactory;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.client.AuthenticationException;

/**
 * Reads pages of Hadoop's servers in JSON, such as {@code /conf} and {@code /jmx}, by HTTP or HTTPS
 * and with the Kerberos ticket of the current user if security is enabled.
 */
public final class ServerPages implements AutoCloseable {
  private static final String[] PREFIXES = {
    "dfs.namenode.",
    "dfs.nameservice",
    "dfs.internal.nameservices",
    "dfs.ha.namenodes.",
    "dfs.block.placement.",
    "dfs.block.replicator.",
    "io.erasurecode.",
    "stripeline."
  };

  private static final Pattern REFUSAL =
      Pattern.compile("HTTP status 40[13]|GSSException|Authentication|SSL|PKIX|Kerberos");

  private final URLConnectionFactory factory;

  /**
   * Creates a reader.
   *
   * @param conf configuration of a client, with its settings of TLS
   * @param timeoutMillis longest time for a connection, and for each pause of an answer
   */
  public ServerPages(Configuration conf, int timeoutMillis) {
    factory =
        URLConnectionFactory.newDefaultURLConnectionFactory(timeoutMillis, timeoutMillis, conf);
  }

  /** A page, and the clock of its server. */
  public static final class Page {
    private final JsonElement json;
    private final long dateMillis;

    private Page(JsonElement json, long dateMillis) {
      this.json = json;
      this.dateMillis = dateMillis;
    }

    /** Returns the page. */
    public JsonElement json() {
      return json;
    }

    /** Returns the time of the server in milliseconds, to a second; 0 if it did not say. */
    public long dateMillis() {
      return dateMillis;
    }
  }

  /**
   * Returns the current settings of a server, as far as they matter here.
   *
   * @param server {@code http://host:port} or {@code https://host:port}
   * @throws IOException if it does not answer, or the answer is not a configuration
   */
  Configuration settings(URI server) throws IOException {
    return parse(read(server, "/conf?format=json").json());
  }

  /**
   * Returns a page in JSON.
   *
   * @param server {@code http://host:port} or {@code https://host:port}
   * @param page path and query
   * @throws IOException if the server does not answer, or not with such a page
   */
  public Page read(URI server, String page) throws IOException {
    URL url = new URL(server + page);
    try {
      // The thread does not have the ticket of a user that logged in from a keytab.
      return UserGroupInformation.getCurrentUser()
          .doAs((PrivilegedExceptionAction<Page>) () -> fetch(url));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /**
   * Returns whether a reason says that the server, or the client's settings of security, do not
   * permit this user to ask, rather than that the server does not answer.
   */
  public static boolean isRefusal(String reason) {
    return REFUSAL.matcher(reason).find();
  }

  /** Returns the reason of a failure for messages. */
  public static String reason(Exception e) {
    if (e instanceof SSLException) {
      // Hadoop wraps it without its reason, such as a certificate that is not trusted.
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      return e.getClass().getSimpleName() + ": " + cause.getMessage();
    }
    return e.getMessage() == null
        ? e.getClass().getSimpleName()
        : e.getClass() == IOException.class
            ? e.getMessage()
            : e.getClass().getSimpleName() + ": " + e.getMessage();
  }

  private Page fetch(URL url) throws IOException {
    HttpURLConnection connection;
    try {
      connection =
          (HttpURLConnection) factory.openConnection(url, UserGroupInformation.isSecurityEnabled());
    } catch (AuthenticationException e) {
      throw new IOException(e.getMessage(), e);
    }
    try {
      // Some releases use the header, some the query parameter.
      connection.setRequestProperty("Accept", "application/json");
      int status = connection.getResponseCode();
      if (status != HttpURLConnection.HTTP_OK) {
        throw new IOException("HTTP status " + status + " " + connection.getResponseMessage());
      }
      try (Reader reader =
          new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8)) {
        return new Page(JsonParser.parseReader(reader), connection.getDate());
      } catch (JsonParseException | IllegalStateException e) {
        throw new IOException("its reply is not JSON: " + e.getMessage(), e);
      }
    } finally {
      connection.disconnect();
    }
  }

  private static Configuration parse(JsonElement page) throws IOException {
    try {
      return configuration(page.getAsJsonObject().getAsJsonArray("properties"));
    } catch (RuntimeException e) {
      // Gson and Configuration throw several kinds for other JSON, such as that of a proxy.
      throw new IOException("its reply is not a configuration", e);
    }
  }

  private static Configuration configuration(JsonArray properties) {
    Configuration conf = new Configuration(false);
    for (JsonElement element : properties) {
      JsonObject property = element.getAsJsonObject();
      String key = property.get("key").getAsString();
      if (isWanted(key) && property.has("value") && !property.get("value").isJsonNull()) {
        JsonElement resource = property.get("resource");
        String source = resource == null || resource.isJsonNull() ? null : resource.getAsString();
        conf.set(key, property.get("value").getAsString(), source);
      }
    }
    return conf;
  }

  private static boolean isWanted(String key) {
    for (String prefix : PREFIXES) {
      if (key.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    factory.destroy();
  }
}
