// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.stripeline.placement.Topology;
import org.stripeline.placement.ear.Advice;
import org.stripeline.placement.ear.PendingCounts;
import org.stripeline.placement.ear.PendingStripes;
import org.stripeline.placement.ear.ReplicaDraw;
import org.stripeline.simulator.scenario.Policy;
import org.stripeline.simulator.scenario.Settings;

/**
 * Selects the nodes of new blocks as the NameNode would under a policy. For policies that place
 * blocks for stripes, it also assigns each block to a stripe.
 */
final class Placer {
  /** The owner of all stripes of {@link Policy#EAR}, which has one for each core rack. */
  private static final String OWNER = "/";

  private final Settings settings;
  private final Policy policy;
  private final SplittableRandom random;
  private final PendingStripes pending;

  /**
   * The number of blocks in the open stripe of each core rack, for the policy whose placement does
   * not count them.
   */
  private final int[] position;

  Placer(Settings settings, Policy policy, SplittableRandom random) {
    this.settings = settings;
    this.policy = policy;
    this.random = random;
    this.position = new int[settings.racks];
    this.pending = pending(settings, policy);
  }

  private static PendingStripes pending(Settings settings, Policy policy) {
    switch (policy) {
      case EAR:
        return new PendingStripes(
            settings.shape,
            settings.rule,
            16 * settings.racks,
            Long.MAX_VALUE,
            settings.earTriesMax);
      case EAR_NAMENODE:
        return PendingStripes.sparingCore(
            settings.shape,
            settings.rule,
            PendingStripes.STRIPES_MAX_DEFAULT,
            Long.MAX_VALUE,
            PendingStripes.TRIES_MAX_DEFAULT);
      default:
        return null;
    }
  }

  /** The nodes of a block, and its position in a stripe. */
  static final class Placed {
    final int[] nodes;
    final int coreRack;

    /** Index in its stripe; 0 begins a new stripe, -1 means no stripe. */
    final int position;

    Placed(int[] nodes, int coreRack, int position) {
      this.nodes = nodes;
      this.coreRack = coreRack;
      this.position = position;
    }
  }

  /**
   * Places a block; the nodes are null if there are too few live nodes.
   *
   * @param file identifies the file, whose blocks form stripes in their order under the NameNode's
   *     policy; the other policies do not use it
   */
  Placed place(Topology topology, int writer, Object file) {
    Optional<Advice> advice = pending == null ? Optional.empty() : advice(topology, writer, file);
    if (advice.isPresent()) {
      return new Placed(advice.get().nodes(), advice.get().coreRack(), advice.get().position());
    }
    int[] nodes =
        new ReplicaDraw(topology, ReplicaDraw.NONE_EXCLUDED, random)
            .anywhere(writer, settings.replication);
    if (nodes == null || policy != Policy.PRELIMINARY_EAR) {
      return new Placed(nodes, SimulatedStripe.ANYWHERE, -1);
    }
    int rack = topology.rackOf(nodes[0]);
    int index = position[rack];
    position[rack] = (index + 1) % settings.shape.data();
    return new Placed(nodes, rack, index);
  }

  private Optional<Advice> advice(Topology topology, int writer, Object file) {
    int replication = settings.replication;
    IntPredicate isExcluded = ReplicaDraw.NONE_EXCLUDED;
    return policy == Policy.EAR
        ? pending.place(OWNER, topology, writer, replication, isExcluded, 0, random)
        : pending.placeInOrder(file, topology, writer, replication, isExcluded, 0, random);
  }

  /** Returns how many candidates were drawn so far; 0 for policies that draw only once. */
  long tries() {
    return pending == null ? 0 : pending.counts().of(PendingCounts.Event.TRIED);
  }
}
