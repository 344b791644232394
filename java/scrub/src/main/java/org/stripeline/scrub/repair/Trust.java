// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

/** What an operator answers for where a check cannot prove it. */
public enum Trust {
  /** The data blocks are right where it is not known which blocks are wrong. */
  DATA,
  /**
   * Blocks that do not match the others are wrong, although HDFS may have rebuilt some of the
   * others from a wrong block.
   */
  OTHERS
}
