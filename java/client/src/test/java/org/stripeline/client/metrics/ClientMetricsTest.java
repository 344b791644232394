// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.Test;
import org.stripeline.client.read.shared.ReadCount;

class ClientMetricsTest {

  @Test
  void beansExistOnceAndHaveEveryCount() throws Exception {
    ClientMetrics.publish();
    ClientMetrics.publish();
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName read = new ObjectName("Hadoop:service=Stripeline,name=Read");
    TabularData counts = (TabularData) server.getAttribute(read, "Counts");
    for (ReadCount what : ReadCount.values()) {
      assertThat(counts.get(new Object[] {what.metricName()})).as(what.metricName()).isNotNull();
    }
    assertThat(server.getAttribute(read, "UsedBufferBytes")).isInstanceOf(Long.class);
    ObjectName write = new ObjectName("Hadoop:service=Stripeline,name=Write");
    assertThat(server.getAttribute(write, "Stripes")).isInstanceOf(Long.class);
  }
}
