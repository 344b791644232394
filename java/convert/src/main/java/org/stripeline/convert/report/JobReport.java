// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.stripeline.convert.job.AdoptionTraffic;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.rules.SkipReason;

/** Counts the outcomes of a job's files. Thread-safe. */
public final class JobReport {
  /** Limit on the failures that are kept; the journal has all of them. */
  private static final int FAILURES_MAX = 1000;

  private final String job;
  private final AdoptionTraffic traffic;
  private long converted;
  private long convertedBytes;
  private long left;
  private long rolledBack;
  private final Map<SkipReason, Long> skipped = new EnumMap<>(SkipReason.class);
  private final List<Failure> failures = new ArrayList<>();
  private Vanished vanished = new Vanished();
  private String refusal;
  private String gone;
  private boolean isCancelled;
  private boolean isOpen;
  private boolean isLeftPaused;

  /** A file that was not converted. */
  public static final class Failure {
    /** Path of the file when its conversion began. */
    public final String path;

    /** Reason for the failure. */
    public final String reason;

    public Failure(String path, String reason) {
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

  /** Returns the report of a job that was not begun, because there is nothing to convert. */
  public static JobReport empty(Totals totals) {
    JobReport report = new JobReport(null, new AdoptionTraffic());
    totals.skipped.forEach((reason, sum) -> report.skipped.put(reason, sum.files));
    return report;
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

  /** Counts a file that the rules do not select. */
  public synchronized void skip(SkipReason reason) {
    skipped.merge(reason, 1L, Long::sum);
  }

  /**
   * Returns the number of files that the rules do not select, by reason. A resumed job skips those
   * that it converted before.
   */
  public synchronized Map<SkipReason, Long> skipped() {
    return new EnumMap<>(skipped);
  }

  /** Returns the name of the job; null if none was begun. */
  public String job() {
    return job;
  }

  /** Returns the bytes and blocks moved between DataNodes by adoption; zeros for copies. */
  public AdoptionTraffic traffic() {
    return traffic;
  }

  /** Returns the number of files converted. */
  public synchronized long converted() {
    return converted;
  }

  /** Returns the bytes of those files, without replicas. */
  public synchronized long convertedBytes() {
    return convertedBytes;
  }

  /** Returns the number of files for which the steps of a dead driver were rolled back. */
  public synchronized long rolledBack() {
    return rolledBack;
  }

  /**
   * Returns the number of files that could not be converted. They are as their users have them,
   * except those whose work in progress could not be rolled back, see {@link
   * FileOutcome.Kind#UNRECOVERED}.
   */
  public synchronized long failed() {
    return left;
  }

  /** Returns the first thousand of those, with reasons. */
  public synchronized List<Failure> failures() {
    return Collections.unmodifiableList(new ArrayList<>(failures));
  }

  /** Returns what was gone before the walk came to it. */
  public synchronized Vanished vanished() {
    return vanished;
  }

  public synchronized void vanished(Vanished found) {
    vanished = found;
  }

  /**
   * Returns the reason for which a resumed job was recovered but could not be continued, or null.
   */
  public synchronized String refusal() {
    return refusal;
  }

  public synchronized void refused(String reason) {
    refusal = reason;
  }

  /** Returns a message if nothing exists at the path of a resumed job any more, or null. */
  public synchronized String gone() {
    return gone;
  }

  public synchronized void gone(String message) {
    gone = message;
  }

  /** Returns whether the operator cancelled the job before it had converted all files. */
  public synchronized boolean isCancelled() {
    return isCancelled;
  }

  public synchronized void cancelled() {
    isCancelled = true;
  }

  /**
   * Returns whether the time of the job was over while the operator paused it; it has not ended.
   */
  public synchronized boolean isLeftPaused() {
    return isLeftPaused;
  }

  public synchronized void leftPaused() {
    isLeftPaused = true;
  }

  /**
   * Returns whether the job has not ended, because files could not be recovered, its maps may still
   * run, or it is paused.
   */
  public synchronized boolean isOpen() {
    return isOpen;
  }

  public synchronized void leftOpen() {
    isOpen = true;
  }

  /** Returns whether every selected file has been converted. */
  public synchronized boolean isComplete() {
    return left == 0
        && !vanished.isAny()
        && refusal == null
        && gone == null
        && !isCancelled
        && !isOpen
        && !isLeftPaused;
  }
}
