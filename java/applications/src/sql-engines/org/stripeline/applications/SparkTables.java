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
 * Spark over tables in directories of their format. Reads commands, one a line: {@code write FORMAT
 * ORDERS}, {@code query FORMAT NAME}; formats are {@code parquet} and {@code orc}. Prints {@code
 * row} and each row of the answer, then {@code seconds} and the time of the command.
 */
public final class SparkTables {
  private final SparkSession spark;
  private final String directory;

  private SparkTables(SparkSession spark, String directory) {
    this.spark = spark;
    this.directory = directory;
  }

  /** Runs with the directory of those of the formats. */
  public static void main(String[] arguments) throws IOException {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "4")
            .getOrCreate()) {
      new SparkTables(spark, arguments[0]).answerAll();
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
        write(words[1], Long.parseLong(words[2]));
      } else {
        answer = query(words[1], Tables.QUERIES.get(words[2]));
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      answer.forEach(row -> System.out.println("row " + row));
      System.out.println("seconds " + seconds);
    }
  }

  private void write(String format, long orders) {
    for (String table : Tables.DEFINITIONS.keySet()) {
      spark
          .range(0, orders * Tables.rowsPerOrder(table) / Tables.SHARE, 1, 4)
          .selectExpr(Tables.DEFINITIONS.get(table))
          .write()
          .format(format)
          .save(path(format, table));
    }
  }

  private List<String> query(String format, String text) {
    for (String table : Tables.DEFINITIONS.keySet()) {
      spark.read().format(format).load(path(format, table)).createOrReplaceTempView(table);
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

  private String path(String format, String table) {
    return directory + "/" + format + "/" + table;
  }
}
