// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.JobDirectory;

/** Prints the progress, the rate and the remaining time of a job every few seconds. */
public final class ProgressText implements JobObserver {
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final PrintWriter err;
  private final JobObserver next;
  private long start;
  private long shown;
  private long files;
  private long bytesDone;
  private long filesInAll;
  private long bytesInAll;

  /** Creates an observer that writes to {@code err} and passes all events on to {@code next}. */
  public ProgressText(PrintWriter err, JobObserver next) {
    this.err = err;
    this.next = next;
  }

  @Override
  public void planned(Candidate file, FileDecision decision) {
    next.planned(file, decision);
  }

  @Override
  public synchronized void warned(String text) {
    err.println("Warning: " + text);
    err.flush();
    next.warned(text);
  }

  @Override
  public synchronized void begun(JobDirectory directory, Totals totals) {
    start = System.nanoTime();
    shown = start;
    // Files that were recovered after an earlier driver are not included in the totals.
    files = 0;
    bytesDone = 0;
    filesInAll = totals.files;
    bytesInAll = totals.bytes;
    String pause = directory.pauseFile().toUri().getPath();
    err.println(
        "Job "
            + directory.name()
            + ": "
            + totals.files
            + " files, "
            + ByteText.of(totals.bytes)
            + "; 'hdfs dfs -touchz "
            + pause
            + "' pauses it, deleting that file lets it go on");
    err.flush();
    next.begun(directory, totals);
  }

  @Override
  public synchronized void ended(String path, FileOutcome outcome) {
    files++;
    bytesDone += outcome.bytes();
    long now = System.nanoTime();
    if (start != 0 && now - shown > EVERY_NANOS) {
      shown = now;
      err.println(line(TimeUnit.NANOSECONDS.toMillis(now - start)));
      err.flush();
    }
    next.ended(path, outcome);
  }

  @Override
  public synchronized void mapping(String maps, float progress) {
    long now = System.nanoTime();
    if (start != 0 && now - shown > EVERY_NANOS) {
      shown = now;
      err.println(
          line(TimeUnit.NANOSECONDS.toMillis(now - start))
              + String.format(Locale.ROOT, "; %s: %.0f %%", maps, progress * 100));
      err.flush();
    }
    next.mapping(maps, progress);
  }

  private String line(long ms) {
    double rate = bytesDone * 1000.0 / Math.max(1, ms);
    String left =
        rate == 0
            ? "unknown"
            : String.format(Locale.ROOT, "%.0f s", Math.max(0, bytesInAll - bytesDone) / rate);
    return String.format(
        Locale.ROOT,
        "%d of %d files, %s of %s, %s/s, time left %s",
        files,
        filesInAll,
        ByteText.of(bytesDone),
        ByteText.of(bytesInAll),
        ByteText.of((long) rate),
        left);
  }
}
