// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;
import org.stripeline.natives.Ticker;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;
import org.stripeline.placement.ear.Advice;
import org.stripeline.placement.ear.PendingCounts;
import org.stripeline.placement.ear.PendingStripes;
import org.stripeline.placement.ear.ReplicaDraw;
import org.stripeline.server.namenode.EarSettings;

/** The pending stripes of a NameNode, and a recent snapshot of its DataNodes. */
final class EarStripes {
  /** Maximum age of the snapshot; equals the default interval of heartbeats. */
  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * Hadoop's own policy skips DataNodes with more than this multiple of the mean number of
   * connections.
   */
  private static final double BUSY_FACTOR = 2;

  /** DataNodes with up to this many connections never count as busy. */
  private static final double BUSY_XCEIVERS_MIN = 16;

  /** A stripe without a new block for this time is considered abandoned by its writer. */
  private static final long AGE_MAX_NANOS = TimeUnit.MINUTES.toNanos(60);

  private final NetworkTopology cluster;
  private final FSClusterStats stats;
  private final EarSettings settings;
  private final long staleMillis;
  private final boolean prefersWriter;
  private final Ticker ticker;
  private final ReentrantLock looking = new ReentrantLock();

  /** Null until the first snapshot. */
  private volatile View view;

  /**
   * Creates a store without stripes.
   *
   * @param staleMillis time without a heartbeat after which a DataNode is stale
   * @param prefersWriter whether a writer that is a DataNode gets the first replica
   */
  EarStripes(
      NetworkTopology cluster,
      FSClusterStats stats,
      EarSettings settings,
      long staleMillis,
      boolean prefersWriter,
      Ticker ticker) {
    this.cluster = cluster;
    this.stats = stats;
    this.settings = settings;
    this.staleMillis = staleMillis;
    this.prefersWriter = prefersWriter;
    this.ticker = ticker;
  }

  /**
   * Selects DataNodes for a new block.
   *
   * @param src the file; a stripe consists of k blocks that are requested in sequence for it
   * @param writer the DataNode that writes, or another node
   * @param excluded nodes that must not be selected; null for none
   * @param types the storage types that the file prefers
   * @return the DataNodes, the one in the core rack first; null if there is no preference
   */
  List<DatanodeDescriptor> advise(
      String src, int replicas, Node writer, Set<Node> excluded, Collection<StorageType> types) {
    long now = ticker.nanos();
    View current = current(now);
    if (current == null) {
      return null;
    }
    ClusterNodes nodes = current.nodes;
    SplittableRandom random = new SplittableRandom(ThreadLocalRandom.current().nextLong());
    // Like Hadoop's own policy, which places the first replica in the rack of a client that is not
    // a DataNode.
    Topology topology = nodes.topologyFor(types);
    int writing = nodes.near(writer, prefersWriter, topology, random);
    IntPredicate isExcluded =
        excluded == null || excluded.isEmpty()
            ? ReplicaDraw.NONE_EXCLUDED
            : number -> excluded.contains(nodes.node(number));
    Optional<Advice> advice =
        current.pending.placeInOrder(src, topology, writing, replicas, isExcluded, now, random);
    if (!advice.isPresent()) {
      return null;
    }
    List<DatanodeDescriptor> targets = new ArrayList<>(replicas);
    for (int number : advice.get().nodes()) {
      targets.add(nodes.node(number));
    }
    return targets;
  }

  /** Returns how often an event has occurred. */
  long count(PendingCounts.Event event) {
    View current = view;
    if (current == null) {
      return 0;
    }
    // Otherwise stripes would only age while other blocks are written.
    current.pending.expire(ticker.nanos());
    return current.past[event.ordinal()] + current.pending.counts().of(event);
  }

  /**
   * Returns the current snapshot; null if there are no DataNodes. If the snapshot is old, one
   * thread refreshes it while the others use the old one.
   */
  private View current(long now) {
    if (isOld(view, now) && looking.tryLock()) {
      try {
        // Another thread may have refreshed it just now.
        View last = view;
        if (isOld(last, now)) {
          view = look(last, now);
        }
      } finally {
        looking.unlock();
      }
    }
    View last = view;
    return last == null || last.nodes.topology().liveRacks() == 0 ? null : last;
  }

  private boolean isOld(View last, long now) {
    return last == null
        || now - last.seenAt > REFRESH_NANOS
        || last.leaves != cluster.getNumOfLeaves();
  }

  private View look(View last, long now) {
    int leaves = cluster.getNumOfLeaves();
    RackRule rule = settings.rule(cluster.getNumOfNonEmptyRacks());
    double busy = Math.max(BUSY_XCEIVERS_MIN, BUSY_FACTOR * stats.getInServiceXceiverAverage());
    boolean avoidsStale = stats.isAvoidingStaleDataNodesForWrite();
    ClusterNodes nodes =
        ClusterNodes.of(
            cluster,
            last == null ? null : last.nodes,
            node -> node.getXceiverCount() <= busy && !(avoidsStale && node.isStale(staleMillis)));
    if (last != null && nodes.isNumberedAs(last.nodes) && rule.equals(last.rule)) {
      last.pending.forgetTopologies();
      return new View(nodes, leaves, rule, last.pending, last.past, now);
    }
    PendingStripes pending =
        PendingStripes.sparingCore(
            settings.shape(), rule, settings.stripesMax(), AGE_MAX_NANOS, settings.triesMax());
    return new View(nodes, leaves, rule, pending, past(last), now);
  }

  /** Closes the pending stripes of a view, and returns all counts until then. */
  private static long[] past(View last) {
    PendingCounts.Event[] events = PendingCounts.Event.values();
    long[] past = last == null ? new long[events.length] : last.past.clone();
    if (last != null) {
      last.pending.closeAll();
      PendingCounts replaced = last.pending.counts();
      for (PendingCounts.Event event : events) {
        past[event.ordinal()] += replaced.of(event);
      }
    }
    return past;
  }

  private static final class View {
    final ClusterNodes nodes;
    final int leaves;
    final RackRule rule;
    final PendingStripes pending;

    /** Counts of earlier pending stripes, by event. */
    final long[] past;

    final long seenAt;

    View(
        ClusterNodes nodes,
        int leaves,
        RackRule rule,
        PendingStripes pending,
        long[] past,
        long seenAt) {
      this.nodes = nodes;
      this.leaves = leaves;
      this.rule = rule;
      this.pending = pending;
      this.past = past;
      this.seenAt = seenAt;
    }
  }
}
