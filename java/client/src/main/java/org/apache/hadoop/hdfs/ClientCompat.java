// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks at start-up that this Hadoop has the members that the pipelines use. Each difference
 * between Hadoop releases has an adapter class of its own, which lists the members that it needs.
 */
final class ClientCompat {
  private static final Logger LOG = LoggerFactory.getLogger(ClientCompat.class);

  private ClientCompat() {}

  /**
   * Returns whether no required member is missing; logs the missing ones once per process at WARN.
   */
  static boolean isUsable() {
    return Holder.MISSING.isEmpty();
  }

  /** Returns the names of the missing members; the list is empty if there are none. */
  static List<String> missing() {
    return Holder.MISSING;
  }

  /** Runs the check on first use instead of when the outer class is loaded. */
  private static final class Holder {
    static final List<String> MISSING = check();

    private static List<String> check() {
      List<String> missing = new ArrayList<>();
      missing.addAll(ReadStatisticsCompat.missing());
      missing.addAll(WriteCompat.missing());
      missing.addAll(LeaseCompat.missing());
      if (!missing.isEmpty()) {
        LOG.warn(
            "Cannot use Stripeline's client pipelines with this Hadoop; the stock client serves"
                + " all files. Missing: {}",
            missing);
      }
      return Collections.unmodifiableList(missing);
    }
  }
}
