// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;

/** What is to be measured. */
public final class IoSettings {
  List<IoContestant> contestants = new ArrayList<>();
  List<Operation> operations = new ArrayList<>();
  List<Integer> threads = new ArrayList<>();
  List<ErasureCodingPolicy> policies = new ArrayList<>();

  /** User bytes of one operation, of all threads together. */
  long bytes;

  /** Timed repetitions in each JVM. */
  int repetitions;

  /** Client JVMs of each contestant, one after the other. */
  int jvms;

  /** Random reads of one operation, of all threads together. */
  int randomReads;

  /** Bytes of one random read. */
  int randomBytes;

  /** Untimed rounds before the first repetition of a JVM. */
  int warmUps;

  /** User bytes of an untimed round. */
  long warmUpBytes;

  /** Link rates in Mbit/s; a run without a shaped network has the one rate {@link #LOOPBACK}. */
  List<Integer> rates = new ArrayList<>();

  /** Delay of each link in microseconds. */
  int delayMicros;

  /** The rate that stands for no shaping. */
  static final int LOOPBACK = 0;

  /** Finds one of Hadoop's built-in policies of the codec rs. */
  public static ErasureCodingPolicy policy(String name) {
    List<String> known = new ArrayList<>();
    for (ErasureCodingPolicy policy : SystemErasureCodingPolicies.getPolicies()) {
      if (policy.getCodecName().equals("rs")) {
        known.add(policy.getName());
      }
    }
    // Hadoop's fourth number, the cell, is given freely: HDFS takes policies of one's own.
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

  /** DataNodes that the widest policy and the most copies take. */
  int datanodes() {
    int most = IoContestant.StorageScheme.REPLICATED_4.copies();
    for (ErasureCodingPolicy policy : policies) {
      most = Math.max(most, policy.getNumDataUnits() + policy.getNumParityUnits());
    }
    return most;
  }

  /** Most DataNodes that are dead at once. */
  int mostDead() {
    return operations.stream().mapToInt(Operation::dead).max().orElse(0);
  }

  boolean hasHung() {
    return operations.stream().anyMatch(Operation::isHung);
  }

  /** Length of each thread's file: whole stripes, so that all cells are full. */
  long fileBytes(ErasureCodingPolicy policy, int threadCount, long total) {
    long stripe = (long) policy.getNumDataUnits() * policy.getCellSize();
    long stripes = (total / threadCount + stripe - 1) / stripe;
    return Math.max(1, stripes) * stripe;
  }
}
