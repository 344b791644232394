// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.accumulo.core.client.Accumulo;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.BatchScanner;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.client.admin.NewTableConfiguration;
import org.apache.accumulo.core.client.rfile.RFile;
import org.apache.accumulo.core.client.rfile.RFileWriter;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Range;
import org.apache.accumulo.core.data.Value;
import org.apache.accumulo.core.security.Authorizations;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;

/**
 * Tables of an Accumulo, of rows with ten columns. Reads commands, one a line, and prints {@code
 * bytes} of the files, {@code micros} of each batch of lookups, and at the end {@code seconds}:
 *
 * <ul>
 *   <li>{@code write TABLE ROWS}: writes files, one for each tablet, in the compression of the name
 *   <li>{@code import TABLE ROWS}: creates the table and moves the files into it
 *   <li>{@code scan TABLE ROWS}: reads all rows
 *   <li>{@code lookup TABLE ROWS BATCHES}: reads batches of ten random rows
 * </ul>
 *
 * <p>Each value that is read is compared.
 */
public final class AccumuloTables {
  private static final Text FAMILY = new Text("f");
  private static final int TABLETS = 4;
  private static final int COLUMNS = 10;
  private static final int BATCH = 10;
  private static final int THREADS = 4;
  private static final int MICRO_NANOS = 1_000;

  private final AccumuloClient client;
  private final Path files;
  private final SplittableRandom random = new SplittableRandom(1);

  private AccumuloTables(AccumuloClient client, Path files) {
    this.client = client;
    this.files = files;
  }

  /** Runs with: instance, ZooKeeper, password, HDFS directory of files to import. */
  public static void main(String[] arguments) throws Exception {
    try (AccumuloClient client =
        Accumulo.newClient().to(arguments[0], arguments[1]).as("root", arguments[2]).build()) {
      new AccumuloTables(client, new Path(arguments[3])).answerAll();
    }
  }

  private void answerAll() throws Exception {
    BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    AtomicInteger unanswered = new AtomicInteger();
    Thread reader = new Thread(() -> read(commands, unanswered), "commands");
    reader.setDaemon(true);
    reader.start();
    for (String line = commands.take(); !line.isEmpty(); line = commands.take()) {
      String[] words = line.split(" ");
      long start = System.nanoTime();
      long rows = words.length > 2 ? Long.parseLong(words[2]) : 0;
      switch (words[0]) {
        case "write" -> write(words[1], rows);
        case "import" -> load(words[1], rows);
        case "scan" -> scan(words[1], rows);
        default -> lookUp(words[1], rows, Integer.parseInt(words[3]));
      }
      unanswered.decrementAndGet();
      System.out.println("seconds " + (System.nanoTime() - start) / 1e9);
    }
  }

  /**
   * Passes commands on, and an empty line at the end of the input. If the input ends before the
   * last command is answered, the process that sent it was killed, and the servers end with that:
   * this JVM ends, too, instead of waiting for them.
   */
  private static void read(BlockingQueue<String> commands, AtomicInteger unanswered) {
    try (BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        unanswered.incrementAndGet();
        commands.add(line);
      }
    } catch (IOException e) {
      System.err.println("Cannot read commands: " + e);
    }
    if (unanswered.get() > 0) {
      Runtime.getRuntime().halt(Jvm.TERMINATED);
    }
    commands.add("");
  }

  private static Map<String, String> properties(String compression) {
    return Map.of("table.file.compress.type", compression);
  }

  private void write(String table, long rows) throws IOException {
    Path directory = new Path(files, table);
    FileSystem fs = directory.getFileSystem(new Configuration());
    fs.delete(directory, true);
    fs.mkdirs(directory);
    for (int tablet = 0; tablet < TABLETS; tablet++) {
      try (RFileWriter writer =
          RFile.newWriter()
              .to(new Path(directory, tablet + ".rf").toString())
              .withFileSystem(fs)
              .withTableProperties(properties(table))
              .build()) {
        writer.startDefaultLocalityGroup();
        for (long row = first(tablet, rows); row < first(tablet + 1, rows); row++) {
          for (int column = 0; column < COLUMNS; column++) {
            writer.append(
                new Key(row(row), FAMILY, new Text("c" + column)), new Value(value(row, column)));
          }
        }
      }
    }
    System.out.println("bytes " + fs.getContentSummary(directory).getLength());
  }

  private static long first(int tablet, long rows) {
    return rows * tablet / TABLETS;
  }

  private void load(String table, long rows) throws Exception {
    SortedSet<Text> splits = new TreeSet<>();
    for (int tablet = 1; tablet < TABLETS; tablet++) {
      splits.add(row(first(tablet, rows)));
    }
    NewTableConfiguration form =
        new NewTableConfiguration().setProperties(properties(table)).withSplits(splits);
    client.tableOperations().create(table, form);
    client.tableOperations().importDirectory(files + "/" + table).to(table).load();
  }

  private void scan(String table, long rows) throws Exception {
    long found = 0;
    try (Scanner scanner = client.createScanner(table, Authorizations.EMPTY)) {
      for (Map.Entry<Key, Value> entry : scanner) {
        long row = found / COLUMNS;
        require(entry, row, (int) (found % COLUMNS));
        found++;
      }
    }
    if (found != rows * COLUMNS) {
      throw new IOException("Wrong answer: " + found + " values instead of " + rows * COLUMNS);
    }
  }

  private void lookUp(String table, long rows, int batches) throws Exception {
    List<String> micros = new ArrayList<>();
    for (int batch = 0; batch < batches; batch++) {
      SortedSet<Long> wanted = new TreeSet<>();
      while (wanted.size() < BATCH) {
        wanted.add(random.nextLong(rows));
      }
      long start = System.nanoTime();
      List<Map.Entry<Key, Value>> found = new ArrayList<>();
      try (BatchScanner scanner = client.createBatchScanner(table, Authorizations.EMPTY, THREADS)) {
        scanner.setRanges(wanted.stream().map(row -> Range.exact(row(row))).toList());
        for (Map.Entry<Key, Value> entry : scanner) {
          found.add(entry);
        }
      }
      micros.add(Long.toString((System.nanoTime() - start) / MICRO_NANOS));
      found.sort(Map.Entry.comparingByKey());
      if (found.size() != BATCH * COLUMNS) {
        throw new IOException("Wrong answer: " + found.size() + " values of " + wanted);
      }
      int next = 0;
      for (long row : wanted) {
        for (int column = 0; column < COLUMNS; column++) {
          require(found.get(next++), row, column);
        }
      }
    }
    System.out.println("micros " + String.join(" ", micros));
  }

  private static void require(Map.Entry<Key, Value> found, long row, int column)
      throws IOException {
    boolean isRight =
        found.getKey().getRow().equals(row(row))
            && found.getKey().getColumnQualifier().toString().equals("c" + column)
            && found.getValue().toString().equals(value(row, column));
    if (!isRight) {
      throw new IOException("Wrong answer: " + found + " in row " + row);
    }
  }

  private static Text row(long number) {
    return new Text(String.format("%012d", number));
  }

  /** Returns about 40 characters, of which a compression can save most, as of words. */
  private static String value(long row, int column) {
    long number = new SplittableRandom(row * COLUMNS + column).nextLong(1L << 40);
    return "the value is " + number + " in this column";
  }
}
