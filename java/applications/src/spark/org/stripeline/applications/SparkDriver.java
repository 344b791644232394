// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.util.Collections;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * A driver that runs until it, or the process that started it, is killed; its settings are the
 * JVM's properties {@code spark.*}.
 */
public final class SparkDriver {
  static final int ROWS = 1_000;
  private static final int TASKS = 40;

  private SparkDriver() {}

  /** Runs with: {@code jobs}; or {@code stream} or {@code count}, the directory. */
  public static void main(String[] arguments) throws Exception {
    if (!arguments[0].equals("count")) {
      Jvm.atEndOfInput(() -> Runtime.getRuntime().halt(0));
    }
    try (SparkSession spark = SparkSession.builder().master("local[2]").getOrCreate()) {
      if (arguments[0].equals("jobs")) {
        jobs(spark);
      } else if (arguments[0].equals("stream")) {
        stream(spark, arguments[1]);
      } else {
        count(spark, arguments[1]);
      }
    }
  }

  /** Runs one job after the other, and prints its number when its events are in the event log. */
  private static void jobs(SparkSession spark) throws Exception {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    for (long job = 1; ; job++) {
      context.parallelize(Collections.nCopies(TASKS, 1), TASKS).count();
      spark.sparkContext().listenerBus().waitUntilEmpty();
      System.out.println("acknowledged " + job);
    }
  }

  /** Copies numbers to files, without those that the state store knows; prints how many. */
  private static void stream(SparkSession spark, String folder) throws Exception {
    Dataset<Row> numbers =
        spark
            .readStream()
            .format("rate-micro-batch")
            .option("rowsPerBatch", ROWS)
            .option("numPartitions", 2)
            .load();
    StreamingQuery query =
        numbers
            .dropDuplicates("value")
            .selectExpr("cast(value as string)")
            .writeStream()
            .format("text")
            .option("checkpointLocation", folder + "/checkpoint")
            .start(folder + "/output");
    long printed = -1;
    while (query.isActive()) {
      StreamingQueryProgress progress = query.lastProgress();
      if (progress != null && progress.batchId() > printed) {
        printed = progress.batchId();
        System.out.println("acknowledged " + (printed + 1) * ROWS);
      }
      query.awaitTermination(10);
    }
  }

  /** Prints how many rows there are, and how many numbers from 0 on are there without a gap. */
  private static void count(SparkSession spark, String folder) {
    Dataset<Row> rows = spark.read().text(folder + "/output");
    long[] numbers =
        rows.as(Encoders.STRING()).collectAsList().stream()
            .mapToLong(Long::parseLong)
            .sorted()
            .distinct()
            .toArray();
    long gap =
        LongStream.range(0, numbers.length)
            .filter(i -> numbers[(int) i] != i)
            .findFirst()
            .orElse(numbers.length);
    System.out.println("rows " + rows.count() + " " + gap);
  }
}
