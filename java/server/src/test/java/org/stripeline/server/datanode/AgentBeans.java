// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Access to the beans of the agents in this JVM. */
public final class AgentBeans {
  private AgentBeans() {}

  /** Returns the beans by the UUID of their DataNodes. */
  public static Map<String, AgentMXBean> all() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    Map<String, AgentMXBean> beans = new TreeMap<>();
    for (ObjectName name :
        server.queryNames(new ObjectName("Hadoop:service=Stripeline,name=Agent*"), null)) {
      AgentMXBean bean = JMX.newMXBeanProxy(server, name, AgentMXBean.class);
      beans.put(bean.getDataNodeUuid(), bean);
    }
    return beans;
  }

  /** Returns the sum of a counter over all agents. */
  public static long sum(AgentCount what) throws Exception {
    return all().values().stream().mapToLong(bean -> bean.getCounts().get(what.metricName())).sum();
  }
}
