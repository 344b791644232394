// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * The run of an application with one client: an HDFS with an erasure-coded root directory, a
 * configuration that selects the client, and what was found.
 */
final class Trial implements AutoCloseable {
  private static final int LIMIT_SECONDS = 180;
  private static final long PERIOD_MILLIS = 50;

  private final String client;
  private final Path folder;
  private final Jvm hdfs;
  private final String address;
  private long lost;

  private Trial(String client, Path folder, Jvm hdfs, String address) {
    this.client = client;
    this.folder = folder;
    this.hdfs = hdfs;
    this.address = address;
  }

  /** What an application does with a client. */
  interface Body {
    void run(Trial trial) throws Exception;
  }

  /**
   * Runs an application with a client and ends the JVM, also if threads of the application are
   * left: with status 1 if our client lost a record, or if the stock client lost none that could be
   * counted, because the application detects no losses then.
   *
   * @param client {@code stripeline}, with durable sync, or {@code stock}
   */
  static void run(String client, Body body) {
    Jvm.endWithInput();
    int status = 1;
    try (Trial trial = start(client)) {
      body.run(trial);
      trial.hdfs.waitForEnd();
      if (trial.isOurs() == (trial.lost == 0)) {
        status = 0;
      } else {
        System.err.println(trial.lost + " records are lost");
      }
    } catch (Throwable e) {
      e.printStackTrace();
    }
    System.exit(status);
  }

  /**
   * Starts an HDFS and writes core-site.xml into the folder {@code site}, which is on the class
   * path.
   */
  private static Trial start(String client) throws Exception {
    Path folder = Path.of(System.getProperty("applications.folder"));
    Path ready = folder.resolve("hdfs-address");
    Jvm hdfs =
        new Jvm.Setting(System.getProperty("applications.hdfs"), List.of("-Xmx1g"), folder)
            .startLogged(
                "org.stripeline.applications.HdfsMain",
                folder.resolve("hdfs").toString(),
                ready.toString());
    await("start of HDFS", () -> !hdfs.isAlive() || Files.exists(ready));
    Trial trial = new Trial(client, folder, hdfs, Files.readString(ready));
    trial.configure(Map.of());
    return trial;
  }

  /** Writes the configuration of the JVMs that start from now on, with more than the client. */
  void configure(Map<String, String> more) throws IOException {
    StringBuilder site = new StringBuilder("<configuration>");
    property(site, "fs.defaultFS", address);
    if (isOurs()) {
      property(site, "fs.hdfs.impl", "org.apache.hadoop.hdfs.StripelineFileSystem");
      property(site, "fs.AbstractFileSystem.hdfs.impl", "org.apache.hadoop.fs.StripelineHdfs");
    }
    more.forEach((name, value) -> property(site, name, value));
    Files.writeString(folder.resolve("site/core-site.xml"), site.append("</configuration>"));
  }

  /** Returns settings with which each sync ends a block group, from the first one on. */
  static Map<String, String> lateSyncs() {
    return Map.of(
        "stripeline.client.write.sync.switch-max", "0",
        "stripeline.client.write.sync.groups-max", "20000");
  }

  static void property(StringBuilder site, String name, String value) {
    site.append("<property><name>").append(name).append("</name><value>").append(value);
    site.append("</value></property>\n");
  }

  /** Returns the rest of the first line that begins with a text. */
  static String lineAfter(BufferedReader output, String start) throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(start)) {
        return line.substring(start.length());
      }
    }
    throw new IOException("The process ended without a line that begins with " + start);
  }

  /** Waits until a condition is true; exceptions count as false. */
  static void await(String what, Callable<Boolean> condition) throws Exception {
    await(what, LIMIT_SECONDS, condition);
  }

  static void await(String what, int seconds, Callable<Boolean> condition) throws Exception {
    long end = System.currentTimeMillis() + seconds * 1000L;
    Exception last = null;
    while (System.currentTimeMillis() < end) {
      try {
        if (condition.call()) {
          return;
        }
      } catch (IOException | RuntimeException e) {
        last = e;
      }
      Thread.sleep(PERIOD_MILLIS);
    }
    throw new IOException("Waited in vain: " + what, last);
  }

  /** Returns a port that no process listens on. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  boolean isOurs() {
    return client.equals("stripeline");
  }

  String address() {
    return address;
  }

  Path folder() {
    return folder;
  }

  /** Returns what another JVM needs to run on the class path of this one. */
  Jvm.Setting setting(String... options) {
    return new Jvm.Setting(System.getProperty("java.class.path"), List.of(options), folder);
  }

  /** Reports how many records were acknowledged and how many of these were read back. */
  void report(String what, long acknowledged, long read, String remark) {
    lost += acknowledged - read;
    print(what, acknowledged, read, 0, remark);
  }

  /** Reports that none of the records could be read, which does not say that they are lost. */
  void notServed(String what, long acknowledged, String remark) {
    print(what, acknowledged, 0, acknowledged, remark);
  }

  private void print(String what, long acknowledged, long read, long notServed, String remark) {
    System.out.printf(
        Boolean.getBoolean("applications.json")
            ? "{\"client\":\"%s\",\"trial\":\"%s\",\"acknowledged\":%d,\"readBack\":%d,"
                + "\"lost\":%d,\"notServed\":%d,\"remark\":\"%s\"}%n"
            : "%-10s %-44s acknowledged %7d  read back %7d  lost %7d  not served %7d  %s%n",
        client,
        what,
        acknowledged,
        read,
        acknowledged - read - notServed,
        notServed,
        remark);
  }

  @Override
  public void close() {
    hdfs.close();
  }
}
