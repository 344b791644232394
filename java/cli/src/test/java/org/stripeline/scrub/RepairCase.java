// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.io.IOUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ReplicaFiles;

/** Runs {@code stripeline repair} on a mini cluster with one file. */
abstract class RepairCase {
  static final String FILE = "/tree/striped";
  static final String POLICY = "RS-3-2-1024k";

  @TempDir Path directory;
  ConvertCluster cluster;
  byte[] bytes;
  List<JsonObject> lines;
  String errors;

  @AfterEach
  final void stop() {
    cluster.close();
  }

  void start(int nodes, String... more) throws IOException {
    cluster =
        new ConvertCluster(
            directory.resolve("dfs"),
            nodes,
            nodes,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.setInt("dfs.datanode.scan.period.hours", -1);
              conf.setInt("dfs.datanode.directoryscan.interval", -1);
              for (int i = 0; i < more.length; i += 2) {
                conf.set(more[i], more[i + 1]);
              }
            });
    cluster.fs().enableErasureCodingPolicy(POLICY);
    bytes = ConvertCluster.bytes(7, 7 * ConvertCluster.BLOCK / 2);
    write(FILE);
  }

  void write(String path) throws IOException {
    try (FSDataOutputStream out =
        cluster
            .fs()
            .createFile(new org.apache.hadoop.fs.Path(path))
            .ecPolicyName(POLICY)
            .recursive()
            .build()) {
      out.write(bytes);
    }
  }

  int repair(String path, String... options) {
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.add(cluster.uri() + path);
    arguments.add("--json");
    ScrubReport report = ScrubReport.of(new RepairCommand(), arguments.toArray(new String[0]));
    lines = report.lines();
    errors = report.err;
    return report.status;
  }

  /** Returns the states of all repairs. */
  List<String> states() {
    List<String> states = new ArrayList<>();
    for (JsonObject line : lines) {
      JsonElement repair = line.get("repair");
      if (repair != null) {
        states.add(repair.getAsJsonObject().get("state").getAsString());
      }
    }
    return states;
  }

  String text() {
    return lines.get(0).getAsJsonObject("repair").get("text").getAsString();
  }

  /** Returns the DataNode of an internal block of the first group. */
  DatanodeInfo holder(String path, int unit) throws IOException {
    return ReplicaFiles.holder(cluster, path, 0, unit);
  }

  ReplicaFiles files(String path, int unit) throws IOException {
    return ReplicaFiles.of(cluster, path, 0, unit);
  }

  /** Replaces bytes beneath matching checksums; returns the right bytes and the wrong ones. */
  byte[][] damage(String path, int unit) throws IOException {
    ReplicaFiles files = files(path, unit);
    byte[] right = files.damage();
    return new byte[][] {right, files.bytes()};
  }

  /** Returns the contents of all block files in quarantine. */
  List<byte[]> quarantined() throws IOException {
    List<byte[]> kept = new ArrayList<>();
    try (java.util.stream.Stream<Path> all = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) all::iterator) {
        String name = path.getFileName().toString();
        boolean isKept = path.toString().contains("stripeline-quarantine");
        if (isKept && name.startsWith("blk_") && path.toFile().isFile()) {
          if (!name.endsWith(".meta")) {
            kept.add(Files.readAllBytes(path));
          }
        }
      }
    }
    return kept;
  }

  List<String> audited() throws IOException {
    List<String> states = new ArrayList<>();
    org.apache.hadoop.fs.Path audits = new org.apache.hadoop.fs.Path(RepairAudit.DIRECTORY_DEFAULT);
    for (FileStatus file : cluster.fs().listStatus(audits)) {
      byte[] content = new byte[(int) file.getLen()];
      try (FSDataInputStream in = cluster.fs().open(file.getPath())) {
        IOUtils.readFully(in, content, 0, content.length);
      }
      new String(content, StandardCharsets.UTF_8)
          .lines()
          .filter(one -> !one.isEmpty())
          .forEach(
              one ->
                  states.add(
                      JsonParser.parseString(one).getAsJsonObject().get("state").getAsString()));
    }
    return states;
  }

  void assertWhole(String path) throws IOException {
    assertThat(cluster.read(path)).isEqualTo(bytes);
  }
}
