// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.stripeline.terminal.Spread;

/** Spark's SQL on Parquet and ORC: figures 11 and 12 of the progress report. */
final class SqlSection implements Section {
  private static final String REPLICATION = "3-rep";

  /** A run of a statement. */
  private static final class Sample {
    String contestant;
    String format;
    String operation;
    double seconds;
  }

  @Override
  public String name() {
    return "sql";
  }

  @Override
  public String title() {
    return "SQL by Spark";
  }

  @Override
  public String document() {
    return ClientSection.PROGRESS_REPORT;
  }

  @Override
  public List<Measurement> measurements(Size size) {
    String arguments =
        size.choose(
            "functional-partitioned parquet 2000 1",
            "3-rep,functional-partitioned parquet,orc 10000 1",
            "3-rep,rs_java,isal,coder,functional-partitioned parquet,orc 100000 3");
    return Collections.singletonList(
        Measurement.script(
            "sql", size.choose(60, 100, 430), "scripts/application.sh sql " + arguments));
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    List<Sample> samples = Section.rows(result, "samples", Sample.class);
    EvaluationReport.Figure figure =
        section.figure(
            "Figures 11 and 12: time of queries, without and with two DataNodes killed",
            "The document's Hive on Spark read 500 GB from the disks of nine machines, with empty"
                + " page caches, and lost the locality of replicas; here tables are small and in"
                + " the page cache, and most of the time is Spark's. Cells have 1 MiB here, 64 KiB"
                + " there. Every answer is that of DuckDB.",
            measurement);
    Map<String, List<Sample>> bars =
        samples.stream()
            .collect(
                Collectors.groupingBy(
                    one -> one.format + "|" + one.operation + "|" + one.contestant,
                    LinkedHashMap::new,
                    Collectors.toList()));
    for (List<Sample> same : bars.values()) {
      Sample first = same.get(0);
      figure
          .panel(first.format, "s", null)
          .bar(first.contestant, first.operation, Spread.of(same, one -> one.seconds), null);
    }
    String[][] published = {
      {"Q3", "+9 (ISA-L)"},
      {"Q6", "+42 (ISA-L)"},
      {"Q3-killed2", "+9 (ISA-L)"},
      {"Q6-killed2", "+58 (ISA-L)"}
    };
    String[] contestants =
        samples.stream()
            .map(one -> one.contestant)
            .filter(one -> !one.equals(REPLICATION))
            .distinct()
            .toArray(String[]::new);
    String[] formats = samples.stream().map(one -> one.format).distinct().toArray(String[]::new);
    for (String[] query : published) {
      for (String format : formats) {
        for (String contestant : contestants) {
          figure.compareChange(
              query[0] + " on " + format + ", time with " + contestant + " over 3 replicas",
              query[1],
              median(samples, format, query[0], contestant),
              median(samples, format, query[0], REPLICATION));
        }
      }
    }
  }

  private static Double median(
      List<Sample> samples, String format, String operation, String contestant) {
    return Section.median(
        samples,
        one ->
            one.format.equals(format)
                && one.operation.equals(operation)
                && one.contestant.equals(contestant),
        one -> one.seconds);
  }
}
