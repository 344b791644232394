// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import org.stripeline.convert.settings.FileFilter;
import org.stripeline.placement.CodeName;

/** The settings of a plan; set by the command. */
public final class PlanSettings {
  /**
   * Maximum depth of directories that have their own rows; deeper ones would be too detailed to
   * read.
   */
  public static final int DEPTH_MAX = 20;

  /** Maximum number of nodes or racks for an image. */
  public static final int NODES_MAX = 1_000_000;

  /** Maximum number of rows of directories; each uses about 2 KiB. */
  static final int ROWS_MAX = 10_000;

  /**
   * The number of racks in the simulations of the EAR paper; used if the cluster of an image is not
   * given.
   */
  static final int RACKS_ASSUMED = 20;

  static final int NODES_PER_RACK_ASSUMED = 20;

  /** The root of the tree: absolute, without a trailing slash, except for "/". */
  public String path = "/";

  /** The code to convert to. */
  public CodeName code;

  /** Filter for the files to convert, as of {@code convert}. */
  public FileFilter rules = new FileFilter();

  /** Whether files may be copied although readers that have them open can then get wrong bytes. */
  public boolean allowStaleReaders;

  /** The command that does what the plan prints; null if there is none. */
  public String carriedOutBy;

  /** Levels of directories below the path that have their own rows, 0 to {@link #DEPTH_MAX}. */
  public int depth = 1;

  /**
   * Maximum number of blocks of a group per rack (c); 0 for the minimum that the number of racks
   * allows.
   */
  public int blocksPerRackMax;

  /** Bytes per second that each node may send; 0 if not given. */
  public long bytesPerSecond;

  /** The cost of a byte of archive storage relative to a byte on disk; 0 if not given. */
  public double archiveCost;

  /** For an image, the numbers of racks and nodes; 0 if not given. */
  public int racks;

  public int nodes;

  /** For an image, whether the clients that wrote the files ran on DataNodes. */
  public boolean areWritersOnDataNodes = true;
}
