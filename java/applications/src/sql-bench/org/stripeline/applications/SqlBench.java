// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.VersionInfo;

/**
 * Spark's SQL over tables in each format with each coder and client: writes tables like those of
 * TPC-H, counts rows, and runs queries 3 and 6, also without two DataNodes. Each answer is compared
 * with that of DuckDB over the same tables.
 *
 * <p>Contestants take turns, each in a new JVM of Spark, which first runs every query once untimed.
 *
 * <p>Arguments: contestants, formats ({@code parquet}, {@code orc}), both separated by commas,
 * orders, repetitions. The environment has the class path of the engines in {@code
 * ENGINES_CLASS_PATH}.
 */
public final class SqlBench {
  private static final String[] QUERIES = {"count", "Q3", "Q6"};

  private final BenchHdfs hdfs;
  private final Path folder;
  private final String classPath = System.getenv("ENGINES_CLASS_PATH");
  private final List<Sample> samples = new ArrayList<>();

  /** One run of a statement. */
  record Sample(
      String contestant, String format, String operation, int repetition, double seconds) {}

  private SqlBench(BenchHdfs hdfs, Path folder) {
    this.hdfs = hdfs;
    this.folder = folder;
  }

  /** Runs the bench and ends the JVM. */
  public static void main(String[] arguments) {
    BenchMain.run(
        "SQL",
        main -> {
          try (BenchHdfs hdfs = BenchHdfs.start(main.folder())) {
            return new SqlBench(hdfs, main.folder())
                .measure(main.contestants(arguments[0]), arguments);
          }
        });
  }

  private Map<String, Object> measure(List<Contestant> contestants, String[] arguments)
      throws Exception {
    String[] formats = arguments[1].split(",");
    long orders = Long.parseLong(arguments[2]);
    int repetitions = Integer.parseInt(arguments[3]);
    hdfs.makeDirectories(contestants);
    Map<String, List<String>> expected = answersOfDuckDb(orders);
    for (int repetition = 0; repetition < repetitions; repetition++) {
      for (Contestant contestant : Contestant.inTurn(contestants, repetition, repetitions)) {
        String directory = contestant.directory() + "/tables";
        try (Spark spark = new Spark(contestant, directory)) {
          for (String format : formats) {
            System.err.println(
                "repetition " + (repetition + 1) + ": " + contestant.label + ", " + format);
            new Turn(spark, contestant, format, repetition).measure(orders, expected);
          }
        }
        hdfs.fileSystem().delete(new org.apache.hadoop.fs.Path(directory), true);
      }
    }
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("hadoop", VersionInfo.getVersion());
    results.put("policy", BenchHdfs.POLICY);
    results.put("orders", orders);
    results.put("samples", samples);
    return results;
  }

  /** One repetition with the tables of one contestant in one format. */
  private final class Turn {
    private final Spark spark;
    private final Contestant contestant;
    private final String format;
    private final int repetition;

    Turn(Spark spark, Contestant contestant, String format, int repetition) {
      this.spark = spark;
      this.contestant = contestant;
      this.format = format;
      this.repetition = repetition;
    }

    void measure(long orders, Map<String, List<String>> expected) throws Exception {
      spark.ask("write " + format + " " + orders);
      add("write", spark.answer(null));
      // What Spark and the JVM do for the first time.
      for (String query : QUERIES) {
        run(query, expected);
      }
      for (String query : QUERIES) {
        add(query, run(query, expected));
      }
      // Both queries and the count read it.
      org.apache.hadoop.fs.Path items =
          new org.apache.hadoop.fs.Path(contestant.directory(), "tables/" + format + "/lineitem");
      // Before the queries, because what Spark reports of wrong bytes differs between formats.
      String digest = hdfs.digest(items);
      hdfs.withoutDataOf(items, BenchHdfs.DEAD, () -> hdfs.requireDigest(digest, items));
      for (String query : QUERIES) {
        hdfs.withoutDataOf(
            items,
            BenchHdfs.DEAD,
            () -> add(query + "-killed" + BenchHdfs.DEAD, run(query, expected)));
      }
    }

    /** Returns the seconds of a query whose answer is right. */
    private double run(String query, Map<String, List<String>> expected) throws IOException {
      spark.ask("query " + format + " " + query);
      return spark.answer(expected.get(query));
    }

    private void add(String operation, double seconds) {
      samples.add(new Sample(contestant.label, format, operation, repetition, seconds));
    }
  }

  /** Returns the rows of the answers by query, from tables that Hadoop's client has written. */
  private Map<String, List<String>> answersOfDuckDb(long orders) throws Exception {
    String directory = "/expected";
    try (Spark spark = new Spark(Contestant.REPLICATION, directory)) {
      spark.ask("write parquet " + orders);
      spark.answer(null);
    }
    Path local = folder.resolve("expected");
    hdfs.fileSystem()
        .copyToLocalFile(
            new org.apache.hadoop.fs.Path(directory, "parquet"),
            new org.apache.hadoop.fs.Path(local.toUri()));
    hdfs.fileSystem().delete(new org.apache.hadoop.fs.Path(directory), true);
    Map<String, List<String>> answers = new LinkedHashMap<>();
    try (Jvm duckDb =
        new Jvm.Setting(classPath, List.of("-Xmx1g"), folder)
            .start("org.stripeline.applications.DuckDbTables", local.toString())) {
      List<String> rows = new ArrayList<>();
      for (String line = duckDb.output().readLine(); line != null; ) {
        if (line.startsWith("query ")) {
          rows = new ArrayList<>();
          answers.put(line.substring("query ".length()), rows);
        } else if (line.startsWith("row ")) {
          rows.add(line);
        }
        line = duckDb.output().readLine();
      }
      duckDb.waitForEnd();
    }
    for (String query : QUERIES) {
      if (answers.getOrDefault(query, List.of()).isEmpty()) {
        throw new IOException("DuckDB has no answer to " + query);
      }
    }
    return answers;
  }

  /** A Spark over the tables of one contestant. */
  private final class Spark implements AutoCloseable {
    private final Jvm jvm;
    private final PrintWriter commands;

    Spark(Contestant contestant, String directory) throws IOException {
      List<String> options = new ArrayList<>(List.of("-Xmx1500m"));
      contestant
          .settings()
          .forEach((key, value) -> options.add("-Dspark.hadoop." + key + "=" + value));
      Path own = Files.createDirectories(folder.resolve("spark"));
      options.add("-Djava.io.tmpdir=" + own);
      options.add("-Dspark.sql.warehouse.dir=" + own.resolve("warehouse"));
      jvm =
          new Jvm.Setting(classPath, options, own)
              .start(
                  "org.stripeline.applications.SparkTables",
                  hdfs.fileSystem().getUri() + directory);
      commands = new PrintWriter(jvm.input(), true);
    }

    void ask(String command) {
      commands.println(command);
    }

    /** Waits for the answer, compares it if a right one is given, and returns its seconds. */
    double answer(List<String> expected) throws IOException {
      List<String> rows = new ArrayList<>();
      BufferedReader output = jvm.output();
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith("row ")) {
          rows.add(line);
        }
        // Messages of logs are between them.
        if (!line.startsWith("seconds ")) {
          continue;
        }
        if (expected != null && !rows.equals(expected)) {
          throw new IOException("Wrong answer: " + rows + ", but DuckDB has " + expected);
        }
        return Double.parseDouble(line.substring("seconds ".length()));
      }
      throw new IOException(
          "Spark ended: "
              + String.join("\n", Files.readAllLines(folder.resolve("spark/SparkTables.log"))));
    }

    @Override
    public void close() {
      jvm.close();
    }
  }
}
