// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.metrics;

import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.util.MBeans;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the counts of the pipelines as the JMX beans {@code
 * Hadoop:service=Stripeline,name=Read} and {@code name=Write}, and as the metrics2 sources {@code
 * StripelineRead} and {@code StripelineWrite}.
 */
public final class ClientMetrics {
  private static final Logger LOG = LoggerFactory.getLogger(ClientMetrics.class);

  private ClientMetrics() {}

  /** Publishes the metrics, once per process. */
  public static void publish() {
    Published.touch();
  }

  /** Publishes the metrics when the class is initialized, which happens once. */
  private static final class Published {
    static {
      publish("Read", ReadMetrics.SOURCE_NAME, new ReadMetrics());
      publish("Write", WriteMetrics.SOURCE_NAME, new WriteMetrics());
    }

    private Published() {}

    static void touch() {}

    private static void publish(String bean, String source, MetricsSource metrics) {
      try {
        MBeans.register("Stripeline", bean, metrics);
        DefaultMetricsSystem.instance()
            .register(source, "Activity of Stripeline's client pipelines", metrics);
      } catch (RuntimeException | LinkageError e) {
        // A failure to publish metrics must not stop reads and writes.
        LOG.warn("Cannot publish {}; the pipelines continue without it", source, e);
      }
    }
  }
}
