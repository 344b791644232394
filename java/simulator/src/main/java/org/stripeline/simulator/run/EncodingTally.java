// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import org.stripeline.placement.Topology;

/** Counts the results of encodings. */
final class EncodingTally {
  private long stripes;
  private long skipped;
  private long crossRackReads;
  private long crossRackParity;
  private long crossRackSends;
  private long localReads;
  private long relocations;
  private long relocating;
  private long rulesBroken;

  void skipped() {
    skipped++;
  }

  void planned(EncodePlan plan, Topology topology) {
    stripes++;
    relocations += plan.relocations;
    relocating += plan.relocations > 0 ? 1 : 0;
    rulesBroken += plan.breaksRule ? 1 : 0;
    int encodingRack = topology.rackOf(plan.encoder);
    for (int source : plan.sources) {
      crossRackReads += topology.rackOf(source) == encodingRack ? 0 : 1;
      localReads += source == plan.encoder ? 1 : 0;
    }
    int data = plan.sources.length;
    for (int i = 0; i < plan.layout.length; i++) {
      boolean isAcross = topology.rackOf(plan.layout[i]) != encodingRack;
      crossRackParity += i >= data && isAcross ? 1 : 0;
      crossRackSends += i < data && plan.isSent[i] && isAcross ? 1 : 0;
    }
  }

  long stripes() {
    return stripes;
  }

  long skippedStripes() {
    return skipped;
  }

  double perStripe(long count) {
    return stripes == 0 ? Double.NaN : (double) count / stripes;
  }

  double crossRackReads() {
    return perStripe(crossRackReads);
  }

  double crossRackParity() {
    return perStripe(crossRackParity);
  }

  double crossRackSends() {
    return perStripe(crossRackSends);
  }

  double localReads() {
    return perStripe(localReads);
  }

  double relocations() {
    return perStripe(relocations);
  }

  double relocating() {
    return perStripe(relocating);
  }

  double rulesBroken() {
    return perStripe(rulesBroken);
  }
}
