// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

/** What the plan does with a file. */
enum Treatment {
  /** Convert to the requested code; retained replicas become internal blocks on their nodes. */
  ADOPT("adopt"),

  /** The same with RS-3-2, whose groups are shorter. */
  SMALLER_CODE("adopt, smaller code"),

  /** Copy into a striped file, whose small cells spread even one block over a group. */
  STRIPE("copy, striped"),

  /** Leave the file unchanged. */
  LEAVE("leave");

  private final String label;

  Treatment(String label) {
    this.label = label;
  }

  /** Returns the name in text output. */
  String label() {
    return label;
  }
}
