// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.ArrayList;
import java.util.List;
import org.stripeline.placement.Topology;
import org.stripeline.simulator.scenario.Policy;
import org.stripeline.simulator.scenario.ScenarioException;
import org.stripeline.simulator.scenario.Settings;
import org.stripeline.simulator.scenario.WriterChoice;

/** The blocks that exist before the run, and the stripes that they will form. */
final class Preload {
  /**
   * Limits the number of blocks that are written, as a multiple of the blocks that the stripes
   * need.
   */
  private static final int BLOCKS_FACTOR_MAX = 4;

  private static final String ONE_FILE = "file";

  private final Settings settings;
  private final Policy policy;
  private final Placer placer;
  private final Randoms randoms;
  private final Blocks blocks;
  private final List<SimulatedStripe> stripes;
  private int written;
  private int fileWriter;

  Preload(Settings settings, Policy policy, Placer placer, Randoms randoms) {
    this.settings = settings;
    this.policy = policy;
    this.placer = placer;
    this.randoms = randoms;
    this.blocks = new Blocks(settings.replication, settings.stripes * settings.shape.data());
    this.stripes = new ArrayList<>(settings.stripes);
  }

  Blocks blocks() {
    return blocks;
  }

  List<SimulatedStripe> stripes() {
    return stripes;
  }

  /**
   * Writes blocks until there are enough stripes.
   *
   * @throws ScenarioException if the rack rule leaves too little room for them
   */
  void write(Topology topology) throws ScenarioException {
    if (policy.placesForStripes()) {
      writeByRack(topology);
    } else {
      writeInOrder(topology);
      if (policy == Policy.POST_HOC) {
        stripes.addAll(PostHocStripes.of(settings, blocks, topology));
      }
    }
  }

  private void writeInOrder(Topology topology) {
    int data = settings.shape.data();
    for (int stripe = 0; stripe < settings.stripes; stripe++) {
      int[] members = new int[data];
      for (int i = 0; i < data; i++) {
        members[i] = blocks.add(placer.place(topology, nextWriter(), ONE_FILE).nodes);
      }
      if (policy != Policy.POST_HOC) {
        stripes.add(new SimulatedStripe(members, SimulatedStripe.ANYWHERE));
      }
    }
  }

  private void writeByRack(Topology topology) throws ScenarioException {
    int data = settings.shape.data();
    int[][] open = new int[settings.racks][];
    long most = (long) BLOCKS_FACTOR_MAX * data * (settings.stripes + settings.racks);
    while (stripes.size() < settings.stripes && written < most) {
      int writer = nextWriter();
      Placer.Placed placed = placer.place(topology, writer, file(writer));
      int block = blocks.add(placed.nodes);
      if (placed.position == 0) {
        open[placed.coreRack] = new int[data];
      }
      if (placed.position >= 0) {
        open[placed.coreRack][placed.position] = block;
      }
      if (placed.position == data - 1) {
        boolean isAnywhere = policy == Policy.EAR_NAMENODE;
        int encodingRack = isAnywhere ? SimulatedStripe.ANYWHERE : placed.coreRack;
        stripes.add(new SimulatedStripe(open[placed.coreRack], encodingRack));
      }
    }
    if (stripes.size() < settings.stripes) {
      throw new ScenarioException(
          "Cannot form "
              + settings.stripes
              + " stripes: "
              + written
              + " blocks formed "
              + stripes.size()
              + "; raise blocks_per_rack_max or racks");
    }
  }

  /**
   * Returns the file of the next block: racks that write in turn write a file each; otherwise all
   * blocks are of one file.
   */
  private Object file(int writer) {
    boolean isOfRack = settings.writers == WriterChoice.RACKS_IN_TURN;
    return isOfRack ? (Object) (writer / settings.nodesPerRack) : ONE_FILE;
  }

  private int nextWriter() {
    int rack;
    int block = written++;
    if (settings.writers == WriterChoice.PER_FILE && block % settings.shape.data() != 0) {
      return fileWriter;
    }
    if (settings.writers == WriterChoice.RACKS_IN_TURN) {
      rack = block % settings.racks;
    } else {
      rack = randoms.writers.nextInt(settings.racks);
    }
    fileWriter = rack * settings.nodesPerRack + randoms.writers.nextInt(settings.nodesPerRack);
    return fileWriter;
  }
}
