// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.stripeline.lab.bench.Spread;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.cluster.WorkDirectory;

/**
 * The bench of pipelines on a cluster of the caller: our pipelines, Hadoop's with {@code rs_java}
 * and four replicas write, read, and read with as many dead DataNodes as the code has parity.
 */
public final class IoComparison {
  /** Who is measured. */
  public enum Client {
    OURS(IoContestant.FUNCTIONAL_PARTITIONED),
    STOCK(IoContestant.RS_JAVA),
    REPLICATION(IoContestant.REPLICATED_4);

    private final IoContestant contestant;

    Client(IoContestant contestant) {
      this.contestant = contestant;
    }
  }

  /** Is told what happens, as it happens. */
  public interface Listener {
    /**
     * Takes a line of progress.
     *
     * @param samples samples taken so far
     */
    void said(String line, int samples);
  }

  private final IoSettings settings = new IoSettings();
  private final IoReport report = new IoReport();

  /**
   * Plans a comparison with one client JVM each.
   *
   * @param bytes of one operation
   * @param repetitions of each operation and client
   * @param warmUpBytes of an operation before the first repetition, which is not timed
   */
  public IoComparison(
      ErasureCodingPolicy policy, long bytes, int repetitions, int warmUps, long warmUpBytes) {
    for (Client client : Client.values()) {
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

  /** Name of reading with as many dead DataNodes as the policy has parity units. */
  public static String degradedRead(ErasureCodingPolicy policy) {
    return "read-dead" + policy.getNumParityUnits();
  }

  /** Samples that {@link #run} takes. */
  public int samples() {
    int samples = 0;
    for (Operation operation : settings.operations) {
      for (IoContestant contestant : settings.contestants) {
        samples += contestant.takesPart(operation) ? settings.repetitions : 0;
      }
    }
    return samples;
  }

  /** DataNodes that the policy and the replicas need. */
  public int datanodes() {
    return settings.datanodes();
  }

  /**
   * Measures.
   *
   * @throws IOException if it cannot go on; what a client did wrong is in {@link #failures}
   */
  public void run(IoCluster cluster, WorkDirectory place, Listener listener) throws IOException {
    new IoBench(settings, place, new PrintWriter(lines(listener), true), report).runOn(cluster);
    report.conclude();
  }

  private Writer lines(Listener listener) {
    return new Writer() {
      private final StringBuilder line = new StringBuilder();

      @Override
      public void write(char[] text, int from, int length) {
        line.append(text, from, length);
      }

      @Override
      public void flush() {
        if (line.length() > 0) {
          listener.said(line.toString().trim(), report.samples.size());
          line.setLength(0);
        }
      }

      @Override
      public void close() {}
    };
  }

  /** Returns MiB/s of an operation, or null if the client took no part in it. */
  public Spread rate(String operation, Client client) {
    return report.rows.stream()
        .filter(row -> row.operation.equals(operation))
        .filter(row -> row.contestant.equals(client.contestant.label()))
        .map(row -> row.mibPerSecond)
        .findFirst()
        .orElse(null);
  }

  /** Wrong bytes and errors of any client. */
  public List<String> failures() {
    return new ArrayList<>(report.failures);
  }

  /** Whether our pipelines failed or were not the ones at work. */
  public boolean haveOursFailed() {
    return report.oursFailed || !report.notes.isEmpty();
  }

  /** What was noticed besides, such as that Hadoop's pipelines were at work instead of ours. */
  public List<String> notes() {
    return new ArrayList<>(report.notes);
  }

  /** Bytes that Hadoop's own reader compared with what had been written. */
  public long bytesVerified() {
    return report.bytesVerified;
  }
}
