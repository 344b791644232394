// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import java.util.Locale;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Quantity;

/** Shows the progress of a job; must be closed before its result is printed. */
public final class ProgressText implements JobObserver, AutoCloseable {
  private final Progress progress;
  private final JobObserver next;
  private Progress.Step walk;
  private Progress.Step conversion;
  private long files;
  private long filesEnded;
  private long filesFailed;
  private long bytes;
  private long bytesDone;
  private boolean isPaused;
  private String job;
  private boolean isInterrupted;

  /** Creates an observer that passes all events on to {@code next}. */
  public ProgressText(Progress progress, JobObserver next) {
    this.progress = progress;
    this.next = next;
  }

  @Override
  public synchronized void looked() {
    if (walk == null && !isInterrupted) {
      walk = progress.passing("look at files", 0, Progress.Unit.FILES);
    }
    if (walk != null) {
      walk.advance(1);
    }
    next.looked();
  }

  @Override
  public void planned(Candidate file, FileDecision decision) {
    next.planned(file, decision);
  }

  @Override
  public synchronized void warned(String text) {
    if (!isInterrupted) {
      progress.print("Warning: " + text);
    }
    next.warned(text);
  }

  @Override
  public synchronized void resuming() {
    progress.print(
        "Continuing the job; the lease of its last driver may take up to another minute to"
            + " expire ...");
    next.resuming();
  }

  @Override
  public synchronized void begun(JobDirectory directory, Totals totals) {
    endWalk();
    job = directory.name();
    progress.print(
        "Job "
            + directory.name()
            + ": "
            + Quantity.counted(totals.files, "file")
            + ", "
            + Quantity.bytes(totals.bytes)
            + "; 'stripeline convert --pause --job="
            + directory.name()
            + "' pauses it, --continue, --cancel and --status act on it likewise");
    begin(totals);
    next.begun(directory, totals);
  }

  void begin(Totals totals) {
    files = totals.files;
    bytes = totals.bytes;
    conversion = progress.step("convert", totals.bytes);
  }

  @Override
  public synchronized void advanced(long more) {
    if (conversion != null) {
      bytesDone += more;
      conversion.advance(more, count());
    }
    next.advanced(more);
  }

  @Override
  public synchronized void ticked(boolean paused) {
    if (conversion != null) {
      isPaused = paused;
      conversion.tick(paused, count());
    }
    next.ticked(paused);
  }

  @Override
  public synchronized void ended(String path, long size, FileOutcome outcome) {
    // Files that were recovered after an earlier driver are not included in the totals.
    if (conversion != null) {
      boolean isConverted = outcome.kind() == FileOutcome.Kind.CONVERTED;
      filesEnded++;
      // Files that appeared after the totals, or that --undo selects but cannot replicate.
      files = Math.max(files, filesEnded);
      filesFailed += isConverted ? 0 : 1;
      if (isConverted) {
        conversion.note(count());
      } else {
        bytes = Math.max(0, bytes - size);
        conversion.leaveOut(size, count());
      }
    }
    next.ended(path, size, outcome);
  }

  @Override
  public synchronized void mapping(String maps, float share) {
    if (conversion != null) {
      conversion.note(String.format(Locale.ROOT, "%s; %s: %.0f %%", count(), maps, share * 100));
    }
    next.mapping(maps, share);
  }

  private String count() {
    return (isPaused ? "paused; " : "")
        + Quantity.bytes(bytesDone)
        + " of "
        + Quantity.bytes(bytes)
        + ", "
        + filesEnded
        + " of "
        + Quantity.counted(files, "file")
        + (filesFailed == 0 ? "" : ", " + filesFailed + " not converted");
  }

  /** Returns the name of the job once it has begun or been resumed, otherwise null. */
  public synchronized String job() {
    return job;
  }

  /**
   * Prints lines instead of the result of the running step, and nothing after them: calls that a
   * signal cut off fail.
   */
  public synchronized void interrupted(String lines) {
    progress.print(lines);
    walk = null;
    conversion = null;
    isInterrupted = true;
  }

  /** Marks the job as carried out to its end, though files may have failed. */
  public synchronized void succeeded() {
    if (conversion != null) {
      conversion.note(count());
      conversion.succeeded();
    }
  }

  @Override
  public synchronized void close() {
    endWalk();
    if (conversion != null) {
      conversion.close();
      conversion = null;
    }
  }

  private void endWalk() {
    if (walk != null) {
      walk.close();
      walk = null;
    }
  }
}
