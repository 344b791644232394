// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The servers of one Accumulo, with its files in one HDFS directory. */
final class AccumuloServers {
  static final String PASSWORD = "secret";

  private static final String MANAGER = "org.apache.accumulo.manager.Manager";

  private final String instance;
  private final Jvm.Setting setting;

  /**
   * Writes the configuration.
   *
   * @param directory the address of the HDFS directory
   * @param more properties besides those that each Accumulo here has
   * @param setting what the servers run with; the configuration is added
   */
  AccumuloServers(
      String instance,
      String zooKeepers,
      String directory,
      Map<String, String> more,
      Jvm.Setting setting)
      throws IOException {
    this.instance = instance;
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("instance.volumes", directory);
    properties.put("instance.zookeeper.host", zooKeepers);
    properties.put("instance.zookeeper.timeout", "20s");
    properties.put("instance.secret", PASSWORD);
    properties.put("manager.recovery.delay", "1s");
    properties.put("tserver.memory.maps.native.enabled", "false");
    properties.put("tserver.memory.maps.max", "192M");
    // There is no search for another port.
    properties.put("manager.port.client", Integer.toString(Trial.freePort()));
    properties.put("tserver.port.search", "true");
    properties.put("tserver.cache.data.size", "16M");
    properties.put("tserver.cache.index.size", "16M");
    properties.putAll(more);
    Path file = setting.folder().resolve(instance + ".properties");
    Files.write(file, properties.entrySet().stream().map(Object::toString).toList());
    this.setting = setting.with("-Xmx640m", "-Daccumulo.properties=" + file.toUri());
  }

  /** Creates the files and the entry in ZooKeeper. */
  void initialize() throws IOException, InterruptedException {
    try (Jvm init =
        setting.startLogged(
            "org.apache.accumulo.server.init.Initialize",
            "--instance-name",
            instance,
            "--password",
            PASSWORD)) {
      init.waitForEnd();
    }
  }

  Jvm startManager() throws IOException {
    return setting.startServer(MANAGER);
  }

  Jvm startTabletServer() throws IOException {
    return setting.startServer("org.apache.accumulo.tserver.TabletServer");
  }
}
