// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Access to the beans of the agents in this JVM. */
public final class AgentBeans {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  private AgentBeans() {}

  /** Returns the names of the beans by the UUID of their DataNodes. */
  public static Map<String, ObjectName> all() throws Exception {
    Map<String, ObjectName> beans = new TreeMap<>();
    for (ObjectName name :
        SERVER.queryNames(new ObjectName("Hadoop:service=Stripeline,name=Agent*"), null)) {
      beans.put((String) SERVER.getAttribute(name, "DataNodeUuid"), name);
    }
    return beans;
  }

  /** Returns a number of the agent of a DataNode. */
  public static long number(String uuid, String attribute) throws Exception {
    return (Long) SERVER.getAttribute(all().get(uuid), attribute);
  }

  /** Returns the counters of the agent of a DataNode by their metric names. */
  public static Map<String, Long> counts(String uuid) throws Exception {
    Map<String, Long> counts = new TreeMap<>();
    for (AgentCount what : AgentCount.values()) {
      counts.put(what.metricName(), number(uuid, what.metricName()));
    }
    return counts;
  }

  /** Returns the sum of a counter over all agents. */
  public static long sum(AgentCount what) throws Exception {
    long sum = 0;
    for (String uuid : all().keySet()) {
      sum += number(uuid, what.metricName());
    }
    return sum;
  }
}
