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
import org.stripeline.placement.ear.Advice;
import org.stripeline.placement.ear.PendingCounts;
import org.stripeline.placement.ear.PendingStripes;
import org.stripeline.placement.ear.ReplicaDraw;
import org.stripeline.server.namenode.EarSettings;

/** The stripes in the making of a NameNode, and its DataNodes as they were a moment ago. */
final class EarStripes {
  /** DataNodes are looked at again after so long: as often as they tell of themselves. */
  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Hadoop's own policy passes over DataNodes with so many times the mean of connections. */
  private static final double BUSY_FACTOR = 2;

  /** So many connections are never too many. */
  private static final double BUSY_XCEIVERS_MIN = 16;

  /** A stripe to which nobody wrote for so long has no writer any more. */
  private static final long AGE_MAX_NANOS = TimeUnit.MINUTES.toNanos(60);

  private final NetworkTopology cluster;
  private final FSClusterStats stats;
  private final EarSettings settings;
  private final ReentrantLock looking = new ReentrantLock();

  /** Null until DataNodes were looked at. */
  private volatile View view;

  EarStripes(NetworkTopology cluster, FSClusterStats stats, EarSettings settings) {
    this.cluster = cluster;
    this.stats = stats;
    this.settings = settings;
  }

  /**
   * Names DataNodes for a new block.
   *
   * @param src the file; a stripe is k blocks that are asked for one after the other for it
   * @param writer the DataNode that writes, or whatever else does
   * @param excluded what must not be taken; null for nothing
   * @return the DataNodes, that in the core rack first; null if there is nothing to advise
   */
  List<DatanodeDescriptor> advise(String src, int replicas, Node writer, Set<Node> excluded) {
    long now = System.nanoTime();
    View current = current(now);
    if (current == null) {
      return null;
    }
    ClusterNodes nodes = current.nodes;
    SplittableRandom random = new SplittableRandom(ThreadLocalRandom.current().nextLong());
    // Hadoop's own policy, too, puts the first replica into the rack of a client that is no
    // DataNode.
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

  /** Returns what was done for the DataNodes that there are now; null before the first block. */
  PendingCounts counts() {
    View current = view;
    return current == null ? null : current.pending.counts();
  }

  /** Returns the DataNodes; null if there are none. Who finds them old looks, others go on. */
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
    return new View(nodes, leaves, pending, now);
  }

  private static final class View {
    final ClusterNodes nodes;
    final int leaves;
    final PendingStripes pending;
    final long seenAt;

    View(ClusterNodes nodes, int leaves, PendingStripes pending, long seenAt) {
      this.nodes = nodes;
      this.leaves = leaves;
      this.pending = pending;
      this.seenAt = seenAt;
    }
  }
}
