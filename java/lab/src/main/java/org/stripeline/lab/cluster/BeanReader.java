// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;

/**
 * Reads numeric and text attributes of management beans, through which Hadoop publishes its
 * metrics.
 */
final class BeanReader {
  private BeanReader() {}

  /**
   * Reads every bean that matches.
   *
   * @param pattern JMX object name pattern, such as {@code Hadoop:service=DataNode,*}
   * @return bean name to attribute to value; only numbers, texts and booleans
   */
  static Map<String, Map<String, Object>> read(String pattern) throws JMException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    Map<String, Map<String, Object>> beans = new TreeMap<>();
    for (ObjectName name : server.queryNames(new ObjectName(pattern), null)) {
      beans.put(name.toString(), attributes(server, name));
    }
    return beans;
  }

  private static Map<String, Object> attributes(MBeanServer server, ObjectName name)
      throws JMException {
    Map<String, Object> values = new TreeMap<>();
    for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
      if (!attribute.isReadable()) {
        continue;
      }
      Object value;
      try {
        value = server.getAttribute(name, attribute.getName());
      } catch (RuntimeMBeanException unreadable) {
        // Some of Hadoop's getters throw until their service has started; the other attributes are
        // still read.
        continue;
      }
      if (value instanceof Number || value instanceof String || value instanceof Boolean) {
        values.put(attribute.getName(), value);
      }
    }
    return values;
  }
}
