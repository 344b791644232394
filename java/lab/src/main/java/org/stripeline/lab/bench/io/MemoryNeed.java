// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.stripeline.lab.bench.BenchMachine;

/** Refuses a run that would exhaust the machine's memory. */
final class MemoryNeed {
  /** Memory of a JVM other than its heap. */
  private static final long JVM_BYTES = 350L << 20;

  private MemoryNeed() {}

  /**
   * Compares the memory needed by client JVMs, and by files if they are stored in memory, with the
   * available memory.
   *
   * @param clients contestants, whose JVMs all run at the same time
   * @throws IOException if more is needed
   */
  static void check(
      Collection<IoContestant> clients, ErasureCodingPolicy policy, IoSettings settings, Path disks)
      throws IOException {
    int threads = java.util.Collections.max(settings.threads);
    long need = 0;
    double largest = 0;
    Set<IoContestant.StorageScheme> schemes = new HashSet<>();
    for (IoContestant client : clients) {
      need += ClientHeap.bytes(client, policy, threads) + JVM_BYTES;
      largest = Math.max(largest, stored(client.scheme(), policy));
      schemes.add(client.scheme());
    }
    if (Files.getFileStore(disks).type().equals("tmpfs")) {
      double files = largest;
      for (IoContestant.StorageScheme scheme : schemes) {
        files += stored(scheme, policy);
      }
      need += (long) (files * settings.bytes);
    }
    long free = BenchMachine.availableMemory().orElse(Long.MAX_VALUE);
    if (need > free) {
      throw new IOException(
          String.format(
              "Cannot measure: %d client JVMs and their files take %d MiB of memory, %d are"
                  + " free; name fewer --contestants, fewer --threads or a smaller --size",
              clients.size(), need >> 20, free >> 20));
    }
  }

  /** Returns the bytes on DataNodes for each byte of a file. */
  private static double stored(IoContestant.StorageScheme scheme, ErasureCodingPolicy policy) {
    return scheme.isCoded()
        ? 1 + (double) policy.getNumParityUnits() / policy.getNumDataUnits()
        : scheme.copies();
  }
}
