// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.stripeline.client.read.shared.ReadCount;

class ClientMetricsTest {

  @Test
  void beansExistOnceAndHaveEveryCount() throws Exception {
    ClientMetrics.publish();
    ClientMetrics.publish();
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName read = new ObjectName("Hadoop:service=Stripeline,name=Read");
    for (ReadCount what : ReadCount.values()) {
      assertThat(server.getAttribute(read, what.metricName()))
          .as(what.metricName())
          .isInstanceOf(Long.class);
    }
    assertThat(server.getAttribute(read, "UsedBufferBytes")).isInstanceOf(Long.class);
    ObjectName write = new ObjectName("Hadoop:service=Stripeline,name=Write");
    assertThat(server.getAttribute(write, "Stripes")).isInstanceOf(Long.class);
  }
}
