// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.Topology;
import org.stripeline.simulator.network.Clock;
import org.stripeline.simulator.network.Digest;
import org.stripeline.simulator.network.Links;
import org.stripeline.simulator.network.Network;
import org.stripeline.simulator.network.Purpose;
import org.stripeline.simulator.network.Transfer;
import org.stripeline.simulator.scenario.Settings;

/**
 * Simulates nodes that fail and are replaced by empty ones, racks that are temporarily unavailable,
 * and the repair of the data of dead nodes. A transfer that is in progress when its node dies still
 * completes as if the node were alive; blocks that it wrote there are repaired afterwards.
 */
final class Failures {
  private static final int NODE_DIED = 5;
  private static final int RACK_AWAY = 6;
  private static final int REPAIRED = 7;

  /**
   * Maximum number of attempts of a repair that finds too few live nodes; attempts are at least a
   * rack outage apart.
   */
  private static final int ATTEMPTS_MAX = 10;

  private final Settings settings;
  private final Clock clock;
  private final Digest digest;
  private final Network network;
  private final Links links;
  private final Cluster cluster;
  private final SplittableRandom moments;
  private final SplittableRandom choices;
  private final Blocks blocks;
  private final List<SimulatedStripe> stripes;
  private final ArrayDeque<Runnable> repairs = new ArrayDeque<>();
  private final Tally tally = new Tally();

  /** The time of each node's last failure, -1 if it never failed. */
  private final double[] diedAt;

  private int repairsUnderWay;
  private boolean isEnded;

  Failures(Run run, Blocks blocks, List<SimulatedStripe> stripes) {
    this.settings = run.settings;
    this.clock = run.clock;
    this.digest = run.digest;
    this.network = run.network;
    this.links = run.links;
    this.cluster = run.cluster;
    this.moments = run.randoms.failures;
    this.choices = run.randoms.repairs;
    this.blocks = blocks;
    this.stripes = stripes;
    this.diedAt = new double[settings.nodes()];
    Arrays.fill(diedAt, -1);
  }

  /** Counts of events; field names are those of the JSON. */
  public static final class Tally {
    public long nodesDied;
    public long racksAway;
    public long blocksRepaired;
    public long blocksLost;
    public double repairGb;
  }

  Tally tally() {
    return tally;
  }

  void start() {
    if (settings.nodeFailuresPerHour > 0) {
      clock.after(nextWait(settings.nodeFailuresPerHour), this::nodeDies);
    }
    if (settings.rackOutagesPerHour > 0) {
      clock.after(nextWait(settings.rackOutagesPerHour), this::rackGoes);
    }
  }

  /** Ends further failures; repairs continue. */
  void end() {
    isEnded = true;
  }

  private double nextWait(double perHour) {
    return Randoms.wait(moments, perHour / 3600);
  }

  private void nodeDies() {
    if (isEnded) {
      return;
    }
    clock.after(nextWait(settings.nodeFailuresPerHour), this::nodeDies);
    int node = moments.nextInt(settings.nodes());
    if (!cluster.isLive(node)) {
      return;
    }
    tally.nodesDied++;
    diedAt[node] = clock.now();
    digest.note(NODE_DIED, clock.now(), node, 0);
    cluster.change(new int[] {node}, 1);
    clock.after(settings.detectionSeconds, () -> queueRepairs(node));
    // The replacement is empty: repairs are queued before it arrives, otherwise it would seem to
    // hold the data.
    double back = Math.max(settings.replacementSeconds, settings.detectionSeconds);
    clock.after(back, () -> cluster.change(new int[] {node}, -1));
  }

  private void rackGoes() {
    if (isEnded) {
      return;
    }
    clock.after(nextWait(settings.rackOutagesPerHour), this::rackGoes);
    int rack = moments.nextInt(settings.racks);
    tally.racksAway++;
    digest.note(RACK_AWAY, clock.now(), rack, 0);
    int[] nodes = cluster.nodesOf(rack);
    cluster.change(nodes, 1);
    clock.after(settings.rackOutageSeconds, () -> cluster.change(nodes, -1));
  }

  private void queueRepairs(int node) {
    for (SimulatedStripe stripe : stripes) {
      if (stripe.isEncoded()) {
        for (int i = 0; i < stripe.layout().length; i++) {
          if (stripe.layout()[i] == node) {
            queueRebuild(stripe, i);
          }
        }
      } else {
        for (int block : stripe.blocks()) {
          for (int i = 0; i < blocks.replication(); i++) {
            if (blocks.node(block, i) == node) {
              int replica = i;
              blocks.move(block, replica, Blocks.ABSENT);
              repairs.add(() -> copyReplica(stripe, block, replica, node, 1));
            }
          }
        }
      }
    }
    beginRepairs();
  }

  private void queueRebuild(SimulatedStripe stripe, int index) {
    int node = stripe.layout()[index];
    stripe.layout()[index] = Blocks.ABSENT;
    repairs.add(() -> rebuild(stripe, index, node, 1));
  }

  /**
   * Registers a stripe that has just been encoded, and queues repairs of its blocks on nodes that
   * have failed.
   *
   * @param plannedAt when its nodes were chosen; nodes that died since then do not have its blocks
   */
  void encoded(SimulatedStripe stripe, double plannedAt) {
    for (int i = 0; i < stripe.layout().length; i++) {
      if (diedAt[stripe.layout()[i]] > plannedAt) {
        queueRebuild(stripe, i);
      }
    }
    beginRepairs();
  }

  private void beginRepairs() {
    while (repairsUnderWay < settings.repairStreams && !repairs.isEmpty()) {
      repairsUnderWay++;
      repairs.remove().run();
    }
  }

  private void repairEnds() {
    repairsUnderWay--;
    beginRepairs();
  }

  /**
   * Ends a repair that is currently impossible; retries it later, up to the maximum number of
   * attempts.
   */
  private void postpone(int attempt, Runnable again) {
    // Scheduled instead of called, so that impossible repairs do not recurse.
    clock.after(0, this::repairEnds);
    if (attempt < ATTEMPTS_MAX) {
      clock.after(
          settings.detectionSeconds + settings.rackOutageSeconds,
          () -> {
            repairs.add(again);
            beginRepairs();
          });
    } else {
      tally.blocksLost++;
    }
  }

  private void copyReplica(SimulatedStripe stripe, int block, int replica, int lost, int attempt) {
    int[] nodes = blocks.replicas(block);
    if (stripe.isEncoded()) {
      clock.after(0, this::repairEnds);
      return;
    }
    int source = anyLive(nodes);
    int target = source < 0 ? -1 : newNode(nodes, lost);
    if (target < 0) {
      postpone(attempt, () -> copyReplica(stripe, block, replica, lost, attempt + 1));
      return;
    }
    sendRepair(
        source,
        target,
        true,
        () -> {
          blocks.move(block, replica, target);
          repaired(block, target);
        });
  }

  private void rebuild(SimulatedStripe stripe, int index, int lost, int attempt) {
    int[] layout = stripe.layout();
    int data = stripe.blocks().length;
    int[] sources = new int[data];
    int found = 0;
    for (int i = 0; i < layout.length && found < data; i++) {
      if (layout[i] >= 0 && cluster.isLive(layout[i])) {
        sources[found++] = layout[i];
      }
    }
    int target = found < data ? -1 : newNode(layout, lost);
    if (target < 0) {
      postpone(attempt, () -> rebuild(stripe, index, lost, attempt + 1));
      return;
    }
    int[] left = {data};
    for (int source : sources) {
      sendRepair(
          source,
          target,
          false,
          () -> {
            if (--left[0] == 0) {
              network.send(
                  new Transfer(
                      Purpose.REPAIR,
                      links.write(target, target),
                      settings.blockBytes,
                      () -> {
                        layout[index] = target;
                        repaired(index, target);
                      }));
            }
          });
    }
  }

  private void sendRepair(int source, int target, boolean toDisk, Runnable then) {
    tally.repairGb += settings.blockBytes / 1e9;
    network.send(
        new Transfer(
            Purpose.REPAIR,
            toDisk ? links.copy(source, target) : links.read(source, target),
            settings.blockBytes,
            then));
  }

  private void repaired(int block, int target) {
    tally.blocksRepaired++;
    digest.note(REPAIRED, clock.now(), block, target);
    repairEnds();
  }

  private int anyLive(int[] nodes) {
    int start = choices.nextInt(nodes.length);
    for (int i = 0; i < nodes.length; i++) {
      int node = nodes[(start + i) % nodes.length];
      if (node >= 0 && cluster.isLive(node)) {
        return node;
      }
    }
    return -1;
  }

  /**
   * Returns a live node that is none of the given ones, in the rack of the lost node if possible,
   * -1 if there is none.
   */
  private int newNode(int[] taken, int lost) {
    Topology topology = cluster.topology();
    int rack = topology.rackOf(lost);
    int start = choices.nextInt(settings.nodesPerRack);
    for (int i = 0; i < topology.size(rack); i++) {
      int node = topology.node(rack, (start + i) % topology.size(rack));
      if (isFree(node, taken, topology)) {
        return node;
      }
    }
    start = choices.nextInt(topology.nodes());
    for (int i = 0; i < topology.nodes(); i++) {
      int node = (start + i) % topology.nodes();
      if (isFree(node, taken, topology)) {
        return node;
      }
    }
    return -1;
  }

  private static boolean isFree(int node, int[] taken, Topology topology) {
    boolean isFree = topology.state(node) == NodeState.OPEN;
    for (int other : taken) {
      isFree &= other != node;
    }
    return isFree;
  }
}
