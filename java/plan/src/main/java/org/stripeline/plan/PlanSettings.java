// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import org.stripeline.placement.CodeName;

/** What a plan is asked for; filled by the command. */
public final class PlanSettings {
  /** Directories below the root that get rows: more would not be read by anybody. */
  public static final int DEPTH_MAX = 20;

  /** Nodes or racks that an image may be planned for. */
  public static final int NODES_MAX = 1_000_000;

  /** Rows of directories; each takes some 2 KiB. */
  static final int ROWS_MAX = 10_000;

  /** What EAR's paper simulates, taken where an image's cluster is not told. */
  static final int RACKS_ASSUMED = 20;

  static final int NODES_PER_RACK_ASSUMED = 20;

  /** The tree: absolute, without a slash at its end, except for "/". */
  public String path = "/";

  /** What to convert to. */
  public CodeName code;

  /** Levels of directories below the path that get rows, 0 to {@link #DEPTH_MAX}. */
  public int depth = 1;

  /** Most blocks of a group per rack (c); 0 for as few as there are racks. */
  public int blocksPerRackMax;

  /** Bytes that each node may send per second; 0 if not asked for. */
  public long bytesPerSecond;

  /** What a byte of archive storage costs where one of disk costs 1; 0 if not asked for. */
  public double archiveCost;

  /** For an image, how many racks and nodes there are; 0 if not told. */
  public int racks;

  public int nodes;

  /** For an image, whether files were written by clients on DataNodes. */
  public boolean areWritersOnDataNodes = true;
}
