// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/** Wall time and processor time of this process and of the cluster's, from start to stop. */
final class Stopwatch {

  /** Tells the processor seconds that the cluster's process has used. */
  interface ServerCpu {
    double seconds() throws IOException;
  }

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final ServerCpu server;
  private final double serverStarted;
  private final long clientStarted;
  private final long started;

  private Stopwatch(ServerCpu server) throws IOException {
    this.server = server;
    this.serverStarted = server.seconds();
    this.clientStarted = SYSTEM.getProcessCpuTime();
    this.started = System.nanoTime();
  }

  static Stopwatch start(ServerCpu server) throws IOException {
    return new Stopwatch(server);
  }

  /** The round that moved this many bytes since the start. */
  Figures.Round stop(long bytes) throws IOException {
    double seconds = (System.nanoTime() - started) / 1e9;
    double client = (SYSTEM.getProcessCpuTime() - clientStarted) / 1e9;
    return new Figures.Round(bytes, seconds, client, server.seconds() - serverStarted);
  }
}
