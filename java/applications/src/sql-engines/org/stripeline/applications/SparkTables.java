// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Spark over tables of one format in one directory. Reads commands, one a line: {@code write
 * ORDERS}, {@code query NAME}. Prints {@code row} and each row of the answer, then {@code seconds}
 * and the time of the command.
 */
public final class SparkTables {
  private final SparkSession spark;
  private final String directory;
  private final String format;

  private SparkTables(SparkSession spark, String directory, String format) {
    this.spark = spark;
    this.directory = directory;
    this.format = format;
  }

  /** Runs with: the directory, {@code parquet} or {@code orc}. */
  public static void main(String[] arguments) throws IOException {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "4")
            .getOrCreate()) {
      new SparkTables(spark, arguments[0], arguments[1]).answerAll();
    }
  }

  private void answerAll() throws IOException {
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ");
      List<String> answer = List.of();
      long start = System.nanoTime();
      if (words[0].equals("write")) {
        write(Long.parseLong(words[1]));
      } else {
        answer = query(Tables.QUERIES.get(words[1]));
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      answer.forEach(row -> System.out.println("row " + row));
      System.out.println("seconds " + seconds);
    }
  }

  private void write(long orders) {
    for (String table : Tables.DEFINITIONS.keySet()) {
      spark
          .range(0, orders * Tables.rowsPerOrder(table) / Tables.SHARE, 1, 4)
          .selectExpr(Tables.DEFINITIONS.get(table))
          .write()
          .format(format)
          .save(directory + "/" + table);
    }
  }

  private List<String> query(String text) {
    for (String table : Tables.DEFINITIONS.keySet()) {
      spark.read().format(format).load(directory + "/" + table).createOrReplaceTempView(table);
    }
    List<String> rows = new ArrayList<>();
    for (Row row : spark.sql(text).collectAsList()) {
      List<Object> values = new ArrayList<>();
      for (int column = 0; column < row.length(); column++) {
        values.add(row.get(column));
      }
      rows.add(Tables.row(values));
    }
    return rows;
  }
}
