// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.Map;

/** The results of one run; field names are those of the JSON. */
public final class RunResult {
  public String policy;
  public long seed;
  public double encodeSeconds;
  public double encodeMbPerSecond;
  public long stripesEncoded;
  public long stripesSkipped;
  public double crossRackReadsPerStripe;
  public double crossRackParityPerStripe;
  public double crossRackSendsPerStripe;
  public double localReadsPerStripe;
  public double relocationsPerStripe;
  public double relocatingShare;
  public double rulesBrokenShare;
  public double triesPerStripe;
  public double writeSecondsBefore;
  public double writeSecondsDuring;

  /** Mean over writes of block size divided by response time. */
  public double writeMbPerSecondDuring;

  public long writesDuring;
  public double rackShareLeast;
  public double rackShareMost;
  public double readShareMost;
  public double rackLinkUse;
  public Map<String, Double> crossRackGb;
  public Failures.Tally failures;
  public double simulatedSeconds;
  public long events;
  public String digest;

  /** The share of all replicas that each rack has, in ascending order. Not in the JSON. */
  public transient double[] rackShares;

  /**
   * The start and the response time of each write in seconds, in order of the start. Not in the
   * JSON.
   */
  public transient double[][] writes;

  /** Returns how many blocks were moved between racks to encode a stripe. */
  public double crossRackBlocksPerStripe() {
    return crossRackReadsPerStripe + crossRackParityPerStripe + crossRackSendsPerStripe;
  }
}
