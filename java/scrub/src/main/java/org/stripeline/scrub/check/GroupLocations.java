// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.Block;

/** A block group, or a replicated block, with the locations that the NameNode reported last. */
public final class GroupLocations {
  /** Why the NameNode may not name replicas that exist. */
  public enum Unnamed {
    /** It names all. */
    NONE,
    /** The file is so new that DataNodes may still report replicas. */
    REPORTED_LATE,
    /** The NameNode has started, and DataNodes have not reported their replicas since. */
    NOT_REPORTED,
    /** Replicas may be on DataNodes in maintenance, which it does not name. */
    IN_MAINTENANCE
  }

  private final String pool;
  private final Block block;
  private final Layout layout;
  private final int replicas;
  private final boolean isOpen;
  private final Unnamed unnamed;
  private final List<Copy> copies;

  /**
   * Creates a description.
   *
   * @param pool the block pool
   * @param block the group, or the replicated block, with its bytes of data
   * @param replicas replicas that each block should have; 1 for erasure-coded groups
   * @param isOpen whether a client can still write to it
   * @param unnamed why replicas may be missing in {@code copies}
   * @param copies all replicas
   */
  public GroupLocations(
      String pool,
      Block block,
      Layout layout,
      int replicas,
      boolean isOpen,
      Unnamed unnamed,
      List<Copy> copies) {
    this.pool = pool;
    this.block = new Block(block);
    this.layout = layout;
    this.replicas = replicas;
    this.isOpen = isOpen;
    this.unnamed = unnamed;
    this.copies = Collections.unmodifiableList(new ArrayList<>(copies));
  }

  /** Returns the block pool. */
  public String pool() {
    return pool;
  }

  /** Returns how bytes are distributed over units. */
  public Layout layout() {
    return layout;
  }

  /** Returns the number of replicas that each block should have. */
  public int replicas() {
    return replicas;
  }

  boolean isOpen() {
    return isOpen;
  }

  /** Returns whether replicas are missing that DataNodes may still report. */
  boolean isBeingReported() {
    return (unnamed == Unnamed.REPORTED_LATE || unnamed == Unnamed.NOT_REPORTED) && isShort();
  }

  /** Returns why the NameNode may not name replicas that exist. */
  Unnamed unnamed() {
    return unnamed;
  }

  /** Returns whether the NameNode knows too few replicas of a unit. */
  public boolean isShort() {
    for (int unit = 0; unit < layout.units(); unit++) {
      if (isShort(unit)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the NameNode knows too few replicas of a unit that has bytes. */
  boolean isShort(int unit) {
    return unitBytes(unit) > 0 && copies(unit).size() < replicas;
  }

  /** Returns all replicas. */
  public List<Copy> copies() {
    return copies;
  }

  /** Returns the replicas of one unit. */
  public List<Copy> copies(int unit) {
    List<Copy> own = new ArrayList<>();
    for (Copy copy : copies) {
      if (copy.unit == unit) {
        own.add(copy);
      }
    }
    return own;
  }

  /** Returns the bytes of data of the group. */
  public long bytes() {
    return block.getNumBytes();
  }

  /** Returns the length that the replicas of a unit must have. */
  public long unitBytes(int unit) {
    return layout.unitBytes(unit, block.getNumBytes());
  }

  /** Returns the length of the longest unit. */
  long longestBytes() {
    return unitBytes(0);
  }

  /** Returns whether another description has the same block, of the same bytes. */
  public boolean isSameBlock(GroupLocations other) {
    return other.block.getBlockId() == block.getBlockId()
        && other.block.getGenerationStamp() == block.getGenerationStamp()
        && other.block.getNumBytes() == block.getNumBytes()
        && other.isOpen == isOpen;
  }

  /** Returns whether another description has the same block and the same replicas. */
  public boolean isSame(GroupLocations other) {
    return isSameBlock(other) && new HashSet<>(other.copies).equals(new HashSet<>(copies));
  }

  @Override
  public String toString() {
    return block.getBlockName();
  }
}
