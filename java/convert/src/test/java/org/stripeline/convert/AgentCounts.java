// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.Map;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.AgentMXBean;

/** Sums the counters of all agents in this JVM, as shown by their MXBeans. */
final class AgentCounts {
  private AgentCounts() {}

  static Map<AgentCount, Long> now() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    Map<AgentCount, Long> sums = new EnumMap<>(AgentCount.class);
    ObjectName agents = new ObjectName("Hadoop:service=Stripeline,name=Agent*");
    for (ObjectName name : server.queryNames(agents, null)) {
      Map<String, Long> counts = JMX.newMXBeanProxy(server, name, AgentMXBean.class).getCounts();
      for (AgentCount count : AgentCount.values()) {
        sums.merge(count, counts.get(count.metricName()), Long::sum);
      }
    }
    return sums;
  }
}
