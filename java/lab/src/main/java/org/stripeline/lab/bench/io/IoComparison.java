// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.cluster.WorkDirectory;
import org.stripeline.terminal.Spread;

/**
 * Compares client pipelines on a cluster of the caller: our pipelines, Hadoop's with {@code
 * rs_java} and four replicas write, read, and read with as many dead DataNodes as the code has
 * parity units.
 */
public final class IoComparison {
  /** The clients that are compared. */
  public enum Client {
    OURS(IoContestant.FUNCTIONAL_PARTITIONED),
    STOCK(IoContestant.RS_JAVA),
    REPLICATION(IoContestant.REPLICATED_4);

    private final IoContestant contestant;

    Client(IoContestant contestant) {
      this.contestant = contestant;
    }
  }

  /** Receives progress messages. */
  public interface Listener {
    /**
     * Receives a progress message.
     *
     * @param samples the number of samples so far
     */
    void said(String line, int samples);
  }

  private final IoSettings settings = new IoSettings();
  private final IoReport report = new IoReport();

  /**
   * Plans a comparison with one JVM per client.
   *
   * @param clients those that are compared
   * @param bytes of one operation
   * @param repetitions of each operation and client
   * @param warmUpBytes of an operation before the first repetition, which is not timed
   */
  public IoComparison(
      Set<Client> clients,
      ErasureCodingPolicy policy,
      long bytes,
      int repetitions,
      int warmUps,
      long warmUpBytes) {
    for (Client client : clients) {
      settings.contestants.add(client.contestant);
    }
    for (String name : Arrays.asList("write", "read", degradedRead(policy))) {
      settings.operations.add(Operation.parse(name));
    }
    settings.threads.add(1);
    settings.policies.add(policy);
    settings.rates.add(IoSettings.LOOPBACK);
    settings.bytes = bytes;
    settings.repetitions = repetitions;
    settings.jvms = 1;
    settings.warmUps = warmUps;
    settings.warmUpBytes = Math.min(bytes, warmUpBytes);
  }

  /**
   * Returns the name of the read operation with as many dead DataNodes as the policy has parity
   * units.
   */
  public static String degradedRead(ErasureCodingPolicy policy) {
    return "read-dead" + policy.getNumParityUnits();
  }

  /** Returns the number of samples that {@link #run} takes. */
  public int samples() {
    int samples = 0;
    for (Operation operation : settings.operations) {
      for (IoContestant contestant : settings.contestants) {
        samples += contestant.takesPart(operation) ? settings.repetitions : 0;
      }
    }
    return samples;
  }

  /**
   * Runs the comparison.
   *
   * @throws IOException if it cannot continue; errors of clients are in {@link #failures}
   */
  public void run(IoCluster cluster, WorkDirectory place, Listener listener) throws IOException {
    new IoBench(settings, place, line -> listener.said(line, report.samples.size()), report)
        .runOn(cluster);
    report.conclude();
  }

  /** Returns MiB/s of an operation, or null if the client was not measured in it. */
  public Spread rate(String operation, Client client) {
    return report.rows.stream()
        .filter(row -> row.operation.equals(operation))
        .filter(row -> row.contestant.equals(client.contestant.label()))
        .map(row -> row.mibPerSecond)
        .findFirst()
        .orElse(null);
  }

  /** Returns wrong bytes and errors of any client. */
  public List<String> failures() {
    return new ArrayList<>(report.failures);
  }

  /** Returns whether our pipelines failed or were not used. */
  public boolean haveOursFailed() {
    return report.oursFailed;
  }

  /** Returns the number of bytes that Hadoop's own reader compared with the written data. */
  public long bytesVerified() {
    return report.bytesVerified;
  }
}
