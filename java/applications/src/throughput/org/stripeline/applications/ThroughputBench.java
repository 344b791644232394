// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.ErasureCodeBenchmarkThroughput;
import org.apache.hadoop.util.ToolRunner;
import org.apache.hadoop.util.VersionInfo;

/**
 * Hadoop's ErasureCodeBenchmarkThroughput with each coder and client: clients that write, and read
 * statefully and by position, also without one DataNode. The digests of the files are compared as
 * read with all DataNodes by Hadoop's client, and without two of them by that client with its Java
 * coder and by the contestant's client.
 *
 * <p>Arguments: contestants separated by commas, clients, MiB of each client's file, repetitions.
 */
public final class ThroughputBench {
  /** Each client reads and writes with a buffer of this size. */
  private static final int BUFFER_MIB = 32;

  private final BenchHdfs hdfs;
  private final List<Sample> samples = new ArrayList<>();

  /** One run of the tool. */
  record Sample(
      String contestant, String operation, int repetition, double seconds, double mibPerSecond) {}

  private ThroughputBench(BenchHdfs hdfs) {
    this.hdfs = hdfs;
  }

  /** Runs the bench and ends the JVM. */
  public static void main(String[] arguments) {
    System.setProperty("test.benchmark.buffer.mb", String.valueOf(BUFFER_MIB));
    BenchMain.run(
        "the throughput of clients",
        main -> {
          try (BenchHdfs hdfs = BenchHdfs.start(main.folder())) {
            return new ThroughputBench(hdfs).measure(main.contestants(arguments[0]), arguments);
          }
        });
  }

  private Map<String, Object> measure(List<Contestant> contestants, String[] arguments)
      throws Exception {
    int clients = Integer.parseInt(arguments[1]);
    int mebibytes = Integer.parseInt(arguments[2]);
    int repetitions = Integer.parseInt(arguments[3]);
    hdfs.makeDirectories(contestants);
    // All share this JVM with the servers, which compiles while these run.
    for (Contestant contestant : contestants) {
      try (Turn turn = new Turn(contestant, 0, clients, Math.min(mebibytes, BUFFER_MIB))) {
        turn.warmUp();
      }
    }
    for (int repetition = 0; repetition < repetitions; repetition++) {
      for (Contestant contestant : Contestant.inTurn(contestants, repetition, repetitions)) {
        System.err.println("repetition " + (repetition + 1) + ": " + contestant.label);
        try (Turn turn = new Turn(contestant, repetition, clients, mebibytes)) {
          turn.run();
        }
      }
    }
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("hadoop", VersionInfo.getVersion());
    results.put("policy", BenchHdfs.POLICY);
    results.put("clients", clients);
    results.put("fileMebibytes", mebibytes);
    results.put("samples", samples);
    return results;
  }

  /** The operations with one contestant. */
  private final class Turn implements AutoCloseable {
    private final Contestant contestant;
    private final int repetition;
    private final int clients;
    private final int mebibytes;
    private final FileSystem fs;

    Turn(Contestant contestant, int repetition, int clients, int mebibytes) throws IOException {
      this.contestant = contestant;
      this.repetition = repetition;
      this.clients = clients;
      this.mebibytes = mebibytes;
      fs = hdfs.client(contestant);
    }

    void warmUp() throws Exception {
      tool("gen");
      tool("read", "stf");
      tool("read", "pos");
      tool("clean");
    }

    void run() throws Exception {
      // What classes and connections need for the first time.
      tool("write");
      // Otherwise the tool finds its files and writes nothing; it deletes them when it ends.
      tool("clean");
      time("write", "write");
      tool("clean");
      tool("gen");
      time("read-stateful", "read", "stf");
      time("read-positional", "read", "pos");
      hdfs.withoutDataOf(
          directory(),
          1,
          () -> {
            time("read-stateful-dead1", "read", "stf");
            time("read-positional-dead1", "read", "pos");
          });
      check();
      tool("clean");
    }

    private void time(String operation, String... arguments) throws Exception {
      long start = System.nanoTime();
      tool(arguments);
      double seconds = (System.nanoTime() - start) / 1e9;
      double rate = (double) clients * mebibytes / seconds;
      samples.add(new Sample(contestant.label, operation, repetition, seconds, rate));
    }

    private void tool(String... operation) throws Exception {
      List<String> arguments = new ArrayList<>();
      arguments.add(operation[0]);
      arguments.add(String.valueOf(mebibytes));
      arguments.add(contestant.isReplicated() ? "rep" : "ec");
      arguments.add(String.valueOf(clients));
      arguments.addAll(List.of(operation).subList(1, operation.length));
      int status =
          ToolRunner.run(
              fs.getConf(),
              new ErasureCodeBenchmarkThroughput(fs),
              arguments.toArray(new String[0]));
      if (status != 0) {
        throw new IOException(arguments + " ended with status " + status);
      }
    }

    private void check() throws Exception {
      int files = fs.listStatus(directory()).length;
      if (files != clients) {
        throw new IOException(
            "Wrong number of files in " + directory() + ": " + files + ", not " + clients);
      }
      String expected = hdfs.digest(directory());
      hdfs.withoutDataOf(
          directory(),
          BenchHdfs.DEAD,
          () -> {
            hdfs.requireDigest(expected, directory());
            BenchHdfs.requireDigest(expected, directory(), fs, "the client of " + contestant.label);
          });
    }

    /** Returns the directory of the tool's files. */
    private Path directory() {
      return new Path(
          contestant.isReplicated()
              ? ErasureCodeBenchmarkThroughput.REP_DIR
              : ErasureCodeBenchmarkThroughput.EC_DIR);
    }

    @Override
    public void close() throws IOException {
      fs.close();
    }
  }
}
