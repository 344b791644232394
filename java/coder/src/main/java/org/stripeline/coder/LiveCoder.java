// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.natives.codec.ErasureCodec;

/**
 * Logs once per process that Stripeline's coder is in use, and which implementation of it: at INFO
 * in daemons, at DEBUG in clients, whose users did not ask for it.
 *
 * <p>Hadoop falls back from one coder to the next silently, so the absence of this message in the
 * log of a daemon shows an operator that another coder is in use.
 */
final class LiveCoder {
  private static final Logger LOG = LoggerFactory.getLogger(LiveCoder.class);
  private static final AtomicBoolean ANNOUNCED = new AtomicBoolean();

  /**
   * The bean of Hadoop's metrics system, which DataNodes, NodeManagers, HBase and the other daemons
   * start, however they were launched, and which shell commands do not.
   */
  private static final String METRICS_SYSTEM = "Hadoop:name=MetricsSystem,sub=Control,*";

  private LiveCoder() {}

  static void announce(ErasureCodec codec) {
    // The read keeps the cache line shared between threads that create coders.
    if (!ANNOUNCED.get() && ANNOUNCED.compareAndSet(false, true)) {
      String text = "Erasure coder live: {}, first used for {}; {}";
      if (isDaemon()) {
        LOG.info(text, StripelineCoderFactory.CODER_NAME, codec, CoderStatus.current());
      } else {
        LOG.debug(text, StripelineCoderFactory.CODER_NAME, codec, CoderStatus.current());
      }
    }
  }

  /** Returns whether this process is one of Hadoop's daemons, or a task of one of its jobs. */
  private static boolean isDaemon() {
    try {
      ObjectName pattern = new ObjectName(METRICS_SYSTEM);
      return !ManagementFactory.getPlatformMBeanServer().queryNames(pattern, null).isEmpty();
    } catch (JMException | SecurityException e) {
      return false;
    }
  }
}
