// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.File;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.stripeline.testkit.Conditions;

/** The threads, descriptors and memory that this process uses. */
final class ProcessUsage {
  final int threads;
  final int ourThreads;
  final int descriptors;
  final long directBytes;
  final long nativeBytes;

  private ProcessUsage() throws IOException {
    threads = Thread.activeCount();
    ourThreads = ourThreads();
    descriptors = new File("/proc/self/fd").list().length;
    directBytes =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    nativeBytes =
        1024
                * Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .sum()
            - memory.getHeapMemoryUsage().getCommitted()
            - memory.getNonHeapMemoryUsage().getCommitted();
  }

  /** Returns the number of threads of our client, of which idle ones end after 10 s. */
  static int ourThreads() {
    return (int)
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("stripeline"))
            .count();
  }

  /** Waits until cached connections and idle threads are gone. */
  static ProcessUsage settled() throws Exception {
    ProcessUsage[] last = {new ProcessUsage()};
    long[] since = {System.nanoTime()};
    Conditions.await(
        "a second without change",
        () -> {
          System.gc(); // Direct buffers are freed with the objects that hold them.
          ProcessUsage now = new ProcessUsage();
          if (now.descriptors < last[0].descriptors || now.threads < last[0].threads) {
            since[0] = System.nanoTime();
            last[0] = now;
          }
          return System.nanoTime() - since[0] > TimeUnit.SECONDS.toNanos(2);
        });
    return new ProcessUsage();
  }

  @Override
  public String toString() {
    return String.format(
        "%d threads (%d ours), %d descriptors, %d KiB direct, %d MiB native",
        threads, ourThreads, descriptors, directBytes >> 10, nativeBytes >> 20);
  }
}
