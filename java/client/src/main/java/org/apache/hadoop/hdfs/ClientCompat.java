// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The start-up check of what the pipelines rest on in this Hadoop. One class per difference between
 * releases does the adapting; each names here what it needs.
 */
final class ClientCompat {
  private static final Logger LOG = LoggerFactory.getLogger(ClientCompat.class);

  private ClientCompat() {}

  /** Returns whether all is there; says once per process at WARN what is not. */
  static boolean isUsable() {
    return Holder.MISSING.isEmpty();
  }

  /** Returns what is missing, empty when all is there. */
  static List<String> missing() {
    return Holder.MISSING;
  }

  /** Checked on first use, not when a class happens to be loaded. */
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
