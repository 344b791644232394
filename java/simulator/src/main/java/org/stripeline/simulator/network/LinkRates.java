// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

/** The rates of links and disks, in bytes per second. Immutable. */
public final class LinkRates {
  private final double node;
  private final double rack;
  private final double diskRead;
  private final double diskWrite;

  /**
   * Creates rates.
   *
   * @param node of a node's link, in each direction
   * @param rack of a rack's link, in each direction
   * @param diskRead of all disks of a node together
   * @param diskWrite of all disks of a node together
   * @throws IllegalArgumentException if one is not positive
   */
  public LinkRates(double node, double rack, double diskRead, double diskWrite) {
    for (double rate : new double[] {node, rack, diskRead, diskWrite}) {
      if (!(rate > 0)) {
        throw new IllegalArgumentException(
            "Cannot use a rate of " + rate + " bytes per second: must be positive");
      }
    }
    this.node = node;
    this.rack = rack;
    this.diskRead = diskRead;
    this.diskWrite = diskWrite;
  }

  double node() {
    return node;
  }

  double rack() {
    return rack;
  }

  double diskRead() {
    return diskRead;
  }

  double diskWrite() {
    return diskWrite;
  }
}
