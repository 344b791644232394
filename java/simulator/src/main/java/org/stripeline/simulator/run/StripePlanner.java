// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.stripeline.placement.BlindRetention;
import org.stripeline.placement.StripeAudit;
import org.stripeline.placement.Topology;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.placement.group.PlacementException;
import org.stripeline.simulator.scenario.EncoderChoice;
import org.stripeline.simulator.scenario.Policy;
import org.stripeline.simulator.scenario.Settings;

/**
 * Plans the encoding of a stripe: the encoder, the nodes from which it reads, and the final node of
 * each block.
 */
final class StripePlanner {
  private final Settings settings;
  private final Policy policy;
  private final Blocks blocks;
  private final SplittableRandom random;

  StripePlanner(Settings settings, Policy policy, Blocks blocks, SplittableRandom random) {
    this.settings = settings;
    this.policy = policy;
    this.blocks = blocks;
    this.random = random;
  }

  /**
   * Plans an encoding.
   *
   * @param processNode the node of the encoding process
   * @throws PlacementException if a block is lost, or there are too few nodes
   */
  EncodePlan plan(SimulatedStripe stripe, int processNode, Topology topology)
      throws PlacementException {
    int[][] replicas = live(stripe.replicas(blocks), topology);
    switch (policy) {
      case RR:
        return blind(replicas, processNode, topology);
      case COPY:
        return copy(replicas, processNode, topology);
      default:
        return matched(replicas, processNode, topology);
    }
  }

  private static int[][] live(int[][] replicas, Topology topology) throws PlacementException {
    int[][] kept = new int[replicas.length][];
    for (int block = 0; block < replicas.length; block++) {
      kept[block] =
          Arrays.stream(replicas[block])
              .filter(node -> node >= 0 && topology.state(node).isReadable())
              .toArray();
      if (kept[block].length == 0) {
        throw new PlacementException(
            "Cannot encode a stripe: block " + block + " of it has no live replica");
      }
    }
    return kept;
  }

  /** Plans as HDFS-RAID does: retains random replicas and places parity in random racks. */
  private EncodePlan blind(int[][] replicas, int encoder, Topology topology)
      throws PlacementException {
    int[] kept = BlindRetention.retain(replicas, random);
    int limit = settings.rule.blocksPerRackMax();
    int relocations = BlindRetention.relocations(kept, topology, limit);
    int[] layout = Arrays.copyOf(kept, settings.shape.total());
    boolean[] isSent = new boolean[kept.length];
    if (settings.relocates) {
      GroupPlan moved =
          GroupPlanner.plan(settings.shape, single(kept), topology, settings.rule, random);
      for (int i = 0; i < layout.length; i++) {
        layout[i] = i < kept.length ? moved.dataNode(i) : moved.parityNode(i - kept.length);
      }
      for (int i = 0; i < kept.length; i++) {
        isSent[i] = !moved.isAdopted(i);
      }
    } else {
      spread(layout, kept.length, topology);
    }
    return finish(
        encoder, nearest(replicas, encoder, topology), layout, isSent, relocations, topology);
  }

  private static int[][] single(int[] nodes) {
    int[][] replicas = new int[nodes.length][];
    for (int i = 0; i < nodes.length; i++) {
      replicas[i] = new int[] {nodes[i]};
    }
    return replicas;
  }

  /** Plans a copy: a client reads all data and writes all blocks, in as many racks as possible. */
  private EncodePlan copy(int[][] replicas, int encoder, Topology topology)
      throws PlacementException {
    int[] layout = new int[settings.shape.total()];
    spread(layout, 0, topology);
    boolean[] isSent = new boolean[replicas.length];
    Arrays.fill(isSent, true);
    return finish(encoder, nearest(replicas, encoder, topology), layout, isSent, 0, topology);
  }

  /** Plans with the placement code, in which a matching determines the replicas to retain. */
  private EncodePlan matched(int[][] replicas, int processNode, Topology topology)
      throws PlacementException {
    GroupPlan plan = GroupPlanner.plan(settings.shape, replicas, topology, settings.rule, random);
    int encoder = plan.encoder();
    boolean isBound = policy.placesForStripes() || policy == Policy.POST_HOC;
    boolean isHome = topology.rackOf(processNode) == plan.coreRack();
    boolean isFixed = settings.encoder == EncoderChoice.FIXED && isBound && isHome;
    if (policy == Policy.RETENTION || isFixed && topology.state(processNode).keeps()) {
      encoder = processNode;
    }
    int data = replicas.length;
    int[] layout = new int[settings.shape.total()];
    boolean[] isSent = new boolean[data];
    for (int i = 0; i < layout.length; i++) {
      layout[i] = i < data ? plan.dataNode(i) : plan.parityNode(i - data);
    }
    for (int i = 0; i < data; i++) {
      isSent[i] = !plan.isAdopted(i);
    }
    return finish(
        encoder, nearest(replicas, encoder, topology), layout, isSent, plan.sends(), topology);
  }

  private EncodePlan finish(
      int encoder,
      int[] sources,
      int[] layout,
      boolean[] isSent,
      int relocations,
      Topology topology) {
    StripeAudit audit = StripeAudit.of(layout, settings.shape.parity(), topology, settings.rule);
    return new EncodePlan(encoder, sources, layout, isSent, relocations, !audit.isSound());
  }

  /**
   * Returns the replica of each block that is nearest to a node: on the node, in its rack, or any.
   */
  private int[] nearest(int[][] replicas, int node, Topology topology) {
    int[] sources = new int[replicas.length];
    for (int block = 0; block < sources.length; block++) {
      int best = -1;
      int bestDistance = Integer.MAX_VALUE;
      int ties = 0;
      for (int replica : replicas[block]) {
        boolean isInRack = topology.rackOf(replica) == topology.rackOf(node);
        int distance = replica == node ? 0 : isInRack ? 1 : 2;
        ties = distance == bestDistance ? ties + 1 : 1;
        if (distance < bestDistance || distance == bestDistance && random.nextInt(ties) == 0) {
          best = replica;
          bestDistance = distance;
        }
      }
      sources[block] = best;
    }
    return sources;
  }

  /**
   * Fills a layout from an index on with different random nodes. Uses a rack again only if no
   * unused rack is found; ignores the racks of the blocks before the index.
   */
  private void spread(int[] layout, int from, Topology topology) throws PlacementException {
    int[] usedInRack = new int[topology.racks()];
    int round = 0;
    int tries = 0;
    for (int i = from; i < layout.length; ) {
      int node = random.nextInt(topology.nodes());
      boolean isFree = topology.state(node).keeps() && usedInRack[topology.rackOf(node)] <= round;
      for (int j = 0; isFree && j < i; j++) {
        isFree = layout[j] != node;
      }
      if (isFree) {
        layout[i++] = node;
        usedInRack[topology.rackOf(node)]++;
        tries = 0;
      } else if (++tries > 4 * topology.nodes()) {
        // Probably every rack has been used, so some rack must get another block.
        tries = 0;
        if (++round > topology.nodes()) {
          throw new PlacementException(
              "Cannot place " + layout.length + " blocks: too few nodes are live");
        }
      }
    }
  }
}
