// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.convert.namenode.ServerSettings;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;

/**
 * Writes a zip file for a bug report: the findings, the keys of erasure coding and of Stripeline,
 * our JMX beans, and what local logs say about erasure coding. A {@link Redactor} removes secrets
 * from every part.
 */
final class Bundle {
  private static final List<String> KEYS =
      Arrays.asList(
          "stripeline.",
          "io.erasurecode.",
          "dfs.namenode.ec.",
          "dfs.datanode.ec.",
          "dfs.datanode.plugins",
          "dfs.block.placement.",
          "dfs.block.replicator.",
          "dfs.client.",
          "dfs.blocksize",
          "dfs.replication",
          "dfs.http.policy",
          "dfs.data.transfer.protection",
          "dfs.encrypt.data.transfer",
          "dfs.nameservices",
          "dfs.ha.namenodes.",
          "dfs.namenode.rpc-address",
          "fs.defaultFS",
          "fs.hdfs.",
          "fs.AbstractFileSystem.hdfs.",
          "fs.viewfs.",
          "hadoop.security.authentication",
          "hadoop.security.authorization",
          "hadoop.rpc.protection");

  private static final List<String> VARIABLES =
      Arrays.asList("STRIPELINE_", "HADOOP_", "HDFS_", "JAVA_", "LD_LIBRARY_PATH");

  private static final int LOG_FILES_MAX = 8;
  private static final int LOG_BYTES_MAX = 4 << 20;
  private static final int LOG_LINES_MAX = 500;

  private final Configuration conf;
  private final Map<String, String> environment;
  private final List<Configuration> known = new ArrayList<>();
  private Redactor redactor;
  private ZipOutputStream zip;

  /**
   * Creates a writer.
   *
   * @param conf the configuration that was examined
   * @param environment the environment of this process
   */
  Bundle(Configuration conf, Map<String, String> environment) {
    this.conf = conf;
    this.environment = environment;
    known.add(conf);
    for (String file : new String[] {"ssl-client.xml", "ssl-server.xml", "hadoop-policy.xml"}) {
      Configuration other = new Configuration(false);
      other.addResource(file);
      known.add(other);
    }
  }

  /**
   * Creates the file, readable by its owner only, before the examination begins.
   *
   * @param name a new file; empty for a name with the time in the working directory
   */
  static Path reserve(String name) {
    String time =
        LocalDateTime.now(ZoneId.systemDefault())
            .format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
    Path file = Paths.get(name.isEmpty() ? "stripeline-doctor-" + time + ".zip" : name);
    try {
      return Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException e) {
      throw new CommandException(
          ExitStatus.USAGE, "Cannot write " + file + ": it exists; name a new file");
    } catch (IOException e) {
      throw new CommandException(ExitStatus.USAGE, "Cannot write " + file + ": " + e);
    }
  }

  /** Removes the file again, if one was created. */
  static void giveUp(Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new CommandException(ExitStatus.UNCHECKED, "Cannot remove " + file + ": " + e);
    }
  }

  /** Writes all parts. */
  void write(Path file, DoctorReport report) {
    List<ServerSettings> servers =
        report.cluster == null ? Collections.<ServerSettings>emptyList() : report.cluster.servers;
    servers.stream().filter(ServerSettings::isKnown).forEach(server -> known.add(server.conf()));
    redactor = new Redactor(readable(), environment);
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
      zip = out;
      StringWriter text = new StringWriter();
      new ReportPrinter(new PrintWriter(text)).print(report);
      add("doctor.txt", text.toString());
      StringWriter json = new StringWriter();
      OutputOptions.printJson(new PrintWriter(json), report);
      add("doctor.json", json.toString());
      add("configuration.txt", settings(conf));
      add("environment.txt", variables());
      for (int i = 0; i < servers.size(); i++) {
        ServerSettings server = servers.get(i);
        add(
            "namenodes/" + i + ".txt",
            server.name()
                + "\n"
                + (server.isKnown() ? settings(server.conf()) : server.reason() + "\n"));
      }
      if (report.cluster != null && report.cluster.dataNodes != null) {
        for (DoctorReport.DataNode node : report.cluster.dataNodes) {
          if (node.beans != null) {
            add("jmx/" + node.name.replaceAll("[^\\w.-]", "_") + ".json", node.beans);
          }
        }
      }
      for (Path log : logs()) {
        add("logs/" + log.getFileName(), tail(log));
      }
    } catch (IOException | UncheckedIOException e) {
      throw new CommandException(
          ExitStatus.UNCHECKED, "Cannot write " + file + ": " + RootCause.message(e));
    }
  }

  /** Returns the configurations that can be parsed; others are of other programs and not shown. */
  private List<Configuration> readable() {
    return known.stream().filter(Bundle::isReadable).collect(Collectors.toList());
  }

  private static boolean isReadable(Configuration some) {
    try {
      return some.size() >= 0;
    } catch (RuntimeException e) {
      return false;
    }
  }

  private void add(String name, String text) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(redactor.text(text).getBytes(StandardCharsets.UTF_8));
    zip.closeEntry();
  }

  private String settings(Configuration from) {
    TreeMap<String, String> lines = new TreeMap<>();
    for (Map.Entry<String, String> entry : from) {
      String key = entry.getKey();
      if (KEYS.stream().anyMatch(key::startsWith)) {
        String source = ConfigurationReader.setBy(from, key);
        lines.put(
            key,
            redactor.value(key, entry.getValue()) + (source == null ? "" : "  (" + source + ")"));
      }
    }
    return lines.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
        .collect(Collectors.joining());
  }

  private String variables() {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(environment)
        .forEach(
            (name, value) -> {
              if (VARIABLES.stream().anyMatch(name::startsWith)) {
                text.append(name).append('=').append(redactor.value(name, value)).append('\n');
              }
            });
    return text.toString();
  }

  /** Returns the newest log files of Hadoop's daemons on this machine that this user may read. */
  private List<Path> logs() {
    String directory = environment.getOrDefault("HADOOP_LOG_DIR", "");
    if (directory.isEmpty()) {
      String home = environment.getOrDefault("HADOOP_HOME", "");
      directory = home.isEmpty() ? "" : home + "/logs";
    }
    if (directory.isEmpty() || !Files.isReadable(Paths.get(directory))) {
      return Collections.emptyList();
    }
    try (Stream<Path> files = Files.list(Paths.get(directory))) {
      return files
          .filter(file -> file.toString().endsWith(".log") && Files.isReadable(file))
          .sorted(Comparator.comparing(Bundle::modified).reversed())
          .limit(LOG_FILES_MAX)
          .collect(Collectors.toList());
    } catch (IOException e) {
      return Collections.emptyList();
    }
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      return FileTime.fromMillis(0);
    }
  }

  /** Returns the last lines of a log that mention our code or erasure coding. */
  private static String tail(Path log) throws IOException {
    byte[] bytes;
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      int length = (int) Math.min(LOG_BYTES_MAX, file.length());
      bytes = new byte[length];
      file.seek(file.length() - length);
      file.readFully(bytes);
    }
    List<String> lines =
        Arrays.stream(new String(bytes, StandardCharsets.UTF_8).split("\n"))
            .filter(line -> line.matches("(?i).*(stripeline|erasure|striped).*"))
            .collect(Collectors.toList());
    int from = Math.max(0, lines.size() - LOG_LINES_MAX);
    return String.join("\n", lines.subList(from, lines.size())) + "\n";
  }
}
