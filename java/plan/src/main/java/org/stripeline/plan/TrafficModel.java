// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.HashMap;
import java.util.Map;
import org.stripeline.placement.CodeName;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.plan.source.PlannedFile;

/**
 * Computes how many bytes cross racks when a group is encoded, for R racks, k data and m parity
 * blocks, at most c blocks of a group per rack.
 *
 * <ul>
 *   <li>Copy: a client anywhere reads each block, unless its own rack has a replica, and writes k+m
 *       blocks, each of them to another rack with probability 1 - 1/R.
 *   <li>HDFS-RAID: the same reads, but only parity is written. The replicas that it moves later,
 *       because they break the rack rule, are not counted.
 *   <li>EAR: the encoder's rack has a replica of every block, and keeps as many parity blocks as
 *       the rack rule allows.
 *   <li>Adoption: as in the plan of the group.
 * </ul>
 *
 * <p>Source of the first three: Li, Hu, Lee, "Enabling Efficient and Reliable Transition from
 * Replication to Erasure Coding for Clustered File Systems" (DSN 2015).
 */
abstract class TrafficModel {
  private final int blocksPerRackMax;
  private final Map<CodeShape, RackRule> rules = new HashMap<>();
  private int rulesForRacks;

  /**
   * Creates a model.
   *
   * @param blocksPerRackMax c; 0 for the minimum that the number of racks allows, as HDFS requires
   */
  TrafficModel(int blocksPerRackMax) {
    this.blocksPerRackMax = blocksPerRackMax;
  }

  /** Returns the number of racks, at least 1. */
  abstract int racks();

  /** Returns how many racks hold a replica of a block. */
  abstract int racksOf(PlannedFile file, int block);

  /**
   * Adds the data that the adoption of a group moves; the caller counts groups and their parity.
   */
  abstract void addAdoption(
      PlannedFile file, int start, int end, CodeName code, ConversionTraffic sums);

  /** Returns whether the values are expectations instead of values from actual locations. */
  abstract boolean isExpected();

  /** Returns whether a group that cannot be placed on the known nodes has no place at all. */
  abstract boolean knowsAllNodes();

  /** Returns the rack rule for the groups of a code. */
  final RackRule rule(CodeShape shape) {
    if (rulesForRacks != racks()) {
      rules.clear();
      rulesForRacks = racks();
    }
    RackRule rule = rules.get(shape);
    if (rule == null) {
      rule =
          blocksPerRackMax == 0
              ? RackRule.even(shape, racks())
              : RackRule.atMost(blocksPerRackMax).spread();
      rules.put(shape, rule);
    }
    return rule;
  }

  /**
   * Returns the rack rule for a group of a file.
   *
   * @param dataBlocks the data blocks of the group
   */
  RackRule rule(PlannedFile file, CodeShape shape, int dataBlocks) {
    return rule(shape);
  }

  /** Adds a file that is adopted with a code. */
  final void addAdopted(PlannedFile file, CodeName code, ConversionTraffic sums) {
    int start = 0;
    while (start < file.blockCount()) {
      int end = file.groupEnd(start, code.data());
      addGroup(file, start, end, code, sums);
      start = end;
    }
  }

  private void addGroup(
      PlannedFile file, int start, int end, CodeName code, ConversionTraffic sums) {
    long before = sums.unplaceable;
    addAdoption(file, start, end, code, sums);
    sums.groups++;
    if (sums.unplaceable > before) {
      return;
    }
    double data = file.bytes(start, end);
    double parityLength = file.longest(start, end);
    double parity = code.parity() * parityLength;
    double elsewhere = 1 - 1.0 / racks();
    double read = 0;
    for (int block = start; block < end; block++) {
      read += file.bytesOfBlock(block) * (1 - (double) racksOf(file, block) / racks());
    }
    sums.parityBytes += parity;
    sums.copyAcross += read + (data + parity) * elsewhere;
    sums.copyNetwork += data + data + parity;
    sums.raidAcross += read + parity * elsewhere;
    sums.earAcross += parityLength * earParityAcross(file, code.shape(), end - start);
  }

  /**
   * Returns how many parity blocks cannot stay in the encoder's rack, given that no data block
   * stays there.
   */
  private int earParityAcross(PlannedFile file, CodeShape shape, int dataBlocks) {
    int total = dataBlocks + shape.parity();
    RackRule rule = rule(file, shape, dataBlocks);
    int surplus = total - rule.racksRequired(total, racks());
    int stay = Math.min(rule.blocksPerRackMax(), 1 + surplus);
    return Math.max(0, shape.parity() - stay);
  }

  /** Adds a file that is copied into a striped one. */
  final void addStriped(PlannedFile file, long bytesAfter, ConversionTraffic sums) {
    double read = 0;
    for (int block = 0; block < file.blockCount(); block++) {
      read += file.bytesOfBlock(block) * (1 - (double) racksOf(file, block) / racks());
    }
    sums.stripeAcross += read + bytesAfter * (1 - 1.0 / racks());
    sums.stripeNetwork += (double) file.bytes() + bytesAfter;
  }
}
