// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.stripeline.terminal.Spread;

/**
 * The engine over several coders: table 2, section 4.3 and figures 7 to 9 of the paper on UMR-EC.
 */
final class EngineSection implements Section {
  static final String UMR_EC =
      "Shi, Lu: UMR-EC: A Unified and Multi-Rail Erasure Coding Library, 2019";

  private static final String FIRST_COME = "first-come";
  private static final String RATE_AWARE = "rate-aware";
  private static final String COORDINATED = "coordinated";
  private static final String ALONE = "alone";

  /** A point of {@code bench engine}; which fields it has depends on the part. */
  private static final class Point {
    String rail;
    String threads;
    String operation;
    String metadata;
    String rails;
    String cell;
    String window;
    String by;
    String instances;
    double[] gbps;
    double[] slowest_share;
    double[][] cdf_ms;
  }

  @Override
  public String name() {
    return "engine";
  }

  @Override
  public String title() {
    return "The engine over several coders";
  }

  @Override
  public String document() {
    return UMR_EC;
  }

  @Override
  public List<Measurement> measurements(Size size) {
    String effort =
        size.choose(
            "--quick ", "--repetitions=2 --window-ms=25 ", "--repetitions=4 --window-ms=100 ");
    List<Measurement> all = new ArrayList<>();
    for (String part : new String[] {"peaks", "metadata", "rates", "latency", "coordination"}) {
      all.add(
          Measurement.of(
                  "engine-" + part,
                  size.choose(10, 20, 40),
                  "bench engine " + effort + "--part=" + part)
              .withoutHdfs());
    }
    return all;
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    for (JsonElement part : result.getAsJsonArray("sections")) {
      List<Point> points = Section.rows(part.getAsJsonObject(), "points", Point.class);
      if (points.isEmpty()) {
        continue; // It was left out; the report says why beside the command.
      }
      switch (part.getAsJsonObject().get("part").getAsString()) {
        case "peaks":
          peaks(points, measurement, section);
          break;
        case "metadata":
          metadata(points, measurement, section);
          break;
        case "rates":
          rates(points, measurement, section);
          break;
        case "latency":
          latency(points, measurement, section);
          break;
        case "coordination":
          coordination(points, measurement, section);
          break;
        default:
          // A part that is not requested here.
      }
    }
  }

  private static void peaks(
      List<Point> points, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Table 2: coders alone",
            "The paper's ISA-L has 31.2 and 29.7 GB/s for encode and decode on all processors of a"
                + " node, Jerasure 17.4 and 10.9, a network adapter 8.5 and 7.6, a GPU 11.5 and"
                + " 10.6; this machine has other processors. null codes nothing.",
            measurement);
    EvaluationReport.Panel panel = figure.panel("RS-6-3, data", "GB/s", null);
    for (Point point : points) {
      panel.bar(
          point.rail + ", " + point.threads + " threads", point.operation, spread(point), null);
    }
  }

  private static void metadata(
      List<Point> points, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Figure 7: with a record of which coder coded each chunk, and without",
            "All rails here share field and matrices, so that no record is kept. The paper's"
                + " metadata server was reached over a network, this memcached over a local"
                + " socket.",
            measurement);
    EvaluationReport.Panel panel = figure.panel("chunks for each record", "GB/s", null);
    for (Point point : points) {
      panel.bar(point.metadata, point.operation, spread(point), null);
    }
    String[][] published = {
      {"encode", "up to 4.2", "up to 1.3"}, {"decode-m", "up to 4.6", "up to 1.4"}
    };
    for (String[] row : published) {
      Double none = rate(points, row[0], "none");
      Double each = rate(points, row[0], "a value per 1 chunk(s)");
      Double many = rate(points, row[0], "a value per 32 chunk(s)");
      figure.compareRatio(row[0] + ", none over a record for each chunk", row[1], none, each);
      figure.compareRatio(row[0] + ", none over a record for 32", row[2], none, many);
    }
  }

  private static Double rate(List<Point> points, String operation, String metadata) {
    for (Point point : points) {
      if (point.operation.equals(operation) && point.metadata.equals(metadata)) {
        return spread(point).median;
      }
    }
    return null;
  }

  private static void rates(
      List<Point> points, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Figure 8: scheduling by rates, and first come first served",
            "Rails of one machine share its processors, so that their sum is no bound; virtual"
                + " rails code and then sleep, as independent devices of these rates would take.",
            measurement);
    Map<String, List<Point>> groups = new LinkedHashMap<>();
    for (Point point : points) {
      if (point.cell.equals("64KiB") && point.window.equals("4")) {
        String group = point.rails + " " + point.operation;
        groups.computeIfAbsent(group, key -> new ArrayList<>()).add(point);
      }
    }
    EvaluationReport.Panel panel = figure.panel("64 KiB cells, 4 stripes", "GB/s", null);
    groups.forEach(
        (group, members) -> {
          members.forEach(point -> panel.bar(point.by, group, spread(point), null));
          compareRates(figure, group, members);
        });
  }

  private static void compareRates(
      EvaluationReport.Figure figure, String group, List<Point> members) {
    Double aware = null;
    Double firstCome = null;
    List<Double> alone = new ArrayList<>();
    for (Point point : members) {
      double rate = spread(point).median;
      if (point.by.equals(RATE_AWARE)) {
        aware = rate;
      } else if (point.by.equals(FIRST_COME)) {
        firstCome = rate;
      } else {
        alone.add(rate);
      }
    }
    double[] rates = alone.stream().mapToDouble(Double::doubleValue).toArray();
    boolean isEncode = group.endsWith(" encode");
    figure.compareRatio(
        group + ", rate-aware over first-come",
        isEncode ? "up to 1.175" : "up to 1.173",
        aware,
        firstCome);
    figure.compareRatio(
        group + ", rate-aware over the fastest rail (equation " + (isEncode ? "3)" : "4)"),
        "more than 1",
        aware,
        PipelineModel.fastest(rates));
    figure.compareRatio(
        group + ", rate-aware over the sum of the rails (equation 6)",
        "very close to 1",
        aware,
        PipelineModel.together(rates));
  }

  private static void latency(
      List<Point> points, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Figure 9: time of a stripe, cumulative distribution",
            "In the paper, the last stripes of first-come scheduling wait for the slowest coder;"
                + " here the coders share the processors, except the virtual ones.",
            measurement);
    for (Point point : points) {
      EvaluationReport.Panel panel = figure.panel(point.rails, "% of stripes", "ms");
      for (double[] step : point.cdf_ms) {
        panel.point(point.by, step[0], 100 * step[1]);
      }
    }
  }

  private static void coordination(
      List<Point> points, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Section 4.3: several instances on a node, coordinated and alone",
            "The paper has no figure of it. Each instance is a process with an engine that codes"
                + " all the time; alone, each has as many threads as the machine has processors,"
                + " coordinated, all together have that many, but at least one each. With few"
                + " processors the operating system divides them as well.",
            measurement);
    for (Point point : points) {
      figure
          .panel("all instances together", "GB/s", null)
          .bar(point.by, point.instances + " instances", spread(point), null);
      figure
          .panel("the slowest instance over the mean", "x", null)
          .bar(point.by, point.instances + " instances", spread(point.slowest_share), null);
      if (point.by.equals(COORDINATED)) {
        figure.compareRatio(
            point.instances + " instances, coordinated over alone",
            "-",
            spread(point).median,
            Section.median(
                points,
                other -> other.by.equals(ALONE) && other.instances.equals(point.instances),
                other -> spread(other).median));
      }
    }
  }

  private static Spread spread(Point point) {
    return spread(point.gbps);
  }

  private static Spread spread(double[] values) {
    return Spread.of(Arrays.stream(values).boxed().collect(Collectors.toList()));
  }
}
