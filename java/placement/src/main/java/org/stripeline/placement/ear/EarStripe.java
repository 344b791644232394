// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.ear;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.FlowGraph;
import org.stripeline.placement.RackOrder;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;

/**
 * A stripe that encoding-aware replication assembles while its blocks are being written: the first
 * replica of each block is in the core rack, the others are where the flow graph can still retain
 * one replica of every block. Not thread-safe.
 */
public final class EarStripe {
  private final CodeShape shape;
  private final RackRule rule;
  private final int coreRack;
  private final int triesMax;
  private final BitSet targets;

  /** The nodes of each block added so far, and whether the flow retains one of its replicas. */
  private final int[][] replicas;

  private final boolean[] isInFlow;
  private int blocks;

  /** Null, as are the graphs, while the topology is forgotten. */
  private Topology topology;

  private FlowGraph graph;

  /**
   * The same blocks without their replicas in the core rack; null once these blocks have no flow
   * without the core rack.
   */
  private FlowGraph sparing;

  /** Whether there was such a graph when the topology was forgotten. */
  private boolean wasSparing;

  private EarStripe(
      CodeShape shape,
      RackRule rule,
      Topology topology,
      int coreRack,
      BitSet targets,
      int triesMax) {
    this.shape = shape;
    this.rule = rule;
    this.topology = topology;
    this.coreRack = coreRack;
    this.targets = targets;
    this.triesMax = triesMax;
    this.replicas = new int[shape.data()][];
    this.isInFlow = new boolean[shape.data()];
    this.graph = new FlowGraph(shape, topology, rule, targets);
  }

  /**
   * Begins a stripe as described in the paper. If the rule limits target racks, they are the core
   * rack and random others, preferably those with enough open nodes for their share of the blocks.
   *
   * @param coreRack the rack that will hold a replica of each block
   * @param triesMax how many candidates are drawn for a block before every rack is tried in turn,
   *     at least 1
   */
  public static EarStripe begin(
      CodeShape shape,
      RackRule rule,
      Topology topology,
      int coreRack,
      int triesMax,
      SplittableRandom random) {
    if (triesMax < 1) {
      throw new IllegalArgumentException(
          "Cannot use " + triesMax + " candidates for a block: must be at least 1");
    }
    BitSet targets = null;
    if (rule.targetRacks() > 0) {
      targets = new BitSet(topology.racks());
      targets.set(coreRack);
      int[] others = RackOrder.shuffled(topology, random);
      for (int share : new int[] {rule.blocksPerRackMax(), 1}) {
        for (int i = 0; i < others.length && targets.cardinality() < rule.targetRacks(); i++) {
          if (topology.open(others[i]) >= share) {
            targets.set(others[i]);
          }
        }
      }
    }
    return new EarStripe(shape, rule, topology, coreRack, targets, triesMax);
  }

  /**
   * Begins a stripe that also reserves the core rack's share of blocks for parity while candidates
   * that allow it are found. For c = 1 this saves one cross-rack parity block per stripe and costs
   * some more tries; the bound of the paper still holds because it does not rely on the core rack.
   *
   * @param triesMax as for {@link #begin}, applied twice: first with the core rack's share
   *     reserved, then without
   */
  public static EarStripe beginSparingCore(
      CodeShape shape,
      RackRule rule,
      Topology topology,
      int coreRack,
      int triesMax,
      SplittableRandom random) {
    EarStripe stripe = begin(shape, rule, topology, coreRack, triesMax, random);
    stripe.sparing = stripe.emptySparing(topology);
    return stripe;
  }

  private FlowGraph emptySparing(Topology of) {
    BitSet others = new BitSet(of.racks());
    if (targets == null) {
      others.set(0, of.racks());
    } else {
      others.or(targets);
    }
    others.clear(coreRack);
    return new FlowGraph(shape, of, RackRule.atMost(rule.blocksPerRackMax()), others);
  }

  /**
   * Selects nodes for the replicas of the next block and adds the block.
   *
   * @param writer the node that writes, {@link ReplicaDraw#NO_NODE} if the writer is not a DataNode
   * @param replication the number of replicas, at least 2
   * @return the nodes, or null if the stripe accepts no further block because it is full or no rack
   *     is suitable
   */
  public Advice place(
      int writer, int replication, IntPredicate isExcluded, SplittableRandom random) {
    if (isFull()) {
      return null;
    }
    ReplicaDraw draw = new ReplicaDraw(topology, isExcluded, random);
    if (!draw.hasUsable(coreRack, 1)) {
      return null;
    }
    int sparingTries = sparing == null ? 0 : triesMax;
    int tries = 0;
    while (tries < sparingTries + triesMax) {
      int[] nodes = draw.fromRack(coreRack, writer, replication);
      if (nodes == null) {
        return null;
      }
      tries++;
      if (tries <= sparingTries ? addSparing(nodes) : add(nodes)) {
        return record(nodes, true, tries);
      }
    }
    for (int rack : RackOrder.shuffled(topology, random)) {
      if (rack != coreRack && draw.hasUsable(rack, replication - 1)) {
        int[] nodes = draw.fromRacks(coreRack, rack, writer, replication);
        tries++;
        if (nodes != null && add(nodes)) {
          return record(nodes, true, tries);
        }
      }
    }
    return null;
  }

  private boolean addSparing(int[] nodes) {
    if (!graph.add(nodes)) {
      return false;
    }
    if (!sparing.add(nodes)) {
      graph.removeLast();
      return false;
    }
    return true;
  }

  private boolean add(int[] nodes) {
    if (!graph.add(nodes)) {
      return false;
    }
    sparing = sparing == null || !sparing.add(nodes) ? null : sparing;
    return true;
  }

  private Advice record(int[] nodes, boolean hasPlace, int tries) {
    replicas[blocks] = nodes;
    isInFlow[blocks] = hasPlace;
    return new Advice(nodes, coreRack, blocks++, tries, hasPlace);
  }

  /**
   * Selects nodes for the replicas of the next block and adds the block even if none of its
   * replicas can be retained; one replica is in the core rack then, and encoding must send the
   * block. Used for stripes whose blocks are fixed, such as those of a file.
   *
   * @return the nodes, or null if the stripe is full or no nodes can be selected; in the latter
   *     case the block is counted nevertheless
   */
  public Advice placeAnyhow(
      int writer, int replication, IntPredicate isExcluded, SplittableRandom random) {
    if (isFull()) {
      return null;
    }
    Advice advice = place(writer, replication, isExcluded, random);
    if (advice != null) {
      return advice;
    }
    int[] nodes =
        new ReplicaDraw(topology, isExcluded, random).fromRack(coreRack, writer, replication);
    Advice without = record(nodes == null ? new int[0] : nodes, false, triesMax);
    return nodes == null ? null : without;
  }

  /**
   * Continues with a newer topology.
   *
   * @return whether every block that could retain a replica still can; if not, only {@link
   *     #placeAnyhow} may add further blocks
   */
  public boolean moveTo(Topology newer) {
    if (newer == topology) {
      return true;
    }
    boolean isSparing = topology == null ? wasSparing : sparing != null;
    graph = new FlowGraph(shape, newer, rule, targets);
    sparing = isSparing ? emptySparing(newer) : null;
    topology = newer;
    boolean haveAll = coreRack < newer.racks();
    for (int block = 0; block < blocks; block++) {
      if (isInFlow[block]) {
        int first = replicas[block][0];
        boolean isInCore = newer.hasNode(first) && newer.rackOf(first) == coreRack;
        isInFlow[block] = isInCore && add(replicas[block]);
        haveAll &= isInFlow[block];
      }
    }
    return haveAll;
  }

  /** Releases the topology; {@link #moveTo} must be called before the next block is placed. */
  void forgetTopology() {
    if (topology != null) {
      wasSparing = sparing != null;
      topology = null;
      graph = null;
      sparing = null;
    }
  }

  /** Removes the block placed last because it was not written. */
  public void withdrawLast() {
    if (blocks == 0) {
      throw new IllegalStateException("Cannot remove a block from a stripe: it has none");
    }
    blocks--;
    if (isInFlow[blocks] && graph != null) {
      graph.removeLast();
      if (sparing != null) {
        sparing.removeLast();
      }
    }
  }

  /** Returns the core rack. */
  public int coreRack() {
    return coreRack;
  }

  /** Returns the target racks, including the core rack; null if all racks are allowed. */
  public BitSet targetRacks() {
    return targets == null ? null : (BitSet) targets.clone();
  }

  /** Returns the number of blocks added so far. */
  public int blocks() {
    return blocks;
  }

  /** Returns whether the stripe has k blocks. */
  public boolean isFull() {
    return blocks == replicas.length;
  }

  /** Returns whether the block placed last has a replica on a node that the predicate accepts. */
  boolean isLastOn(IntPredicate isNode) {
    if (blocks > 0) {
      for (int node : replicas[blocks - 1]) {
        if (isNode.test(node)) {
          return true;
        }
      }
    }
    return false;
  }
}
