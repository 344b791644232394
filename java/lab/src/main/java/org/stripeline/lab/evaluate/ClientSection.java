// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.lab.bench.cluster.ShapedNetwork;
import org.stripeline.terminal.Spread;

/**
 * Writes and reads by coder and pipeline: figures 3 to 7 of the progress report, and figures 10 and
 * 12 of the paper on UMR-EC, whose clients are the tasks of TestDFSIO.
 */
final class ClientSection implements Section {
  static final String PROGRESS_REPORT =
      "Li, Zhang, Zheng, Wang: Progress Report: Bringing Erasure Coding to Apache Hadoop, 2016";

  private static final String OURS = "functional-partitioned";
  private static final String WRITE_BUSY = "write-busy";
  private static final String LINKS = "links";

  /** Followed by the rate of the link in Mbit/s. */
  private static final String CLIENT_LINK = "client-link-";

  /** As the narrower of the report's two links: less than what six DataNodes can send. */
  private static final int NARROW_MBIT = 1000;

  private static final String COLD = "cold";
  private static final String WHILE_BUSY = "busy";
  private static final String RAILS = "client-rails";

  /** There where NVIDIA's driver is loaded. */
  private static final Path GPU = Paths.get("/dev/nvidiactl");

  /** Those whose writes are compared while others compute. */
  private static final List<String> BUSY = Arrays.asList("4-rep", "rs_java", "isal", "coder", OURS);

  /** Links that work at the same time for one file: those to the data units of RS-6-3. */
  private static final int DATA_UNITS = 6;

  /** A row of {@code bench io}. */
  private static final class Row {
    int linkMbit;
    String policy;
    int threads;
    String operation;
    String contestant;
    Spread mibPerSecond;
  }

  @Override
  public String name() {
    return "clients";
  }

  @Override
  public String title() {
    return "HDFS clients by coder and pipeline";
  }

  @Override
  public String document() {
    return PROGRESS_REPORT + "; " + EngineSection.UMR_EC;
  }

  @Override
  public List<Measurement> measurements(Size size) {
    String links = "bench io --contestants=3-rep,rs_java,isal," + OURS + " --operations=write,read";
    List<Measurement> all = new ArrayList<>();
    all.add(measurement(size));
    if (size == Size.FULL) {
      all.add(
          Measurement.of(
                  WHILE_BUSY,
                  310,
                  "bench io --contestants="
                      + String.join(",", BUSY)
                      + " --operations=write,write-busy --threads=1 --size=256MiB --jvms=3"
                      + " --repetitions=2")
              .onAnyHdfs());
      all.add(rails());
      all.add(
          Measurement.of(
                  COLD,
                  60,
                  "bench io --contestants=3-rep,rs_java,"
                      + OURS
                      + " --operations=read,read-cold,read-dead2,read-dead2-cold --threads=1"
                      + " --size=256MiB --jvms=2 --repetitions=2")
              .onDisk());
    }
    all.add(
        Measurement.of(
            LINKS,
            size.choose(20, 85, 220),
            size.choose(
                "bench io --contestants=3-rep,"
                    + OURS
                    + " --operations=write,read --quick --shaped=500",
                links + " --threads=1 --size=64MiB --jvms=1 --repetitions=1 --shaped=500",
                links
                    + " --threads=1 --size=256MiB --jvms=1 --repetitions=3"
                    + " --shaped=500,1000")));
    if (size == Size.FULL) {
      for (int mbit : new int[] {NARROW_MBIT, 2 * NARROW_MBIT}) {
        all.add(
            Measurement.of(
                CLIENT_LINK + mbit,
                200,
                links
                    + " --threads=1,5 --size=256MiB --jvms=1 --repetitions=2 --shaped=1000"
                    + " --client-link="
                    + mbit));
      }
    }
    return all;
  }

  /** Our pipelines over engines with one rail and with several: the CPUs and another one. */
  private static Measurement rails() {
    return Measurement.of(
            RAILS,
            150,
            "bench io --contestants=isal,umr-single,umr-multi,umr-noop,"
                + OURS
                + " --operations=write,read-dead2 --threads=1 --size=256MiB --jvms=3"
                + " --repetitions=2 --rail="
                + (Files.exists(GPU) ? "cuda" : "isal"))
        .onAnyHdfs();
  }

  /** Returns the measurement, which other sections share. */
  static Measurement measurement(Size size) {
    String all =
        "bench io --contestants="
            + "3-rep,4-rep,rs-legacy_java,rs_java,isal,noop,coder,blocking,non-blocking,umr-noop,"
            + OURS
            + " --operations=write,read,read-dead1,read-dead2,read-dead3";
    return Measurement.of(
            "clients",
            size.choose(40, 230, 1700),
            size.choose(
                "bench io --contestants=3-rep,rs_java,noop,"
                    + OURS
                    + " --operations=write,write-busy,read-dead2 --quick",
                all + "," + WRITE_BUSY + " --size=96MiB --jvms=1 --repetitions=2 --threads=1",
                all + " --size=256MiB --jvms=2 --repetitions=2 --threads=1,5,10,20"))
        .onAnyHdfs();
  }

  /**
   * Returns the median throughput of one thread in MiB/s, by the names of the operation and the
   * contestant with a blank between them.
   */
  static Map<String, Double> rates(JsonObject result) {
    Map<String, Double> rates = new HashMap<>();
    for (Row row : Section.rows(result, "rows", Row.class)) {
      if (row.threads == 1) {
        rates.put(row.operation + " " + row.contestant, row.mibPerSecond.median);
      }
    }
    return rates;
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    List<Row> rows = Section.rows(result, "rows", Row.class);
    if (measurement.name.equals(WHILE_BUSY)) {
      busy(rows, measurement, section);
      return;
    }
    if (measurement.name.equals(RAILS)) {
      rails(rows, measurement, section);
      return;
    }
    if (measurement.name.equals(COLD)) {
      cold(rows, measurement, section);
      return;
    }
    if (measurement.name.equals(LINKS)) {
      links(rows, measurement, section);
      return;
    }
    if (measurement.name.startsWith(CLIENT_LINK)) {
      clientLink(rows, result.get("clientMbit").getAsInt(), measurement, section);
      return;
    }
    EvaluationReport.Figure figure =
        section.figure(
            "Progress report, figures 3 to 7, and UMR-EC, figures 10 and 12: throughput of clients",
            "The report's reads came from disks, which limited replication; here DataNodes read"
                + " from the page cache. The report's clients had a machine of their own, here they"
                + " share the processors with DataNodes: replication, which computes nothing, loses"
                + " less, and a fast coder gains less. Cells have 1 MiB, HDFS's default; the"
                + " documents' had 64 KiB. UMR-EC's values are those of TestDFSIO on many machines,"
                + " with coders on several devices where nothing else is said.",
            measurement);
    for (Row row : rows) {
      if (row.operation.equals(WRITE_BUSY)) {
        continue;
      }
      figure
          .panel(row.policy + ", threads: " + row.threads, "MiB/s", null)
          .bar(row.contestant, row.operation, row.mibPerSecond, null);
    }
    for (int threads : rows.stream().mapToInt(row -> row.threads).distinct().toArray()) {
      compare(figure, rows, threads);
    }
    if (rows.stream().anyMatch(row -> row.operation.equals(WRITE_BUSY))) {
      busy(rows, measurement, section);
    }
  }

  private static void busy(
      List<Row> rows, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "UMR-EC, section 5.3.2: writes while others compute",
            "The paper ran Sort, whose times became ratios here, and coded on other devices too;"
                + " here as many threads as processors compute without end, and all coders share"
                + " the processors with them and with the DataNodes.",
            measurement);
    for (Row row : rows) {
      boolean isWrite = row.operation.equals("write") || row.operation.equals(WRITE_BUSY);
      if (isWrite && row.threads == 1 && BUSY.contains(row.contestant)) {
        String title = "Writing with idle and with busy processors";
        figure
            .panel(title, "MiB/s", null)
            .bar(row.contestant, row.operation, row.mibPerSecond, null);
      }
    }
    String[][] ratios = {
      {"4-rep", "up to 3.8 (Sort)"},
      {"rs_java", "up to 2.1 (Sort)"},
      {"isal", "up to 1.46 (Sort)"},
      {"coder", "-"}
    };
    for (String[] row : ratios) {
      figure.compareRatio(
          WRITE_BUSY + ", " + OURS + " over " + row[0],
          row[1],
          median(rows, 1, WRITE_BUSY, OURS),
          median(rows, 1, WRITE_BUSY, row[0]));
    }
    for (String contestant : BUSY) {
      figure.compareChange(
          WRITE_BUSY + " against write, " + contestant,
          "-",
          median(rows, 1, WRITE_BUSY, contestant),
          median(rows, 1, "write", contestant));
    }
  }

  private static void rails(
      List<Row> rows, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "UMR-EC, figure 10 and section 5.3.3: engines with one rail and with several",
            "The paper's values are those of TestDFSIO on many machines, and its rails devices of"
                + " their own; here they are ISA-L and our kernels on the"
                + " same processors, unless there is a GPU. umr-single has the other rail alone,"
                + " umr-multi both, and umr-noop codes nothing. "
                + OURS
                + " calls our kernels without an engine. isal is in Hadoop's pipeline.",
            measurement);
    for (Row row : rows) {
      String title = "One client, by engine";
      figure.panel(title, "MiB/s", null).bar(row.contestant, row.operation, row.mibPerSecond, null);
    }
    String[][] ratios = {
      {"write", "umr-single", "isal", "up to 1.52"},
      {"write", "umr-multi", "isal", "up to 1.66"},
      {"write", "umr-multi", "umr-single", "-"},
      {"write", "umr-multi", "umr-noop", "-"},
      {"write", OURS, "umr-multi", "-"},
      {"read-dead2", "umr-multi", "isal", "up to 1.14"},
      {"read-dead2", "umr-multi", "umr-single", "-"},
      {"read-dead2", OURS, "umr-multi", "-"},
    };
    for (String[] row : ratios) {
      figure.compareRatio(
          row[0] + ", " + row[1] + " over " + row[2],
          row[3],
          median(rows, 1, row[0], row[1]),
          median(rows, 1, row[0], row[2]));
    }
  }

  private static void cold(
      List<Row> rows, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Progress report, figures 4 and 5: reads with a cold page cache",
            "The report's nine DataNodes had a disk each; all DataNodes here share one, which"
                + " limits all clients alike, unless the host of a virtual machine keeps what it"
                + " reads in memory: then reads without the page cache may be as fast as others.",
            measurement);
    for (Row row : rows) {
      String title = "Reading from the page cache and from disks";
      figure.panel(title, "MiB/s", null).bar(row.contestant, row.operation, row.mibPerSecond, null);
    }
    for (String contestant : new String[] {"rs_java", OURS}) {
      figure.compareRatio(
          "read-cold, " + contestant + " over 3-rep",
          "1.9 to 4.2",
          median(rows, 1, "read-cold", contestant),
          median(rows, 1, "read-cold", "3-rep"));
      figure.compareChange(
          "read-dead2-cold against read-cold, " + contestant,
          contestant.equals(OURS) ? "-" : "-62",
          median(rows, 1, "read-dead2-cold", contestant),
          median(rows, 1, "read-cold", contestant));
      figure.compareChange(
          "read-cold against read, " + contestant,
          "-",
          median(rows, 1, "read-cold", contestant),
          median(rows, 1, "read", contestant));
    }
  }

  private static void links(
      List<Row> rows, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Progress report, figures 3 and 4: share of what links allow",
            "The report's limit for reads is that of the six disks that have the data; here each"
                + " DataNode has a link of its own and the client none. One link limits a"
                + " replicated file, six an erasure-coded one.",
            measurement);
    for (Row row : rows) {
      boolean isReplicated = row.contestant.endsWith("-rep");
      double limit = row.linkMbit * ShapedNetwork.MIB_PER_MBIT * (isReplicated ? 1 : DATA_UNITS);
      String title = "Links of " + row.linkMbit + " Mbit/s";
      figure
          .panel(title, "MiB/s", null)
          .bar(row.contestant, row.operation, row.mibPerSecond, limit);
      figure.compare(
          row.operation + ", " + row.contestant + ", links of " + row.linkMbit + " Mbit/s",
          row.operation.equals("read") && !isReplicated ? "60 to 74" : "-",
          100 * row.mibPerSecond.median / limit,
          "%");
    }
  }

  private static void clientLink(
      List<Row> rows, int mbit, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Progress report, figures 3 to 7: a link of " + mbit + " Mbit/s that all clients share",
            "The report's client had a link of 10 or 20 Gbit/s; it names the share of it only for"
                + " DataNodes with SSDs. A client that writes erasure-coded files sends their"
                + " parity too; one that writes replicas sends one, and DataNodes send the others.",
            measurement);
    for (Row row : rows) {
      boolean isCoded = !row.contestant.endsWith("-rep");
      boolean sendsParity = isCoded && row.operation.equals("write");
      boolean isPublished = isCoded && !sendsParity && row.threads == 1 && mbit == NARROW_MBIT;
      double limit = mbit * ShapedNetwork.MIB_PER_MBIT / (sendsParity ? 1.5 : 1);
      figure
          .panel("One link of " + mbit + " Mbit/s, threads: " + row.threads, "MiB/s", null)
          .bar(row.contestant, row.operation, row.mibPerSecond, limit);
      figure.compare(
          row.operation + ", " + row.contestant + ", share of the link, threads: " + row.threads,
          isPublished ? "54" : "-",
          100 * row.mibPerSecond.median / limit,
          "%");
    }
  }

  private static void compare(EvaluationReport.Figure figure, List<Row> rows, int threads) {
    String with = ", threads: " + threads;
    // Other numbers of threads are drawn, but have no published values.
    boolean isOne = threads == 1;
    String[][] ratios = {
      {"write", "isal", "3-rep", isOne ? "over 1.75" : "-"},
      {"write", OURS, "3-rep", "-"},
      {"read", "coder", "3-rep", isOne ? "1.9 to 4.2 (disks)" : "-"},
      {"write", "non-blocking", "4-rep", "up to 3.7"},
      {"write", "non-blocking", "rs_java", "up to 2.4"},
      {"write", OURS, "4-rep", "up to 6.1"},
      {"write", OURS, "rs_java", "up to 3.3"},
      {"write", OURS, "isal", "up to 1.52 (one device), 1.66"},
      {"write", OURS, "noop", "up to 1.66"},
      {"read-dead1", OURS, "4-rep", "up to 2.4"},
      {"read-dead2", OURS, "4-rep", "up to 2.3"},
      {"read-dead3", OURS, "4-rep", "up to 2.6"},
      {"read-dead1", OURS, "rs_java", "up to 2.8"},
      {"read-dead2", OURS, "rs_java", "up to 3.9"},
      {"read-dead3", OURS, "rs_java", "up to 5.1"},
      {"read-dead1", OURS, "isal", "up to 1.18"},
      {"read-dead2", OURS, "isal", "up to 1.14"},
      {"read-dead3", OURS, "isal", "up to 1.19"},
    };
    for (String[] row : ratios) {
      figure.compareRatio(
          row[0] + ", " + row[1] + " over " + row[2] + with,
          row[3],
          median(rows, threads, row[0], row[1]),
          median(rows, threads, row[0], row[2]));
    }
    String[][] losses = {
      {"rs-legacy_java", "-85 (HDFS-RAID)"}, {"rs_java", "-62"}, {"isal", "-25"}, {OURS, "-"}
    };
    for (String[] row : losses) {
      figure.compareChange(
          "read with 2 dead DataNodes against none, " + row[0] + with,
          isOne ? row[1] : "-",
          median(rows, threads, "read-dead2", row[0]),
          median(rows, threads, "read", row[0]));
    }
  }

  private static Double median(List<Row> rows, int threads, String operation, String contestant) {
    return Section.median(
        rows,
        row ->
            row.threads == threads
                && row.operation.equals(operation)
                && row.contestant.equals(contestant),
        row -> row.mibPerSecond.median);
  }
}
