// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.stripeline.placement.CodeName;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.Topology;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.placement.group.PlacementException;
import org.stripeline.plan.source.PlannedFile;

/**
 * Estimates traffic where locations are unknown: the mean over groups with the default replica
 * placement of HDFS (one replica in a rack, the second and third on different nodes of one other
 * rack, further ones anywhere), in racks of equal size.
 */
final class ExpectedTraffic extends TrafficModel {
  private static final long SEED = 2015;

  /**
   * With this number of samples, the mean share of adoptable blocks has a standard error of less
   * than one percent.
   */
  private static final int SAMPLES = 400;

  /** Maximum replication factor that is sampled: higher ones are rare and have almost no effect. */
  private static final int REPLICATION_MAX = 6;

  /** The location of the clients that wrote the files. */
  enum Writers {
    /** On DataNodes, one writer per file: it holds the first replica of every block of the file. */
    DATANODES,

    /** Outside the cluster: the first replica of each block is on a random node. */
    ELSEWHERE
  }

  /** Means over the blocks of a group. */
  private static final class Shares {
    double sent;
    double readAcross;
    double readLocally;
    double sentAcross;
    double parityAcross;
    int unplaceable;
    int ruleBroken;
    String reason;
  }

  private final Topology topology;
  private final Writers writers;
  private final Map<Integer, Shares> known = new HashMap<>();

  /**
   * Creates a model.
   *
   * @param racks the number of racks
   * @param nodes the number of nodes
   */
  ExpectedTraffic(int racks, int nodes, Writers writers, int blocksPerRackMax) {
    super(blocksPerRackMax);
    this.writers = writers;
    int[] sizes = new int[racks];
    for (int node = 0; node < nodes; node++) {
      sizes[node % racks]++;
    }
    this.topology = Topology.ofRackSizes(sizes);
  }

  @Override
  int racks() {
    return topology.racks();
  }

  @Override
  boolean isExpected() {
    return true;
  }

  @Override
  boolean knowsAllNodes() {
    return true;
  }

  @Override
  int racksOf(PlannedFile file, int block) {
    return Math.min(racks(), Math.min(2, Math.max(1, file.replication())));
  }

  @Override
  void addAdoption(PlannedFile file, int start, int end, CodeName code, ConversionTraffic sums) {
    Shares shares = shares(code.shape(), end - start, Math.max(1, file.replication()));
    if (shares.unplaceable > 0) {
      sums.unplaceable++;
      if (sums.unplaceableReason == null) {
        sums.unplaceableReason = file.path() + ": " + shares.reason;
      }
      return;
    }
    double blocks = end - start;
    double bytes = file.bytes(start, end);
    double parityLength = file.longest(start, end);
    sums.ruleBroken += 2 * shares.ruleBroken > SAMPLES ? 1 : 0;
    sums.adoptedBlocks += blocks * (1 - shares.sent);
    sums.adoptedBytes += bytes * (1 - shares.sent);
    sums.sentBlocks += blocks * shares.sent;
    sums.sentBytes += bytes * shares.sent;
    sums.adoptAcross +=
        bytes * (shares.readAcross + shares.sentAcross) + shares.parityAcross * parityLength;
    sums.adoptNetwork +=
        bytes * (1 - shares.readLocally + shares.sent) + code.parity() * parityLength;
  }

  private Shares shares(CodeShape shape, int blocks, int replication) {
    int replicas = Math.min(replication, Math.min(REPLICATION_MAX, topology.nodes()));
    int key = (shape.hashCode() * CodeName.BLOCKS_IN_GROUP_MAX + blocks) * 8 + replicas;
    return known.computeIfAbsent(key, absent -> sample(shape, blocks, replicas));
  }

  private Shares sample(CodeShape shape, int blocks, int replicas) {
    SplittableRandom random = new SplittableRandom(SEED);
    Shares sums = new Shares();
    for (int i = 0; i < SAMPLES; i++) {
      try {
        int[][] placed = place(blocks, replicas, random);
        GroupPlan plan = GroupPlanner.plan(shape, placed, topology, rule(shape), random);
        sums.sent += (double) plan.sends() / blocks / SAMPLES;
        sums.readAcross += (double) plan.crossRackReads() / blocks / SAMPLES;
        sums.readLocally += (double) plan.localReads() / blocks / SAMPLES;
        sums.sentAcross += (double) plan.crossRackSends() / blocks / SAMPLES;
        sums.parityAcross += (double) plan.crossRackParity() / SAMPLES;
        sums.ruleBroken += plan.relaxation().isNone() ? 0 : 1;
      } catch (PlacementException e) {
        sums.unplaceable++;
        sums.reason = e.getMessage();
        return sums;
      }
    }
    return sums;
  }

  private int[][] place(int blocks, int replicas, SplittableRandom random) {
    int writer = random.nextInt(topology.nodes());
    int[][] placed = new int[blocks][];
    for (int block = 0; block < blocks; block++) {
      int[] nodes = new int[replicas];
      nodes[0] = writers == Writers.DATANODES ? writer : random.nextInt(topology.nodes());
      for (int i = 1; i < replicas; i++) {
        nodes[i] = next(nodes, i, random);
      }
      placed[block] = nodes;
    }
    return placed;
  }

  /**
   * Returns a node that HDFS could choose for the next replica; any free node if the required rack
   * has none.
   */
  private int next(int[] nodes, int count, SplittableRandom random) {
    int first = topology.rackOf(nodes[0]);
    int start = random.nextInt(topology.nodes());
    int any = -1;
    for (int i = 0; i < topology.nodes(); i++) {
      int node = (start + i) % topology.nodes();
      boolean isFree = true;
      for (int j = 0; isFree && j < count; j++) {
        isFree = nodes[j] != node;
      }
      if (isFree) {
        int rack = topology.rackOf(node);
        boolean isWanted =
            count == 1 ? rack != first : count != 2 || rack == topology.rackOf(nodes[1]);
        if (isWanted) {
          return node;
        }
        any = any < 0 ? node : any;
      }
    }
    return any;
  }
}
