// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.namenode;

import org.stripeline.placement.ear.PendingStripes;

/** Configuration keys of encoding-aware placement, read by the NameNode. */
public final class EarKeys {
  /**
   * Directories whose files are placed such that they can be encoded in place: absolute paths,
   * separated by commas. If empty, encoding-aware placement is disabled.
   */
  public static final String DIRECTORIES = "stripeline.ear.directories";

  /** The code for these files, such as {@code RS-6-3}: data and parity blocks. */
  public static final String CODE = "stripeline.ear.code";

  /** Default of {@link #CODE}. */
  public static final String CODE_DEFAULT = "RS-6-3";

  /**
   * c, the maximum number of blocks of an encoded stripe in one rack; 0 for HDFS' own rule for
   * erasure-coded files, an even spread over all racks.
   */
  public static final String BLOCKS_PER_RACK = "stripeline.ear.blocks-per-rack";

  /** Default of {@link #BLOCKS_PER_RACK}. */
  public static final int BLOCKS_PER_RACK_DEFAULT = 0;

  /** R', the number of racks for the blocks of one stripe; 0 for all. */
  public static final String TARGET_RACKS = "stripeline.ear.target-racks";

  /** Default of {@link #TARGET_RACKS}. */
  public static final int TARGET_RACKS_DEFAULT = 0;

  /** Maximum number of pending stripes; if exceeded, the one idle for longest is dropped. */
  public static final String STRIPES_MAX = "stripeline.ear.stripes-max";

  /** Default of {@link #STRIPES_MAX}. */
  public static final int STRIPES_MAX_DEFAULT = PendingStripes.STRIPES_MAX_DEFAULT;

  /** Maximum number of random draws for a block's nodes before a new stripe is begun. */
  public static final String TRIES_MAX = "stripeline.ear.tries-max";

  /** Default of {@link #TRIES_MAX}. */
  public static final int TRIES_MAX_DEFAULT = PendingStripes.TRIES_MAX_DEFAULT;

  private EarKeys() {}
}
