// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.stripeline.convert.namenode.ServerPages;
import org.stripeline.convert.namenode.ServerSettings;
import org.stripeline.terminal.Quantity;

/**
 * Judges what the servers of a cluster reported: one result for each question, over all servers.
 */
final class ClusterChecks {
  private static final int NAMED_MAX = 5;

  /** Above this, times in logs cannot be compared; far above it, Kerberos refuses. */
  private static final long CLOCK_MILLIS_MAX = 30_000;

  private static final long KERBEROS_MILLIS_MAX = 300_000;
  private static final double FREE_SHARE_MIN = 0.1;
  private static final List<String> SAME_KEYS =
      Arrays.asList(
          "dfs.namenode.ec.",
          "dfs.namenode.fs-limits.max-xattr",
          "dfs.block.placement.",
          "dfs.block.replicator.",
          "io.erasurecode.",
          "stripeline.");

  private final DoctorReport report;
  private final List<DoctorReport.Check> checks;

  ClusterChecks(DoctorReport report) {
    this.report = report;
    this.checks = report.cluster.checks;
  }

  /** Judges whether all NameNodes have the same keys, which each uses when it is active. */
  void judgeKeys(List<ServerSettings> servers) {
    List<ServerSettings> known =
        servers.stream().filter(s -> s.isKnown() && !s.isSecondary()).collect(Collectors.toList());
    if (known.size() < 2) {
      return;
    }
    List<String> differing = new ArrayList<>();
    for (String key : keysOf(known)) {
      Map<String, List<String>> byValue = new TreeMap<>();
      for (ServerSettings server : known) {
        byValue
            .computeIfAbsent(server.conf().get(key, "not set"), value -> new ArrayList<>())
            .add(server.name());
      }
      if (byValue.size() > 1) {
        List<String> values = new ArrayList<>();
        byValue.forEach((value, names) -> values.add(String.join(", ", names) + ": " + value));
        differing.add(key + " (" + String.join("; ", values) + ")");
      }
    }
    if (differing.isEmpty()) {
      ok("NameNode keys", "erasure coding and placement are set alike on " + known.size());
    } else {
      add(
          "NameNode keys",
          "WARNING",
          "not the same on all NameNodes: " + String.join(", ", differing),
          "set the same values in hdfs-site.xml of all NameNodes and restart them; each uses its"
              + " own when it becomes active",
          Collections.emptyList());
    }
  }

  private static TreeSet<String> keysOf(List<ServerSettings> servers) {
    TreeSet<String> keys = new TreeSet<>();
    for (ServerSettings server : servers) {
      for (Map.Entry<String, String> entry : server.conf()) {
        if (SAME_KEYS.stream().anyMatch(entry.getKey()::startsWith)) {
          keys.add(entry.getKey());
        }
      }
    }
    return keys;
  }

  /** Judges whether DataNodes are dead: their blocks are rebuilt elsewhere, or missing. */
  void judgeDead(List<String> dead) {
    if (!dead.isEmpty()) {
      Collections.sort(dead);
      add(
          "dead DataNodes",
          "WARNING",
          dead.size() + ": " + few(dead),
          "start them, or remove them from dfs.hosts; 'hdfs fsck /' shows blocks that are missing",
          dead);
    }
  }

  /** Judges the live DataNodes. */
  void judgeDataNodes(List<DoctorReport.DataNode> nodes, long blockBytes) {
    if (nodes.isEmpty()) {
      add(
          "DataNodes",
          "FAILED",
          "none is live",
          "start them, or wait until the NameNode knows them",
          Collections.emptyList());
      return;
    }
    judgeAnswers(nodes);
    judgeAgents(nodes);
    judgeVersions(nodes);
    judgeCoders(nodes);
    judgeKernels(nodes);
    judgeSpace(nodes, blockBytes);
  }

  /** Says that the list of DataNodes could not be had. */
  void missList(String reason) {
    add(
        "DataNodes",
        "NOT ASKED",
        reason,
        "run as a superuser of HDFS, or as a user who may read the NameNode's web pages",
        Collections.emptyList());
  }

  private void judgeAnswers(List<DoctorReport.DataNode> nodes) {
    List<DoctorReport.DataNode> refusing =
        some(nodes, node -> node.reason != null && ServerPages.isRefusal(node.reason));
    List<DoctorReport.DataNode> silent =
        some(nodes, node -> node.reason != null && !ServerPages.isRefusal(node.reason));
    if (!refusing.isEmpty()) {
      add(
          "DataNodes",
          "NOT ASKED",
          count(refusing, nodes)
              + " refused to show their web pages: "
              + named(refusing)
              + "; the first because "
              + refusing.get(0).reason,
          "run as a user with a Kerberos ticket and access to the pages (kinit,"
              + " dfs.cluster.administrators); for https, name the truststore in ssl-client.xml",
          names(refusing));
    }
    if (!silent.isEmpty()) {
      add(
          "DataNodes",
          "FAILED",
          count(silent, nodes)
              + " did not answer on their web port: "
              + named(silent)
              + "; the first: "
              + silent.get(0).reason,
          "check that they are not hung, and that this machine reaches their"
              + " dfs.datanode.http.address or https.address",
          names(silent));
    }
    if (refusing.isEmpty() && silent.isEmpty()) {
      ok("DataNodes", "all " + nodes.size() + " live ones answered");
    }
  }

  private void judgeAgents(List<DoctorReport.DataNode> nodes) {
    List<DoctorReport.DataNode> known = some(nodes, node -> node.agent != null);
    List<DoctorReport.DataNode> without = some(known, node -> node.agent.isEmpty());
    if (known.isEmpty()) {
      return;
    }
    if (without.isEmpty()) {
      ok("agents", "on " + count(known, nodes));
    } else if (without.size() == known.size()) {
      ok(
          "agents",
          "on no DataNode; 'stripeline convert' in the contiguous layout, and 'stripeline repair',"
              + " need them");
    } else {
      add(
          "agents",
          "WARNING",
          count(without, nodes) + " have no agent: " + named(without),
          "set dfs.datanode.plugins in their hdfs-site.xml (configure.md, Encode agent), with the"
              + " jar on their class path, and restart them; 'stripeline convert' in the contiguous"
              + " layout needs agents on all DataNodes",
          names(without));
    }
  }

  private void judgeVersions(List<DoctorReport.DataNode> nodes) {
    List<DoctorReport.DataNode> agents =
        some(nodes, node -> node.agent != null && !node.agent.isEmpty());
    String own = report.stripeline.version;
    List<DoctorReport.DataNode> others = some(agents, node -> !node.agent.equals(own));
    if (!others.isEmpty()) {
      Map<String, List<DoctorReport.DataNode>> byVersion =
          others.stream()
              .collect(
                  Collectors.groupingBy(node -> node.agent, TreeMap::new, Collectors.toList()));
      List<String> parts = new ArrayList<>();
      byVersion.forEach((version, some) -> parts.add(version + " on " + named(some)));
      add(
          "agent versions",
          "WARNING",
          count(others, agents)
              + " do not have version "
              + own
              + " of this command: "
              + String.join("; ", parts),
          "install the same release on all DataNodes and where this command runs",
          names(others));
    } else if (!agents.isEmpty()) {
      ok("agent versions", own + " on all");
    }
  }

  private void judgeCoders(List<DoctorReport.DataNode> nodes) {
    List<DoctorReport.DataNode> known = some(nodes, node -> node.rawCoders != null);
    List<DoctorReport.DataNode> others =
        some(known, node -> !node.rawCoders.split(",", 2)[0].trim().equals(CoderResolution.OURS));
    if (known.isEmpty()) {
      return;
    }
    if (others.isEmpty()) {
      ok("coders", count(known, nodes) + " rebuild with our coder");
      return;
    }
    add(
        "coders",
        "WARNING",
        count(others, nodes)
            + " rebuild with another coder, which gives the same bytes more slowly: "
            + named(others)
            + "; the first has "
            + DataNodeSurvey.CODERS_KEY
            + "="
            + others.get(0).rawCoders,
        "merge core-site.sample.xml into their core-site.xml and restart them",
        names(others));
  }

  private void judgeKernels(List<DoctorReport.DataNode> nodes) {
    List<DoctorReport.DataNode> known = some(nodes, node -> node.coder != null);
    List<DoctorReport.DataNode> java = some(known, node -> node.coder.equals("java"));
    if (!java.isEmpty()) {
      String cause = java.get(0).fallbackCause;
      add(
          "kernels",
          "WARNING",
          count(java, nodes)
              + " code in pure Java, several times slower: "
              + named(java)
              + (cause == null ? "" : "; the first because " + cause),
          "run 'stripeline doctor' on one of them, as its user and with its HADOOP_CONF_DIR",
          names(java));
      return;
    }
    if (known.isEmpty()) {
      ok("kernels", "not known: no DataNode has coded or has an agent since its start");
      return;
    }
    Map<String, Long> counts =
        known.stream()
            .collect(
                Collectors.groupingBy(
                    node -> node.kernels == null ? "native" : node.kernels,
                    TreeMap::new,
                    Collectors.counting()));
    List<String> parts = new ArrayList<>();
    counts.forEach((kernels, count) -> parts.add(kernels + " on " + count));
    int unknown = nodes.size() - known.size();
    ok(
        "kernels",
        String.join(", ", parts)
            + (unknown == 0 ? "" : "; not known on " + unknown + ", which have not coded yet"));
  }

  private void judgeSpace(List<DoctorReport.DataNode> nodes, long blockBytes) {
    List<DoctorReport.DataNode> full = some(nodes, node -> node.remainingBytes < blockBytes);
    List<DoctorReport.DataNode> low =
        some(
            nodes,
            node ->
                node.remainingBytes >= blockBytes
                    && node.remainingBytes < FREE_SHARE_MIN * node.capacityBytes);
    String remedy = "add or balance disks ('hdfs balancer'), or delete files and snapshots";
    if (!full.isEmpty()) {
      add(
          "free space",
          "FAILED",
          count(full, nodes) + " have no room for a block: " + named(full),
          remedy,
          names(full));
    }
    if (!low.isEmpty()) {
      add(
          "free space",
          "WARNING",
          count(low, nodes) + " have less than 10 % free: " + named(low),
          remedy,
          names(low));
    }
    if (full.isEmpty() && low.isEmpty()) {
      long capacity = nodes.stream().mapToLong(node -> node.capacityBytes).sum();
      long remaining = nodes.stream().mapToLong(node -> node.remainingBytes).sum();
      ok(
          "free space",
          Quantity.bytes(remaining)
              + " of "
              + Quantity.bytes(capacity)
              + " ("
              + Quantity.percent(remaining, capacity)
              + "), at least 10 % on every DataNode");
    }
  }

  /**
   * Judges the clocks: names those far from the median of all, so that one wrong clock, this
   * machine's included, is named itself.
   *
   * @param ahead milliseconds by which each server is ahead of this machine
   */
  void judgeClocks(Map<String, Long> ahead) {
    if (ahead.isEmpty()) {
      return;
    }
    Map<String, Long> all = new TreeMap<>(ahead);
    all.put("this machine", 0L);
    long[] sorted = all.values().stream().mapToLong(Long::longValue).sorted().toArray();
    long median = sorted[sorted.length / 2];
    List<String> wrong = new ArrayList<>();
    List<String> described = new ArrayList<>();
    long most = 0;
    for (Map.Entry<String, Long> entry : all.entrySet()) {
      long off = entry.getValue() - median;
      most = Math.max(most, Math.abs(off));
      if (Math.abs(off) > CLOCK_MILLIS_MAX) {
        wrong.add(entry.getKey());
        described.add(
            entry.getKey()
                + " ("
                + Quantity.duration(Math.abs(off) / 1000.0)
                + (off > 0 ? " ahead)" : " behind)"));
      }
    }
    if (wrong.isEmpty()) {
      ok("clocks", "of " + ahead.size() + " servers and this machine agree within 30 s");
      return;
    }
    add(
        "clocks",
        most > KERBEROS_MILLIS_MAX ? "FAILED" : "WARNING",
        wrong.size() + " of " + all.size() + " differ from the others: " + few(described),
        "synchronize them (NTP); Kerberos refuses beyond 5 minutes",
        wrong);
  }

  private void ok(String name, String text) {
    checks.add(new DoctorReport.Check(name, "OK", text, null, Collections.emptyList()));
  }

  private void add(String name, String state, String text, String remedy, List<String> servers) {
    checks.add(new DoctorReport.Check(name, state, text, remedy, servers));
    String whole = name + ": " + text;
    switch (state) {
      case "FAILED":
        report.addProblem(whole, remedy);
        break;
      case "WARNING":
        report.addWarning(whole, remedy);
        break;
      default:
        report.addUnchecked(whole, remedy);
        break;
    }
  }

  private static List<DoctorReport.DataNode> some(
      List<DoctorReport.DataNode> nodes, Predicate<DoctorReport.DataNode> which) {
    return nodes.stream().filter(which).collect(Collectors.toList());
  }

  private static List<String> names(List<DoctorReport.DataNode> nodes) {
    return nodes.stream().map(node -> node.name).sorted().collect(Collectors.toList());
  }

  private static String named(List<DoctorReport.DataNode> nodes) {
    return few(names(nodes));
  }

  private static String few(List<String> names) {
    int more = names.size() - NAMED_MAX;
    return more <= 0
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, NAMED_MAX)) + " and " + more + " more";
  }

  private static String count(List<?> some, List<?> all) {
    return some.size() + " of " + all.size() + (all.size() == 1 ? " DataNode" : " DataNodes");
  }
}
