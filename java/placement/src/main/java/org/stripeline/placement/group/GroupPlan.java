// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.Arrays;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.Relaxation;
import org.stripeline.placement.StripeAudit;
import org.stripeline.placement.Topology;

/**
 * The final node of each block of a group, and the node that encodes it. A data block is either
 * adopted, that is, one of its replicas is retained, or sent once. The encoder sends all new
 * blocks, including parity, since it reads all data anyway. Immutable.
 */
public final class GroupPlan {
  private final CodeShape shape;
  private final int coreRack;
  private final int encoder;
  private final int[] dataNodes;
  private final int[] parityNodes;
  private final boolean[] isAdopted;
  private final int[][] readOrder;
  private final Topology topology;
  private final Relaxation relaxation;
  private final int rackFailuresTolerated;

  GroupPlan(
      GroupTask task,
      CodeShape shape,
      int encoder,
      int[] dataNodes,
      boolean[] isAdopted,
      int[] parityNodes,
      int[][] readOrder) {
    this.topology = task.topology();
    this.shape = shape;
    this.encoder = encoder;
    this.coreRack = topology.rackOf(encoder);
    this.dataNodes = dataNodes;
    this.isAdopted = isAdopted;
    this.parityNodes = parityNodes;
    this.readOrder = readOrder;
    int[] racks = new int[dataNodes.length + parityNodes.length];
    int offTarget = 0;
    for (int i = 0; i < racks.length; i++) {
      int node = i < dataNodes.length ? dataNodes[i] : parityNodes[i - dataNodes.length];
      racks[i] = topology.rackOf(node);
      offTarget += task.isTarget(racks[i]) ? 0 : 1;
    }
    int[] counts = StripeAudit.countsAscending(racks);
    this.rackFailuresTolerated = StripeAudit.tolerated(counts, shape.parity());
    this.relaxation = StripeAudit.relaxation(counts, task.rule(), task.racksRequired(), offTarget);
  }

  /** Returns the code. */
  public CodeShape shape() {
    return shape;
  }

  /** Returns the number of data blocks of the group: k, or fewer for a short group. */
  public int dataBlocks() {
    return dataNodes.length;
  }

  /** Returns the rack in which the group is encoded. */
  public int coreRack() {
    return coreRack;
  }

  /** Returns the node that encodes: one with the most replicas among the nodes of the core rack. */
  public int encoder() {
    return encoder;
  }

  /** Returns the rack of a node at the time of planning. */
  int rackOf(int node) {
    return topology.rackOf(node);
  }

  /** Returns the node of a data block, by its index from 0. */
  public int dataNode(int block) {
    return dataNodes[block];
  }

  /** Returns the node of a parity block, by its index from 0. */
  public int parityNode(int block) {
    return parityNodes[block];
  }

  /**
   * Returns whether a replica of a data block is retained; otherwise the block is sent to its node.
   */
  public boolean isAdopted(int block) {
    return isAdopted[block];
  }

  /** Returns the nodes that a data block can be read from, those nearest to the encoder first. */
  public int[] readOrder(int block) {
    return readOrder[block].clone();
  }

  /** Returns the node from which the encoder reads a data block first. */
  public int readFrom(int block) {
    return readOrder[block][0];
  }

  /** Returns how many data blocks must be sent. */
  public int sends() {
    int count = 0;
    for (boolean adopted : isAdopted) {
      count += adopted ? 0 : 1;
    }
    return count;
  }

  /** Returns how many data blocks have a replica on the encoder. */
  public int localReads() {
    int count = 0;
    for (int[] order : readOrder) {
      count += order[0] == encoder ? 1 : 0;
    }
    return count;
  }

  /** Returns how many data blocks the encoder reads from another rack. */
  public int crossRackReads() {
    int count = 0;
    for (int[] order : readOrder) {
      count += topology.rackOf(order[0]) == coreRack ? 0 : 1;
    }
    return count;
  }

  /** Returns how many data blocks are sent to another rack. */
  public int crossRackSends() {
    int count = 0;
    for (int block = 0; block < dataNodes.length; block++) {
      count += isAdopted[block] || topology.rackOf(dataNodes[block]) == coreRack ? 0 : 1;
    }
    return count;
  }

  /** Returns how many parity blocks are sent to another rack. */
  public int crossRackParity() {
    int count = 0;
    for (int node : parityNodes) {
      count += topology.rackOf(node) == coreRack ? 0 : 1;
    }
    return count;
  }

  /** Returns how many racks may fail at the same time, regardless of which, without data loss. */
  public int rackFailuresTolerated() {
    return rackFailuresTolerated;
  }

  /**
   * Returns how far the plan violates the rack rule; it does so only if no layout satisfies the
   * rule.
   */
  public Relaxation relaxation() {
    return relaxation;
  }

  @Override
  public String toString() {
    return "data on "
        + Arrays.toString(dataNodes)
        + " ("
        + sends()
        + " sent), parity on "
        + Arrays.toString(parityNodes)
        + ", encoded by "
        + encoder
        + ", "
        + relaxation;
  }
}
