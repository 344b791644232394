// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.Agents;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.agent.QuarantinedReplica;
import org.stripeline.convert.job.Polling;
import org.stripeline.natives.Ticker;

/** What all groups of a scrub share of a cluster. Thread-safe. */
public final class ClusterAccess {
  /** The pause before the first repetition; each further one is four times as long. */
  private static final long PAUSE_MS = 500;

  /** How long a DataNode that seems to have no agent is read from through the client. */
  private static final long WITHOUT_AGENT_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final DistributedFileSystem fs;
  private final Agents agents;
  private final Ticker ticker;
  private final ClientReads client;
  private final GroupRacks racks;
  private final UnnamedReplicas unnamed;
  private final NodeTurns turns = new NodeTurns();
  private final SilentNodes silent;

  /** Times at which DataNodes had no suitable agent, by UUID. One that restarts has none either. */
  private final Map<String, Long> withoutAgent = new ConcurrentHashMap<>();

  private final AtomicLong windowsByAgents = new AtomicLong();
  private final AtomicLong windowsByClient = new AtomicLong();

  /** Creates access through a client and agents that the caller closes afterwards. */
  public ClusterAccess(DistributedFileSystem fs, Agents agents, Ticker ticker) {
    this.fs = fs;
    this.agents = agents;
    this.ticker = ticker;
    client = new ClientReads(fs, ticker);
    racks = new GroupRacks(fs, ticker);
    unnamed = new UnnamedReplicas(fs, ticker);
    silent = new SilentNodes(ticker);
  }

  DFSClient namenode() {
    return fs.getClient();
  }

  GroupRacks racks() {
    return racks;
  }

  UnnamedReplicas unnamed() {
    return unnamed;
  }

  /**
   * Returns fingerprints from the agent of a DataNode, or through the client if it has none.
   * DataNodes that did not answer a call in time, or had no agent, are not asked for a while.
   *
   * @param isByClient is set if the client reads the replica
   */
  BlockFingerprints fingerprint(
      DatanodeInfo node, LocatedBlock replica, FingerprintRequest request, AtomicBoolean isByClient)
      throws IOException {
    try (NodeTurns.Turn turn = turns.take(node.getDatanodeUuid())) {
      return silent.call(node, () -> fingerprintNow(node, replica, request, isByClient));
    }
  }

  private BlockFingerprints fingerprintNow(
      DatanodeInfo node, LocatedBlock replica, FingerprintRequest request, AtomicBoolean isByClient)
      throws IOException {
    Long since = withoutAgent.get(node.getDatanodeUuid());
    if (since == null || ticker.nanos() - since > WITHOUT_AGENT_NANOS) {
      try {
        return count(windowsByAgents, agents.fingerprint(node, request));
      } catch (AgentException e) {
        if (e.kind() != AgentException.Kind.NO_AGENT
            && e.kind() != AgentException.Kind.UNSUPPORTED) {
          throw e;
        }
        withoutAgent.put(node.getDatanodeUuid(), ticker.nanos());
      }
    }
    isByClient.set(true);
    return count(windowsByClient, client.fingerprint(replica, node, request));
  }

  private static BlockFingerprints count(AtomicLong windows, BlockFingerprints answer) {
    windows.addAndGet(answer.windows);
    return answer;
  }

  byte[] read(DatanodeInfo node, LocatedBlock replica, long offset, int bytes) throws IOException {
    try (NodeTurns.Turn turn = turns.take(node.getDatanodeUuid())) {
      return silent.call(node, () -> client.read(replica, node, offset, bytes));
    }
  }

  void pause(int round) throws IOException {
    pauseMillis(PAUSE_MS << 2 * (round - 1));
  }

  void pauseMillis(long millis) throws IOException {
    Polling.pause(ticker, millis);
  }

  long millis() {
    return TimeUnit.NANOSECONDS.toMillis(ticker.nanos());
  }

  QuarantinedReplica quarantine(DatanodeInfo node, String pool, AgentBlock block, boolean remove)
      throws IOException {
    return silent.call(node, () -> agents.quarantine(node, pool, block, remove));
  }

  /** Returns the number of windows of which agents returned fingerprints. */
  public long windowsByAgents() {
    return windowsByAgents.get();
  }

  /** Returns the number of windows that were sent to the client, because there was no agent. */
  public long windowsByClient() {
    return windowsByClient.get();
  }
}
