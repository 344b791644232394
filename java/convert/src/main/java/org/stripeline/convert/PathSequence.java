// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.util.List;
import org.stripeline.convert.report.ProgressText;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;

/**
 * The paths of a command, which have one job each, and how far the command has come. A signal may
 * end the process at any time, also between two jobs.
 */
final class PathSequence {
  private final List<String> paths;
  private int index = -1;

  /** Shows the progress on the current path; null until its job is about to begin. */
  private ProgressText shown;

  /** Whether the job on the current path has ended, though its result may not be printed yet. */
  private boolean isEnded;

  private boolean isInterrupted;

  PathSequence(List<String> paths) {
    this.paths = paths;
  }

  /** Goes to the next path, and returns whether there is one. No job follows an interruption. */
  synchronized boolean next() {
    if (isInterrupted || index + 1 == paths.size()) {
      return false;
    }
    index++;
    isEnded = false;
    shown = null;
    return true;
  }

  synchronized String path() {
    return paths.get(Math.max(0, index));
  }

  synchronized boolean isFirst() {
    return index <= 0;
  }

  synchronized boolean isOnly() {
    return paths.size() == 1;
  }

  /** Sets what shows the progress of the job on the current path. */
  synchronized void shows(ProgressText text) {
    shown = text;
  }

  synchronized void ended() {
    isEnded = true;
  }

  /** Returns a line with the paths after the current one, or nothing if there are none. */
  synchronized String notBegun() {
    return line("Not begun: ", paths.subList(Math.max(0, index) + 1, paths.size()));
  }

  /** Marks the command as interrupted, and returns what shows the current job, or null. */
  synchronized ProgressText interrupt() {
    isInterrupted = true;
    return isEnded ? null : shown;
  }

  /** Returns what to print if a signal ends the process while no job is in progress. */
  synchronized String interrupted() {
    int begun = isEnded ? index + 1 : Math.max(0, index);
    if (begun == 0) {
      return "Interrupted before the job began: no file was changed.";
    }
    String which =
        isEnded
            ? "Interrupted after the job on " + path() + " had ended."
            : "Interrupted before the job on " + path() + " began: no file there was changed.";
    return which
        + line("Ended: ", paths.subList(0, begun))
        + line("Not begun: ", paths.subList(begun, paths.size()));
  }

  /**
   * Returns the end of a command that cannot continue at the current path.
   *
   * @param why what happened there
   * @param status the exit status of the jobs before
   * @param isChanging whether the command changes files
   */
  synchronized CommandException end(CommandException why, int status, boolean isChanging) {
    // Usage errors mean that nothing was changed, which is no longer so.
    boolean isLate = index > 0 && isChanging && why.exitStatus() == ExitStatus.USAGE;
    int worse = isLate ? ExitStatus.FAILED : ExitStatus.worse(status, why.exitStatus());
    return new CommandException(worse, why.getMessage());
  }

  private static String line(String title, List<String> some) {
    return some.isEmpty() ? "" : "\n" + title + String.join(" ", some);
  }
}
