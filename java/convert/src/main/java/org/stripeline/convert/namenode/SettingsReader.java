// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.web.URLConnectionFactory;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.client.AuthenticationException;

/** Reads the current settings of a Hadoop server from its {@code /conf} page. */
final class SettingsReader implements AutoCloseable {
  private static final int TIMEOUT_MS = 15_000;
  private static final String[] PREFIXES = {
    "dfs.namenode.", "dfs.nameservice", "dfs.internal.nameservices", "dfs.ha.namenodes."
  };

  private final URLConnectionFactory factory;

  SettingsReader(Configuration conf) {
    factory = URLConnectionFactory.newDefaultURLConnectionFactory(TIMEOUT_MS, TIMEOUT_MS, conf);
  }

  /**
   * Queries a server.
   *
   * @param server {@code http://host:port} or {@code https://host:port}
   * @throws IOException if it does not answer, or the answer is not a configuration
   */
  Configuration read(URI server) throws IOException {
    URL url = new URL(server + "/conf?format=json");
    try {
      // The thread does not have the ticket of a user that logged in from a keytab.
      return UserGroupInformation.getCurrentUser()
          .doAs((PrivilegedExceptionAction<Configuration>) () -> fetch(url));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private Configuration fetch(URL url) throws IOException {
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
        return parse(JsonParser.parseReader(reader));
      } catch (JsonParseException | IllegalStateException e) {
        throw new IOException("its reply is not a configuration: " + e.getMessage(), e);
      }
    } finally {
      connection.disconnect();
    }
  }

  private static Configuration parse(JsonElement page) throws IOException {
    if (!page.isJsonObject() || !page.getAsJsonObject().has("properties")) {
      throw new IOException("its reply is not a configuration");
    }
    Configuration conf = new Configuration(false);
    for (JsonElement element : page.getAsJsonObject().getAsJsonArray("properties")) {
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
