// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** The values that are computed for each run, and that the paper may give. */
public enum Figure {
  /** Difference of encoding throughput from the first policy, in percent. */
  ENCODE_GAIN_PERCENT(true),
  /** Difference of write throughput during encoding from the first policy, in percent. */
  WRITE_GAIN_PERCENT(true),
  /** Difference of encoding time from the first policy, in percent. */
  ENCODE_TIME_CHANGE_PERCENT(true),
  /**
   * Difference of the mean response time of writes during encoding from the first policy, in
   * percent.
   */
  RESPONSE_CHANGE_PERCENT(true),
  /** Time from the start of encoding until the last stripe is done. */
  ENCODE_SECONDS(false),
  /** Data encoded in that time, in millions of bytes per second. */
  ENCODE_MB_PER_SECOND(false),
  /** Mean response time of writes before encoding, in seconds. */
  WRITE_SECONDS_BEFORE(false),
  /** The smallest share of all replicas in a rack. */
  RACK_SHARE_LEAST_PERCENT(false),
  /** The largest share of all replicas in a rack. */
  RACK_SHARE_MOST_PERCENT(false),
  /**
   * The largest share of the reads of the blocks to encode that a rack serves, if each read goes to
   * one of the racks with a replica, all equally often.
   */
  READ_SHARE_MOST_PERCENT(false),
  /** Blocks moved between racks to encode a stripe. */
  CROSS_RACK_BLOCKS_PER_STRIPE(false),
  /** Data blocks per stripe that must move because none of their replicas can be retained. */
  RELOCATIONS_PER_STRIPE(false),
  /** Share of the stripes with a block that must move. */
  RELOCATING_STRIPES_PERCENT(false),
  /** Candidates drawn for the blocks of a stripe by the placement. */
  TRIES_PER_STRIPE(false);

  private final boolean isRelative;

  Figure(boolean isRelative) {
    this.isRelative = isRelative;
  }

  /** Returns whether the value is relative to the first policy. */
  public boolean isRelative() {
    return isRelative;
  }

  /** Returns the name in scenarios and in JSON. */
  public String key() {
    return Labels.of(this).replace('-', '_');
  }
}
