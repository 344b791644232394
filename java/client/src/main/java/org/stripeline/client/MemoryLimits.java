// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How much memory this JVM has for the buffers of our streams, outside the heap and in it. */
public final class MemoryLimits {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryLimits.class);

  private MemoryLimits() {}

  /** Returns that part of the JVM's memory, 3 for a third, and at most {@code most} bytes. */
  public static long part(int part, long most) {
    return Math.min(bytes() / part, most);
  }

  /**
   * Returns the bytes that are configured.
   *
   * @param key a key whose value 0 means the default
   */
  public static long of(ClientSettings settings, String key, long defaultBytes) {
    long bytes = settings.bytes(key, 0, 0);
    if (bytes > bytes()) {
      LOG.warn(
          "{} is {} bytes, more than the {} bytes that this JVM has for direct buffers and heap:"
              + " lower it, or raise -XX:MaxDirectMemorySize and -Xmx",
          key,
          bytes,
          bytes());
    }
    return bytes == 0 ? defaultBytes : bytes;
  }

  private static long bytes() {
    return Math.min(directBytes(), Runtime.getRuntime().maxMemory());
  }

  /**
   * Returns the most bytes of direct buffers: as much as of heap unless the JVM is told otherwise.
   */
  static long directBytes() {
    try {
      CompositeData option =
          (CompositeData)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=HotSpotDiagnostic"),
                      "getVMOption",
                      new Object[] {"MaxDirectMemorySize"},
                      new String[] {String.class.getName()});
      long bytes = Long.parseLong((String) option.get("value"));
      return bytes > 0 ? bytes : Runtime.getRuntime().maxMemory();
    } catch (JMException | RuntimeException notHotSpot) {
      return Runtime.getRuntime().maxMemory();
    }
  }
}
