// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.scrub;

/** A method of checking that data and parity of files match. */
enum ScrubMethod {
  /** {@code stripeline scrub} of the directory. */
  SCRUB("scrub"),
  /** {@code hdfs debug verifyEC} of each file, one after the other in one JVM. */
  VERIFY_EC("verifyEC");

  private final String label;

  ScrubMethod(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }
}
