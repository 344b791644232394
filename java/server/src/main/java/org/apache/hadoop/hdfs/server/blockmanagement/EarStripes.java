// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;
import org.stripeline.natives.Ticker;
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
  private final Ticker ticker;
  private final ReentrantLock looking = new ReentrantLock();

  /** Null until the first snapshot. */
  private volatile View view;

  EarStripes(NetworkTopology cluster, FSClusterStats stats, EarSettings settings, Ticker ticker) {
    this.cluster = cluster;
    this.stats = stats;
    this.settings = settings;
    this.ticker = ticker;
  }

  /**
   * Selects DataNodes for a new block.
   *
   * @param src the file; a stripe consists of k blocks that are requested in sequence for it
   * @param writer the DataNode that writes, or another node
   * @param excluded nodes that must not be selected; null for none
   * @return the DataNodes, the one in the core rack first; null if there is no preference
   */
  List<DatanodeDescriptor> advise(String src, int replicas, Node writer, Set<Node> excluded) {
    long now = ticker.nanos();
    View current = current(now);
    if (current == null) {
      return null;
    }
    ClusterNodes nodes = current.nodes;
    SplittableRandom random = new SplittableRandom(ThreadLocalRandom.current().nextLong());
    // Like Hadoop's own policy, which places the first replica in the rack of a client that is not
    // a DataNode.
    int writing = nodes.near(writer, random);
    IntPredicate isExcluded =
        excluded == null || excluded.isEmpty()
            ? ReplicaDraw.NONE_EXCLUDED
            : number -> excluded.contains(nodes.node(number));
    Optional<Advice> advice =
        current.pending.placeInOrder(
            src, nodes.topology(), writing, replicas, isExcluded, now, random);
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
    View last = view;
    boolean isOld =
        last == null
            || now - last.seenAt > REFRESH_NANOS
            || last.leaves != cluster.getNumOfLeaves();
    if (isOld && looking.tryLock()) {
      try {
        last = look(last, now);
        view = last;
      } finally {
        looking.unlock();
      }
    }
    return last == null || last.nodes.topology().nodes() == 0 ? null : last;
  }

  private View look(View last, long now) {
    double busy = Math.max(BUSY_XCEIVERS_MIN, BUSY_FACTOR * stats.getInServiceXceiverAverage());
    int leaves = cluster.getNumOfLeaves();
    ClusterNodes nodes = ClusterNodes.of(cluster, last == null ? null : last.nodes, busy);
    boolean goesOn = last != null && nodes.isNumberedAs(last.nodes);
    PendingStripes pending =
        goesOn
            ? last.pending
            : PendingStripes.sparingCore(
                settings.shape(),
                settings.rule(nodes.topology().racks()),
                settings.stripesMax(),
                AGE_MAX_NANOS,
                settings.triesMax());
    return new View(nodes, leaves, pending, past(last, goesOn), now);
  }

  /** Returns the counts of the pending stripes before those of the next view. */
  private static long[] past(View last, boolean goesOn) {
    PendingCounts.Event[] events = PendingCounts.Event.values();
    long[] past = last == null ? new long[events.length] : last.past.clone();
    if (last != null && !goesOn) {
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
    final PendingStripes pending;

    /** Counts of earlier pending stripes, by event. */
    final long[] past;

    final long seenAt;

    View(ClusterNodes nodes, int leaves, PendingStripes pending, long[] past, long seenAt) {
      this.nodes = nodes;
      this.leaves = leaves;
      this.pending = pending;
      this.past = past;
      this.seenAt = seenAt;
    }
  }
}
