// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.client.ClientKeys;

/**
 * Handles hflush and hsync, which a striped file does not support: every call fails or is covered
 * by a warning. One object serves all streams of a client, because some programs sync every file
 * that they write.
 */
final class SyncRefusal {
  private static final Logger LOG = LoggerFactory.getLogger(StripelineOutputStream.class);

  private final boolean refuses;
  private final AtomicBoolean warned = new AtomicBoolean();

  SyncRefusal(boolean refuses) {
    this.refuses = refuses;
  }

  /**
   * Logs a warning on the first call.
   *
   * @param what the name of the call
   * @param src the file
   * @throws UnsupportedOperationException if the configuration refuses such calls
   */
  void called(String what, String src) {
    String message =
        "Cannot " + what + " " + src + ": an erasure-coded file is durable only when it is closed";
    if (refuses) {
      throw new UnsupportedOperationException(
          message
              + "; write it replicated, or ignore such calls by setting "
              + ClientKeys.WRITE_SYNC
              + "=warn");
    }
    if (warned.compareAndSet(false, true)) {
      LOG.warn(
          "{}; ignored, as configured by {}. Further calls of this client are not logged",
          message,
          ClientKeys.WRITE_SYNC);
    }
  }
}
