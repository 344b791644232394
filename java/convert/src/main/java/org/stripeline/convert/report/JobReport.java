// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.stripeline.convert.job.AdoptionTraffic;
import org.stripeline.convert.job.FileOutcome;

/** What has become of the files of a job; counted by several threads. */
public final class JobReport {
  /** Names that are kept; all are in the journal. */
  private static final int FAILURES_MAX = 1000;

  private final String job;
  private final AdoptionTraffic traffic;
  private long converted;
  private long convertedBytes;
  private long left;
  private long rolledBack;
  private final List<Failure> failures = new ArrayList<>();
  private Vanished vanished = new Vanished();
  private String refusal;
  private String gone;

  /** A file that was not converted. */
  public static final class Failure {
    /** Path when it was begun. */
    public final String path;

    /** Why. */
    public final String reason;

    Failure(String path, String reason) {
      this.path = path;
      this.reason = reason;
    }

    @Override
    public String toString() {
      return path + ": " + reason;
    }
  }

  public JobReport(String job, AdoptionTraffic traffic) {
    this.job = job;
    this.traffic = traffic;
  }

  public synchronized void add(String path, FileOutcome outcome) {
    switch (outcome.kind()) {
      case CONVERTED:
        converted++;
        convertedBytes += outcome.bytes();
        break;
      case ROLLED_BACK:
        rolledBack++;
        break;
      default:
        left++;
        if (failures.size() < FAILURES_MAX) {
          failures.add(new Failure(path, outcome.reason()));
        }
    }
  }

  /** Name of the job. */
  public String job() {
    return job;
  }

  /** What went between DataNodes where replicas were adopted; zeros for copies. */
  public AdoptionTraffic traffic() {
    return traffic;
  }

  /** Files converted. */
  public synchronized long converted() {
    return converted;
  }

  /** Bytes of those files, once. */
  public synchronized long convertedBytes() {
    return convertedBytes;
  }

  /** Files of which a dead driver's work was rolled back. */
  public synchronized long rolledBack() {
    return rolledBack;
  }

  /** Files that could not be converted and are as they were, or as their users changed them. */
  public synchronized long failed() {
    return left;
  }

  /** The first thousand of those, with reasons. */
  public synchronized List<Failure> failures() {
    return Collections.unmodifiableList(new ArrayList<>(failures));
  }

  /** What was gone before the walk came to it. */
  public synchronized Vanished vanished() {
    return vanished;
  }

  public synchronized void vanished(Vanished found) {
    vanished = found;
  }

  /** Why a job that was taken up could only be recovered and not continued with, or null. */
  public synchronized String refusal() {
    return refusal;
  }

  public synchronized void refused(String reason) {
    refusal = reason;
  }

  /** That nothing is left at the path of a job that was taken up, in words, or null. */
  public synchronized String gone() {
    return gone;
  }

  public synchronized void gone(String message) {
    gone = message;
  }

  /** Tells whether every file that was to be converted is. */
  public synchronized boolean isComplete() {
    return left == 0 && !vanished.isAny() && refusal == null && gone == null;
  }
}
