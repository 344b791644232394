// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.Map;

/** What came of one run; field names are those of the JSON. */
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

  /** Mean over writes of bytes by response time. */
  public double writeMbPerSecondDuring;

  public long writesDuring;
  public double rackShareLeast;
  public double rackShareMost;
  public double rackLinkUse;
  public Map<String, Double> crossRackGb;
  public Failures.Tally failures;
  public double simulatedSeconds;
  public long events;
  public String digest;

  /** Share of all replicas that each rack has, the least first. Not in the JSON. */
  public transient double[] rackShares;

  /** When each write began, and its response time, in seconds, by begin. Not in the JSON. */
  public transient double[][] writes;

  /** Returns how many blocks encoding a stripe moved between racks. */
  public double crossRackBlocksPerStripe() {
    return crossRackReadsPerStripe + crossRackParityPerStripe + crossRackSendsPerStripe;
  }
}
