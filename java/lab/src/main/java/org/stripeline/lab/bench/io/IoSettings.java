// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;

/** The settings of a run. */
public final class IoSettings {
  List<IoContestant> contestants = new ArrayList<>();

  /** The rail of {@link IoContestant#UMR_SINGLE} and {@link IoContestant#UMR_MULTI}. */
  String rail = DeviceRail.DEFAULT;

  List<Operation> operations = new ArrayList<>();
  List<Integer> threads = new ArrayList<>();
  List<ErasureCodingPolicy> policies = new ArrayList<>();

  /** User bytes of one operation, total of all threads. */
  long bytes;

  /** Timed repetitions in each JVM. */
  int repetitions;

  /** Client JVMs of each contestant, started one after the other. */
  int jvms;

  /** Random reads of one operation, total of all threads. */
  int randomReads;

  /** Bytes of one random read. */
  int randomBytes;

  /** Records that a sync operation writes, total of all threads. */
  int syncs;

  /** Files that a first-sync operation writes, total of all threads. */
  int firstSyncs;

  /** Untimed rounds before the first repetition of a JVM. */
  int warmUps;

  /** User bytes of an untimed round. */
  long warmUpBytes;

  /** Link rates in Mbit/s; a run without a shaped network has the single rate {@link #LOOPBACK}. */
  List<Integer> rates = new ArrayList<>();

  /** The configuration directory of a cluster of the user, or null for one of this machine. */
  java.nio.file.Path configuration;

  /** The HDFS directory on that cluster in which a directory is created. */
  String configuredParent;

  /** Rate in Mbit/s of a link that all clients share, or {@link #LOOPBACK}. */
  int clientMbit;

  /** Delay of each link in microseconds. */
  int delayMicros;

  /** The rate that stands for an unlimited network. */
  static final int LOOPBACK = 0;

  /**
   * Returns contestants in the order of one repetition. What is first is evenly spread over all
   * repetitions of all JVMs, of which there may be fewer than contestants.
   */
  <T> List<T> inTurn(List<T> all, int jvm, int repetition) {
    int turn = jvm * repetitions + repetition;
    List<T> order = new ArrayList<>(all);
    Collections.rotate(order, -(turn * all.size() / (jvms * repetitions)));
    return order;
  }

  /**
   * Returns a policy of the codec rs by its name, which may differ from Hadoop's built-in policies.
   */
  public static ErasureCodingPolicy policy(String name) {
    List<String> known = new ArrayList<>();
    for (ErasureCodingPolicy policy : SystemErasureCodingPolicies.getPolicies()) {
      if (policy.getCodecName().equals("rs")) {
        known.add(policy.getName());
      }
    }
    // The cell size, the last number of the name, is arbitrary: HDFS accepts user-defined policies.
    java.util.regex.Matcher form =
        java.util.regex.Pattern.compile("RS-(\\d{1,2})-(\\d{1,2})-(\\d{1,4})k").matcher(name);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "Cannot use policy '"
              + name
              + "': it is none of "
              + String.join(", ", known)
              + ", nor RS-DATA-PARITY-CELLk");
    }
    for (ErasureCodingPolicy policy : SystemErasureCodingPolicies.getPolicies()) {
      if (policy.getName().equals(name)) {
        return policy;
      }
    }
    return new ErasureCodingPolicy(
        new org.apache.hadoop.io.erasurecode.ECSchema(
            "rs", Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2))),
        Integer.parseInt(form.group(3)) << 10);
  }

  boolean isShaped() {
    return rates.get(0) != LOOPBACK;
  }

  /** Returns how many DataNodes the widest policy and the largest number of replicas need. */
  int datanodes() {
    int most = IoContestant.StorageScheme.REPLICATED_4.copies();
    for (ErasureCodingPolicy policy : policies) {
      most = Math.max(most, policy.getNumDataUnits() + policy.getNumParityUnits());
    }
    return most;
  }

  /** Returns the maximum number of DataNodes that are dead at the same time. */
  int mostDead() {
    return operations.stream().mapToInt(Operation::dead).max().orElse(0);
  }

  boolean hasHung() {
    return operations.stream().anyMatch(Operation::isHung);
  }

  /** Returns the length of each thread's file: whole stripes, so that all cells are full. */
  long fileBytes(ErasureCodingPolicy policy, int threadCount, long total) {
    long stripe = (long) policy.getNumDataUnits() * policy.getCellSize();
    long stripes = (total / threadCount + stripe - 1) / stripe;
    return Math.max(1, stripes) * stripe;
  }
}
