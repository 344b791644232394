// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

/** How fast links and disks are, all in bytes per second. Immutable. */
public final class LinkRates {
  private final double node;
  private final double rack;
  private final double diskRead;
  private final double diskWrite;

  /**
   * Describes links.
   *
   * @param node of a node's link, each way
   * @param rack of a rack's link, each way
   * @param diskRead of a node's disks together
   * @param diskWrite of a node's disks together
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
