// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorageReport;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentInfo;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.agent.Agents;
import org.stripeline.convert.job.Futures;
import org.stripeline.convert.job.Polling;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.Topology;
import org.stripeline.terminal.DaemonThreads;

/** The current DataNodes for planning: their locations, and whether an agent runs on them. */
public final class AgentNodes {
  private static final Logger LOG = LoggerFactory.getLogger(AgentNodes.class);

  /** Maximum age of the state of the cluster that plans use. */
  static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long DOUBT_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final int ASKED_AT_ONCE = 16;
  private static final int NAMED_MAX = 3;

  private final DFSClient client;
  private final Agents agents;
  private final Ticker ticker;

  /** UUIDs of DataNodes whose agent has answered with the expected protocol. */
  private final Set<String> sound = ConcurrentHashMap.newKeySet();

  /** Times at which DataNodes failed or were queried, by UUID; they are left alone for a while. */
  private final Map<String, Long> doubted = new ConcurrentHashMap<>();

  private final JobLoad load;
  private Snapshot latest;

  public AgentNodes(DFSClient client, Agents agents, Ticker ticker) {
    this.client = client;
    this.agents = agents;
    this.ticker = ticker;
    load = new JobLoad(ticker);
  }

  /** The state of the cluster at one time. Nodes are numbered for the planner. */
  static final class Snapshot {
    private final List<DatanodeStorageReport> reports;
    private final long at;
    private final Set<String> sound;
    private final Set<String> spared;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> rackNames = new ArrayList<>();
    private final Topology topology;

    /**
     * Creates a snapshot.
     *
     * @param at time at which it was read, as returned by {@link Ticker#nanos}
     */
    Snapshot(List<DatanodeStorageReport> reports, long at, Set<String> sound, Set<String> spared) {
      this.reports = reports;
      this.at = at;
      this.sound = sound;
      this.spared = spared;
      Map<String, Integer> racks = new HashMap<>();
      Topology.Builder builder = new Topology.Builder();
      for (DatanodeStorageReport report : reports) {
        DatanodeInfo node = report.getDatanodeInfo();
        int rack = racks.computeIfAbsent(node.getNetworkLocation(), any -> racks.size());
        if (rack == rackNames.size()) {
          rackNames.add(node.getNetworkLocation());
        }
        NodeState state = state(node, sound);
        if (state == NodeState.OPEN && spared.contains(node.getDatanodeUuid())) {
          state = NodeState.FULL;
        }
        int number = builder.add(rack, state, node.getXceiverCount());
        numbers.put(node.getDatanodeUuid(), number);
      }
      topology = builder.build();
    }

    private static NodeState state(DatanodeInfo node, Set<String> sound) {
      boolean keeps =
          node.getAdminState() == DatanodeInfo.AdminStates.NORMAL
              && sound.contains(node.getDatanodeUuid());
      return keeps ? NodeState.OPEN : NodeState.LEAVING;
    }

    Topology topology() {
      return topology;
    }

    String rackName(int rack) {
      return rackNames.get(rack);
    }

    /**
     * Returns the same snapshot with the same numbers, in which some DataNodes get no new blocks.
     */
    Snapshot sparing(Set<String> uuids) {
      if (spared.containsAll(uuids)) {
        return this;
      }
      Set<String> all = new HashSet<>(spared);
      all.addAll(uuids);
      return new Snapshot(reports, at, sound, all);
    }

    DatanodeInfo node(int number) {
      return reports.get(number).getDatanodeInfo();
    }

    long at() {
      return at;
    }

    /** Returns whether a node gets no new blocks; it may still keep its replicas. */
    boolean isSpared(DatanodeInfo node) {
      return spared.contains(node.getDatanodeUuid());
    }

    /** Returns the number of nodes to which the NameNode may allocate new blocks. */
    long takers() {
      return reports.stream()
          .map(DatanodeStorageReport::getDatanodeInfo)
          .filter(node -> node.isInService() && !isSpared(node))
          .count();
    }

    StorageReport[] storages(int number) {
      return reports.get(number).getStorageReports();
    }

    /** Returns the storages of a live DataNode. */
    StorageReport[] storages(DatanodeInfo node) {
      return storages(numbers.get(node.getDatanodeUuid()));
    }

    /** Returns the numbers of those of some DataNodes that are live. */
    int[] numbers(DatanodeInfo[] of) {
      int[] known = new int[of.length];
      int count = 0;
      for (DatanodeInfo node : of) {
        Integer number = numbers.get(node.getDatanodeUuid());
        if (number != null) {
          known[count++] = number;
        }
      }
      return Arrays.copyOf(known, count);
    }

    /** Returns a live DataNode, or null. */
    DatanodeInfo find(String uuid) {
      Integer number = numbers.get(uuid);
      return number == null ? null : node(number);
    }
  }

  /**
   * Queries the agents of all DataNodes in service.
   *
   * @throws RefusedException if some are missing or of another version; the message names them
   */
  public void require(List<DatanodeInfo> nodes) throws IOException {
    String lack = lack(nodes);
    if (lack != null) {
      throw new RefusedException(
          "Cannot use --layout=contiguous: "
              + lack
              + "; install this release there and restart them (docs/user/convert.md), or use"
              + " --layout=striped --allow-stale-readers, which needs no agents");
    }
  }

  /**
   * Queries the agents of all DataNodes in service, and returns one line with the number and the
   * first names of those without a suitable one, or null if all have one.
   */
  public String lack(List<DatanodeInfo> nodes) throws IOException {
    List<String> complaints = ask(nodes);
    if (complaints.isEmpty()) {
      return null;
    }
    int named = Math.min(NAMED_MAX, complaints.size());
    String more = named < complaints.size() ? ", and " + (complaints.size() - named) + " more" : "";
    return complaints.size()
        + " of "
        + nodes.size()
        + " DataNodes have no suitable agent: "
        + String.join("; ", complaints.subList(0, named)).replaceAll("\\s*\n\\s*", " ")
        + more;
  }

  private static ExecutorService askers() {
    return Executors.newFixedThreadPool(
        ASKED_AT_ONCE, DaemonThreads.named("stripeline-convert-ask"));
  }

  private List<String> ask(List<DatanodeInfo> nodes) throws IOException {
    ExecutorService threads = askers();
    try {
      List<Future<String>> answers = new ArrayList<>();
      for (DatanodeInfo node : nodes) {
        answers.add(threads.submit(() -> complaint(node)));
      }
      List<String> complaints = new ArrayList<>();
      for (Future<String> answer : answers) {
        String complaint = Futures.get(answer);
        if (complaint != null) {
          complaints.add(complaint);
        }
      }
      return complaints;
    } finally {
      threads.shutdownNow();
    }
  }

  /** Queries DataNodes without waiting: all groups would wait for one that does not answer. */
  private void askLater(List<DatanodeInfo> nodes) {
    ExecutorService threads = askers();
    for (DatanodeInfo node : nodes) {
      doubted.put(node.getDatanodeUuid(), ticker.nanos());
      threads.submit(() -> complaint(node));
    }
    threads.shutdown();
  }

  /** Returns the reason for which an agent cannot be used, or null, and records the result. */
  private String complaint(DatanodeInfo node) {
    String complaint = incompatibility(node);
    if (complaint == null) {
      sound.add(node.getDatanodeUuid());
    } else {
      sound.remove(node.getDatanodeUuid());
    }
    return complaint;
  }

  private String incompatibility(DatanodeInfo node) {
    try {
      AgentInfo info = agents.describe(node);
      return info.protocol == AgentProtocol.NUMBER
          ? null
          : node.getXferAddr()
              + " has version "
              + info.version
              + " (protocol "
              + info.protocol
              + ", wanted "
              + AgentProtocol.NUMBER
              + ")";
    } catch (IOException e) {
      return node.getXferAddr() + " (" + Reasons.of(e) + ")";
    }
  }

  /**
   * Queries DataNodes that may have failed, and excludes those without an answering agent from
   * plans for some minutes.
   */
  void leaveOutSilent(Collection<DatanodeInfo> suspects) throws IOException {
    ask(new ArrayList<>(suspects));
    boolean anySilent = false;
    for (DatanodeInfo node : suspects) {
      if (!sound.contains(node.getDatanodeUuid())) {
        anySilent = true;
        doubted.put(node.getDatanodeUuid(), ticker.nanos());
        LOG.warn("Leaving out DataNode {}: its agent does not answer", node.getXferAddr());
      }
    }
    if (anySilent) {
      forget();
    }
  }

  private synchronized void forget() {
    latest = null;
  }

  private boolean isDoubted(DatanodeInfo node) {
    Long since = doubted.get(node.getDatanodeUuid());
    return since != null && ticker.nanos() - since < DOUBT_NANOS;
  }

  /** Returns the state of the cluster, at most {@link #REFRESH_NANOS} old. */
  synchronized Snapshot now() throws IOException {
    if (latest == null || ticker.nanos() - latest.at > REFRESH_NANOS) {
      latest = fresh();
    }
    return latest;
  }

  /** Reads the state of the cluster. Waits for no agent. */
  Snapshot fresh() throws IOException {
    long at = ticker.nanos();
    List<DatanodeStorageReport> reports =
        Arrays.asList(client.getDatanodeStorageReport(DatanodeReportType.LIVE));
    List<DatanodeInfo> unknown = new ArrayList<>();
    for (DatanodeStorageReport report : reports) {
      DatanodeInfo node = report.getDatanodeInfo();
      if (!sound.contains(node.getDatanodeUuid()) && !isDoubted(node)) {
        unknown.add(node);
      }
    }
    if (!unknown.isEmpty()) {
      // DataNodes may join while a job runs. They keep no blocks of groups until their agent has
      // answered.
      askLater(unknown);
    }
    return new Snapshot(reports, at, new TreeSet<>(sound), Collections.emptySet());
  }

  /** Returns the traffic and writes of groups that are planned and not encoded yet. */
  JobLoad load() {
    return load;
  }

  Agents agents() {
    return agents;
  }

  /**
   * Ends a task, so that it cannot write again after its blocks have been removed.
   *
   * @return whether it is certain that the task has ended
   */
  boolean endTask(DatanodeInfo node, long task) throws IOException {
    try {
      agents.cancel(node, task);
      Polling.await(
          ticker,
          "Cannot end task " + task + " of the agent on " + node.getXferAddr(),
          () -> agents.poll(node, task, 1000).state.isFinal());
      return true;
    } catch (AgentException e) {
      if (isEnd(e)) {
        return true;
      }
      if (!isAway(e)) {
        throw e;
      }
      LOG.warn("Cannot determine whether task {} on {} has ended", task, node.getXferAddr(), e);
      return false;
    }
  }

  /**
   * Ends the tasks that an encoder has begun, or may still begin, for a ticket or for tickets with
   * that prefix. A group must only be planned again afterwards: a task that continues would write
   * or remove blocks with the same names as those of the next one.
   *
   * @throws IOException if it is not certain that they have ended; the conversion of the file must
   *     be abandoned then, since another attempt uses other block names
   */
  void requireEnd(DatanodeInfo encoder, String ticket, AgentException cause) throws IOException {
    boolean isEnded = true;
    try {
      for (long task : agents.cancel(encoder, ticket)) {
        isEnded = isEnded && endTask(encoder, task);
      }
    } catch (AgentException e) {
      isEnded = isEnd(e);
      cause.addSuppressed(e);
    }
    if (!isEnded) {
      throw new IOException(
          "Cannot plan a group again: it is unknown whether DataNode "
              + encoder.getXferAddr()
              + " still encodes it, because its agent does not answer; convert the file again ("
              + cause.getMessage()
              + ")",
          cause);
    }
  }

  /**
   * Returns whether a failure means that the process which had the task is gone, or has no record
   * of it.
   */
  private static boolean isEnd(AgentException e) {
    // A process that hangs, or is unreachable, does not refuse connections. An agent that is being
    // stopped still answers for its tasks.
    boolean isRefused =
        e.kind() == AgentException.Kind.UNREACHABLE
            && e.getCause() instanceof ConnectException
            && String.valueOf(e.getCause().getMessage()).contains("Connection refused");
    return isRefused
        || e.kind() == AgentException.Kind.UNKNOWN_TASK
        || e.kind() == AgentException.Kind.NO_AGENT;
  }

  /** Returns whether the agent cannot be called at all now. */
  static boolean isAway(AgentException e) {
    return e.kind() == AgentException.Kind.UNREACHABLE || e.kind() == AgentException.Kind.NO_AGENT;
  }
}
