// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.namenode;

/** Configuration keys of encoding-aware placement, read by the NameNode. */
public final class EarKeys {
  /**
   * Directories whose files are placed so that they can be encoded where they are: absolute paths,
   * separated by commas; none turns encoding-aware placement off.
   */
  public static final String DIRECTORIES = "stripeline.ear.directories";

  /** The code that they will be encoded with, as {@code RS-6-3}: data and parity blocks. */
  public static final String CODE = "stripeline.ear.code";

  /** Default of {@link #CODE}. */
  public static final String CODE_DEFAULT = "RS-6-3";

  /**
   * c, the most blocks of a stripe in one rack once it is encoded; 0 takes HDFS' own rule for
   * erasure-coded files, an even spread over all racks.
   */
  public static final String BLOCKS_PER_RACK = "stripeline.ear.blocks-per-rack";

  /** Default of {@link #BLOCKS_PER_RACK}. */
  public static final int BLOCKS_PER_RACK_DEFAULT = 0;

  /** R', the racks that the blocks of one stripe are in; 0 for all. */
  public static final String TARGET_RACKS = "stripeline.ear.target-racks";

  /** Default of {@link #TARGET_RACKS}. */
  public static final int TARGET_RACKS_DEFAULT = 0;

  /** Most stripes whose blocks are being written; of more, the one idle for longest is let go. */
  public static final String STRIPES_MAX = "stripeline.ear.stripes-max";

  /** Default of {@link #STRIPES_MAX}. */
  public static final int STRIPES_MAX_DEFAULT = 10_000;

  /** How often nodes for a block are drawn before the stripe begins anew. */
  public static final String TRIES_MAX = "stripeline.ear.tries-max";

  /** Default of {@link #TRIES_MAX}. */
  public static final int TRIES_MAX_DEFAULT = 20;

  private EarKeys() {}
}
