// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.fs;

/** Gives a status other locations, which only classes of this package and heirs may do. */
public final class LocatedStatuses {
  private LocatedStatuses() {}

  /** Has a status tell these locations. */
  public static void setLocations(LocatedFileStatus status, BlockLocation[] locations) {
    status.setBlockLocations(locations);
  }
}
