// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

/** What the planner would do with a file. */
enum Treatment {
  /** Convert to the code asked for; replicas become internal blocks where they are. */
  ADOPT("adopt"),

  /** The same with RS-3-2, whose groups are shorter. */
  SMALLER_CODE("adopt, smaller code"),

  /** Copy into a striped file, whose small cells spread even one block over a group. */
  STRIPE("copy, striped"),

  /** Leave as it is. */
  LEAVE("leave");

  private final String label;

  Treatment(String label) {
    this.label = label;
  }

  /** Returns the words for people. */
  String label() {
    return label;
  }
}
