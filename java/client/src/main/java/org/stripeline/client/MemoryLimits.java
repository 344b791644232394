// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory that this JVM has for the buffers of Stripeline's streams, in direct buffers and in
 * the heap.
 */
public final class MemoryLimits {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryLimits.class);

  private MemoryLimits() {}

  /** Returns the JVM's memory divided by {@code part}, but at most {@code most} bytes. */
  public static long part(int part, long most) {
    return Math.min(bytes() / part, most);
  }

  /**
   * Returns the configured number of bytes.
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
   * Returns the maximum number of bytes in direct buffers; unless the JVM has an option for it, it
   * equals the maximum heap size.
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
