// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.report.Vanished;
import org.stripeline.convert.settings.JobSettings;

/** One walk over the tree of a job, of a dry run or in earnest, that judges each file. */
public final class TreeWalk {
  private final FileFinder finder;
  private final FileJudge judge;

  /** Sees the files one after the other. */
  public interface Visitor {
    /** Returns whether the walk goes on. */
    boolean visit(Candidate file, FileDecision decision) throws IOException;
  }

  /**
   * Prepares a walk.
   *
   * @param jobs directory of the jobs' directories, which is not entered
   */
  public TreeWalk(DistributedFileSystem fs, JobSettings settings, String jobs) throws IOException {
    judge = FileJudge.of(settings, fs);
    finder = new FileFinder(fs.getClient(), settings.path, jobs);
  }

  /** The snapshots that files are judged by. */
  public SnapshotIndex snapshots() {
    return judge.snapshots();
  }

  /** Walks, and returns what was gone before it could be looked at. */
  public Vanished visit(Visitor visitor) throws IOException {
    boolean goesOn = true;
    while (goesOn && finder.hasNext()) {
      Candidate file = finder.next();
      FileDecision decision;
      try {
        decision = judge.judge(file);
      } catch (FileNotFoundException e) {
        finder.vanished().file(file.path());
        continue;
      }
      goesOn = visitor.visit(file, decision);
    }
    return finder.vanished();
  }
}
