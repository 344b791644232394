// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.fs;

/**
 * Sets the locations of a file status; the setter is visible only in this package and to
 * subclasses.
 */
public final class LocatedStatuses {
  private LocatedStatuses() {}

  /** Replaces the block locations of a status. */
  public static void setLocations(LocatedFileStatus status, BlockLocation[] locations) {
    status.setBlockLocations(locations);
  }
}
