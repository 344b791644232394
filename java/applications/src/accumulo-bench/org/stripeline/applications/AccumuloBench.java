// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.util.VersionInfo;

/**
 * Accumulo with its tables stored by each coder and client: writes files in each compression,
 * imports and scans them, and looks up rows of the first compression with all DataNodes, with two
 * dead ones, and after HDFS has rebuilt their blocks. Each value that is read is compared.
 *
 * <p>Arguments: contestants, the erasure coding policy, compressions ({@code gz}, {@code snappy},
 * {@code none}), rows of each table, batches of ten lookups. Lists are separated by commas. The
 * environment has the class path of Accumulo in {@code ENGINES_CLASS_PATH}.
 */
public final class AccumuloBench {
  /** The share of the rows that is written before the timed files, and the least number. */
  private static final long WARM_SHARE = 4;

  private static final long ROWS_MIN = 100;

  /** A command that takes longer has failed: Accumulo's clients wait for servers without end. */
  private static final int COMMAND_MINUTES_MAX = 60;

  private static final double MILLI_MICROS = 1e3;

  private final BenchHdfs hdfs;
  private final Path folder;
  private final String zooKeepers;
  private final List<Sample> samples = new ArrayList<>();
  private final List<Lookups> lookups = new ArrayList<>();

  /** One operation on a table. */
  record Sample(
      String contestant, String compression, String operation, double seconds, long bytes) {}

  /** Milliseconds of each batch of lookups. */
  record Lookups(String contestant, String state, double[] milliseconds) {}

  private AccumuloBench(BenchHdfs hdfs, Path folder, String zooKeepers) {
    this.hdfs = hdfs;
    this.folder = folder;
    this.zooKeepers = zooKeepers;
  }

  /** Runs the bench and ends the JVM. */
  public static void main(String[] arguments) {
    BenchMain.run(
        "Accumulo",
        main -> {
          ErasureCodingPolicy policy = BenchHdfs.policy(arguments[1]);
          // As many more as die, so that their blocks can be rebuilt.
          int dataNodes = policy.getNumDataUnits() + policy.getNumParityUnits() + BenchHdfs.DEAD;
          try (BenchHdfs hdfs = BenchHdfs.start(main.folder(), dataNodes)) {
            int port = Trial.freePort();
            try (Jvm zooKeeper = Jvm.startZooKeeper(setting(main.folder(), main.folder()), port)) {
              return new AccumuloBench(hdfs, main.folder(), "localhost:" + port)
                  .measure(main.contestants(arguments[0]), arguments);
            }
          }
        });
  }

  /** Returns what JVMs run with whose site files are in a folder. */
  private static Jvm.Setting setting(Path site, Path folder) {
    return new Jvm.Setting(
        site + ":" + System.getenv("ENGINES_CLASS_PATH"),
        List.of("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir")),
        folder);
  }

  private Map<String, Object> measure(List<Contestant> contestants, String[] arguments)
      throws Exception {
    String policy = arguments[1];
    String[] compressions = arguments[2].split(",");
    long rows = Long.parseLong(arguments[3]);
    int batches = Integer.parseInt(arguments[4]);
    hdfs.makeDirectories(contestants, policy);
    for (Contestant contestant : contestants) {
      System.err.println(contestant.label);
      measure(contestant, compressions, rows, batches);
    }
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("hadoop", VersionInfo.getVersion());
    results.put("policy", policy);
    results.put("rows", rows);
    results.put("samples", samples);
    results.put("lookups", lookups);
    return results;
  }

  private void measure(Contestant contestant, String[] compressions, long rows, int batches)
      throws Exception {
    String root = hdfs.fileSystem().getUri() + contestant.directory().toString();
    Path own = Files.createDirectories(folder.resolve(contestant.label));
    writeSite(own.resolve("core-site.xml"), contestant);
    // Logs are replicated, as the document advises.
    DistributedFileSystem fs = hdfs.fileSystem();
    org.apache.hadoop.fs.Path logs = new org.apache.hadoop.fs.Path(root, "accumulo/wal");
    fs.mkdirs(logs);
    fs.setErasureCodingPolicy(logs, "REPLICATION");
    AccumuloServers servers =
        new AccumuloServers(
            contestant.label, zooKeepers, root + "/accumulo", Map.of(), setting(own, own));
    servers.initialize();
    try (Jvm manager = servers.startManager();
        Jvm tabletServer = servers.startTabletServer();
        Tables tables = new Tables(contestant, root + "/files", own)) {
      // It would wait for them without end.
      tables.jvm.endWith(manager);
      tables.jvm.endWith(tabletServer);
      for (String compression : compressions) {
        // Once before they are timed, for the compilers.
        tables.ask("write " + compression + " " + Math.max(ROWS_MIN, rows / WARM_SHARE));
        tables.measure("write", compression, rows);
        tables.measure("import", compression, rows);
        tables.ask("scan " + compression + " " + rows);
        tables.measure("scan", compression, rows);
      }
      String lookup = "lookup " + compressions[0] + " " + rows + " " + batches;
      tables.ask(lookup);
      tables.lookUp("all DataNodes", lookup);
      org.apache.hadoop.fs.Path imported = imported(contestant);
      String expected = hdfs.digest(imported);
      hdfs.withoutDataOf(
          imported,
          BenchHdfs.DEAD,
          () -> {
            // Accumulo's clients would repeat a lookup of wrong bytes without end.
            hdfs.requireDigest(expected, imported);
            tables.lookUp(BenchHdfs.DEAD + " dead", lookup);
            hdfs.rebuild();
            tables.lookUp("rebuilt", lookup);
          });
    }
    fs.delete(contestant.directory(), true);
  }

  /** Returns the directory of the table that was imported first, whose rows are looked up. */
  private org.apache.hadoop.fs.Path imported(Contestant contestant) throws IOException {
    org.apache.hadoop.fs.Path tables =
        new org.apache.hadoop.fs.Path(contestant.directory(), "accumulo/tables");
    // Those of Accumulo itself begin with other signs.
    FileStatus[] found =
        hdfs.fileSystem().globStatus(new org.apache.hadoop.fs.Path(tables, "[1-9a-z]*"));
    if (found.length == 0) {
      throw new IOException("Cannot find the imported table in " + tables);
    }
    return found[0].getPath();
  }

  private void writeSite(Path file, Contestant contestant) throws IOException {
    StringBuilder site = new StringBuilder("<configuration>");
    Trial.property(site, "fs.defaultFS", hdfs.fileSystem().getUri().toString());
    contestant
        .settings()
        .forEach(
            (name, value) -> {
              // Servers open it for each file.
              if (!name.endsWith(".disable.cache")) {
                Trial.property(site, name, value);
              }
            });
    Files.writeString(file, site.append("</configuration>"));
  }

  /** The client of one Accumulo. */
  private final class Tables implements AutoCloseable {
    private final Contestant contestant;
    private final Path own;
    private final Jvm jvm;
    private final PrintWriter commands;
    private final ScheduledExecutorService limits = Executors.newSingleThreadScheduledExecutor();

    Tables(Contestant contestant, String files, Path own) throws IOException {
      this.contestant = contestant;
      this.own = own;
      jvm =
          setting(own, own)
              .with("-Xmx512m")
              .start(
                  "org.stripeline.applications.AccumuloTables",
                  contestant.label,
                  zooKeepers,
                  AccumuloServers.PASSWORD,
                  files);
      commands = new PrintWriter(jvm.input(), true);
    }

    void measure(String operation, String table, long rows) throws IOException {
      Map<String, String> answer = ask(operation + " " + table + " " + rows);
      samples.add(
          new Sample(
              contestant.label,
              table,
              operation,
              Double.parseDouble(answer.get("seconds")),
              Long.parseLong(answer.getOrDefault("bytes", "0"))));
    }

    void lookUp(String state, String command) throws IOException {
      double[] milliseconds =
          Arrays.stream(ask(command).get("micros").split(" "))
              .mapToDouble(micros -> Long.parseLong(micros) / MILLI_MICROS)
              .toArray();
      lookups.add(new Lookups(contestant.label, state, milliseconds));
    }

    /** Waits for the end of a command, and returns the lines that it has printed. */
    Map<String, String> ask(String command) throws IOException {
      ScheduledFuture<?> limit = limits.schedule(jvm::close, COMMAND_MINUTES_MAX, TimeUnit.MINUTES);
      try {
        return answer(command);
      } finally {
        limit.cancel(false);
      }
    }

    private Map<String, String> answer(String command) throws IOException {
      commands.println(command);
      Map<String, String> answer = new LinkedHashMap<>();
      BufferedReader output = jvm.output();
      while (!answer.containsKey("seconds")) {
        String line = output.readLine();
        if (line == null) {
          throw new IOException(
              command
                  + " failed: "
                  + String.join("\n", Files.readAllLines(own.resolve("AccumuloTables.log"))));
        }
        // Messages of logs are between them.
        String[] words = line.split(" ", 2);
        answer.put(words[0], words.length > 1 ? words[1] : "");
      }
      return answer;
    }

    @Override
    public void close() {
      limits.shutdownNow();
      jvm.close();
    }
  }
}
