// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.stripeline.lab.bench.BenchMachine;
import org.stripeline.lab.bench.cluster.BenchHdfs;
import org.stripeline.lab.bench.cluster.IoCluster;

/** Refuses a run that would exhaust the machine's memory, or the space of a running cluster. */
final class ResourceNeed {
  /** Memory of a JVM other than its heap and cells. */
  private static final long JVM_BYTES = 350L << 20;

  private final Collection<IoContestant> clients;
  private final ErasureCodingPolicy policy;
  private final IoSettings settings;
  private final int threads;

  /** The most bytes that the files of all threads have together: they are whole stripes. */
  private final long bytes;

  private final Set<IoContestant.StorageScheme> read = new HashSet<>();
  private final Set<IoContestant.StorageScheme> written = new HashSet<>();

  /**
   * Determines what a round of clients needs.
   *
   * @param clients contestants, whose JVMs all run at the same time
   */
  ResourceNeed(Collection<IoContestant> clients, ErasureCodingPolicy policy, IoSettings settings) {
    this.clients = clients;
    this.policy = policy;
    this.settings = settings;
    threads = Collections.max(settings.threads);
    bytes =
        settings.threads.stream()
            .mapToLong(count -> count * settings.fileBytes(policy, count, settings.bytes))
            .max()
            .getAsLong();
    for (IoContestant client : clients) {
      for (Operation operation : settings.operations) {
        if (client.takesPart(operation)) {
          (operation.action().writes() ? written : read).add(client.scheme());
        }
      }
    }
  }

  /**
   * Compares the need with what there is.
   *
   * @param disks where DataNodes of this machine store blocks, null if there are none
   * @param hdfs where files are stored
   * @throws IOException if more is needed
   */
  void require(Path disks, BenchHdfs hdfs) throws IOException {
    requireMemory(disks);
    requireSpace(hdfs);
  }

  /**
   * Compares the memory for the JVMs of clients and verifier, and for files if they are stored in
   * memory.
   */
  private void requireMemory(Path disks) throws IOException {
    long need = ClientHeap.VERIFIER + JVM_BYTES;
    for (IoContestant client : clients) {
      need += ClientHeap.bytes(client, policy, threads) + JVM_BYTES;
      need += ClientHeap.directBytes(client, policy, threads);
    }
    if (disks != null && Files.getFileStore(disks).type().equals("tmpfs")) {
      need += diskBytes();
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

  /**
   * Compares the space of all files that exist at the same time. HDFS reserves a whole block on
   * each DataNode of a file that is being written.
   */
  private void requireSpace(BenchHdfs hdfs) throws IOException {
    long reserved = clients.stream().mapToLong(this::reserved).max().orElse(0);
    long need = readBytes() + reserved;
    // Deleted files still take space for some time, and others use the cluster.
    long free = hdfs.free() / 2;
    if (need > free) {
      throw new IOException(
          String.format(
              "Cannot measure: the files take %d MiB of the cluster, of which %d are reserved for"
                  + " those that are being written, and %d may be used, half of what is free; name"
                  + " fewer --contestants, fewer --threads or a smaller --size",
              need >> 20, reserved >> 20, free >> 20));
    }
  }

  /**
   * Returns the most bytes on DataNodes of all policies. Not in the command, whose help needs no
   * Hadoop: no method of it may have a class of Hadoop in its signature.
   */
  static long diskBytes(IoSettings settings) {
    return settings.policies.stream()
        .mapToLong(policy -> new ResourceNeed(settings.contestants, policy, settings).diskBytes())
        .max()
        .orElse(0);
  }

  /** Returns the most bytes on DataNodes: of the files that are read, and of those of one write. */
  long diskBytes() {
    double largest = written.stream().mapToDouble(this::stored).max().orElse(0);
    return readBytes() + (long) (largest * bytes);
  }

  /** Returns the bytes on DataNodes of the files that are read, which all exist at once. */
  private long readBytes() {
    return (long) (read.stream().mapToDouble(this::stored).sum() * bytes);
  }

  /** Returns what all threads of one client reserve to write their files in whole blocks. */
  private long reserved(IoContestant client) {
    IoContestant.StorageScheme scheme = client.scheme();
    int units = scheme.isCoded() ? policy.getNumDataUnits() : 1;
    long group = units * IoCluster.BLOCK_BYTES;
    long groups = (settings.fileBytes(policy, threads, settings.bytes) + group - 1) / group;
    return threads * groups * blocks(scheme) * IoCluster.BLOCK_BYTES;
  }

  /** Returns the bytes on DataNodes for each byte of a file. */
  private double stored(IoContestant.StorageScheme scheme) {
    return scheme.isCoded() ? (double) blocks(scheme) / policy.getNumDataUnits() : scheme.copies();
  }

  /** Returns the number of DataNodes that store a part of a stripe or a copy. */
  private int blocks(IoContestant.StorageScheme scheme) {
    return scheme.isCoded()
        ? policy.getNumDataUnits() + policy.getNumParityUnits()
        : scheme.copies();
  }
}
