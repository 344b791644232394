// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;

/** What the demo needs to know of an erasure coding policy. */
final class StripeShape {

  private final ErasureCodingPolicy policy;

  private StripeShape(ErasureCodingPolicy policy) {
    this.policy = policy;
  }

  /**
   * Finds one of Hadoop's built-in policies.
   *
   * @throws DemoException naming those that exist, when this is none of them
   */
  static StripeShape ofPolicy(String name) {
    StringBuilder known = new StringBuilder();
    for (ErasureCodingPolicy policy : SystemErasureCodingPolicies.getPolicies()) {
      if (policy.getName().equals(name)) {
        return new StripeShape(policy);
      }
      known.append(known.length() == 0 ? "" : ", ").append(policy.getName());
    }
    throw new DemoException("Cannot use policy " + name + ": known are " + known);
  }

  String policyName() {
    return policy.getName();
  }

  /** Name of the codec in configuration keys, such as {@code rs}. */
  String codecName() {
    return policy.getCodecName();
  }

  int dataUnits() {
    return policy.getNumDataUnits();
  }

  int parityUnits() {
    return policy.getNumParityUnits();
  }

  int units() {
    return dataUnits() + parityUnits();
  }

  long cellBytes() {
    return policy.getCellSize();
  }

  /** Bytes of data in one stripe. */
  long stripeBytes() {
    return cellBytes() * dataUnits();
  }
}
