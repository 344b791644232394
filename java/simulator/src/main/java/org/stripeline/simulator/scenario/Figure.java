// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** What runs are told apart by, and what the paper may give a value of. */
public enum Figure {
  /** By how much encoding throughput exceeds that of the first policy. */
  ENCODE_GAIN_PERCENT(true),
  /** By how much throughput of writes while encoding runs exceeds that of the first policy. */
  WRITE_GAIN_PERCENT(true),
  /** Change of encoding time against the first policy. */
  ENCODE_TIME_CHANGE_PERCENT(true),
  /** Change of the mean response time of writes while encoding runs, against the first policy. */
  RESPONSE_CHANGE_PERCENT(true),
  /** Mean response time of writes before encoding, in seconds. */
  WRITE_SECONDS_BEFORE(false),
  /** Least share of all replicas that a rack has. */
  RACK_SHARE_LEAST_PERCENT(false),
  /** Greatest share of all replicas that a rack has. */
  RACK_SHARE_MOST_PERCENT(false),
  /** Blocks that encoding a stripe moves between racks. */
  CROSS_RACK_BLOCKS_PER_STRIPE(false),
  /** Data blocks of a stripe that must move, since none of their replicas can stay. */
  RELOCATIONS_PER_STRIPE(false),
  /** Share of the stripes of which a block must move. */
  RELOCATING_STRIPES_PERCENT(false),
  /** Candidates that placement drew for the blocks of a stripe. */
  TRIES_PER_STRIPE(false);

  private final boolean isRelative;

  Figure(boolean isRelative) {
    this.isRelative = isRelative;
  }

  /** Returns whether it compares with the first policy. */
  public boolean isRelative() {
    return isRelative;
  }

  /** Returns the name in scenarios and in JSON. */
  public String key() {
    return Labels.of(this).replace('-', '_');
  }
}
