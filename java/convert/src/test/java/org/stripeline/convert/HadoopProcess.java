// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.terminal.JavaRuntime;

/**
 * A Hadoop server in a separate process. NameNodes in one process share the manager of erasure
 * coding policies, and therefore the limits of the NameNode that started last.
 */
final class HadoopProcess implements Closeable {
  private final Process process;
  private final Path log;

  private HadoopProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a server.
   *
   * @param main class with its main method
   * @param directory directory for its site file and its log, which must not exist yet
   */
  static HadoopProcess start(Class<?> main, Configuration conf, Path directory) throws IOException {
    Files.createDirectories(directory);
    try (OutputStream out = Files.newOutputStream(directory.resolve("hdfs-site.xml"))) {
      conf.writeXml(out);
    }
    Path log = directory.resolve("log");
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(Arrays.asList("-Xmx256m", "-XX:+UseSerialGC"));
    command.addAll(JavaRuntime.hadoopArguments());
    command.add(main.getName());
    ProcessBuilder builder = new ProcessBuilder(command);
    String classes = System.getProperty("java.class.path");
    builder
        .environment()
        .put(
            "CLASSPATH",
            directory
                + File.pathSeparator
                + System.getProperty("surefire.test.class.path", classes));
    builder.redirectErrorStream(true);
    builder.redirectOutput(log.toFile());
    return new HadoopProcess(builder.start(), log);
  }

  /** Waits until the server listens at an address. */
  HadoopProcess awaitListening(InetSocketAddress address) throws Exception {
    ConvertCluster.await(
        "a server at " + address,
        () -> {
          if (!process.isAlive()) {
            throw new AssertionError(log());
          }
          try (Socket socket = new Socket()) {
            socket.connect(address, 1000);
            return true;
          } catch (IOException e) {
            return false;
          }
        });
    return this;
  }

  /** Waits until the server exits with a failure. */
  void awaitFailure() throws Exception {
    ConvertCluster.await("the end of a server", () -> !process.isAlive());
    if (process.exitValue() == 0) {
      throw new AssertionError(log());
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  String log() throws IOException {
    return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
