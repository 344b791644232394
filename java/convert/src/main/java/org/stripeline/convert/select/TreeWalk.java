// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.report.Vanished;
import org.stripeline.convert.settings.JobSettings;

/** One walk over the tree of a job, for a dry run or an execution, that judges each file. */
public final class TreeWalk {
  private final FileFinder finder;
  private final FileJudge judge;
  private final DFSClient client;
  private final String jobs;

  /** Receives the files in order. */
  public interface Visitor {
    /** Returns whether the walk continues. */
    boolean visit(Candidate file, FileDecision decision) throws IOException;
  }

  /**
   * Prepares a walk.
   *
   * @param jobs parent of all job directories, which is not entered
   * @param begun the journal's records of interrupted conversions, by inode id
   * @param policies decides whose policy is used; null to judge all files as if theirs were
   */
  public TreeWalk(
      DistributedFileSystem fs,
      JobSettings settings,
      String jobs,
      Map<Long, JournalRecord> begun,
      Policies policies)
      throws IOException {
    judge = FileJudge.of(settings, fs, begun, policies);
    client = fs.getClient();
    this.jobs = jobs;
    finder = new FileFinder(client, settings.path, jobs);
  }

  /** Returns the snapshots that files are checked against. */
  public SnapshotIndex snapshots() {
    return judge.snapshots();
  }

  /** Walks the tree, and returns what was gone before it could be judged. */
  public Vanished visit(Visitor visitor) throws IOException {
    boolean goesOn = true;
    while (goesOn && finder.hasNext()) {
      Candidate file = finder.next();
      FileDecision decision = judge(file, finder.vanished());
      goesOn = decision == null || visitor.visit(file, decision);
    }
    return finder.vanished();
  }

  /** Returns the decision about a file; null if the file is gone, which is counted. */
  private FileDecision judge(Candidate file, Vanished vanished) throws IOException {
    try {
      return judge.judge(file);
    } catch (IOException e) {
      if (!InodePath.isGone(e)) {
        throw e;
      }
      vanished.file(file.path());
      return null;
    }
  }

  /**
   * Judges a file of an earlier walk again, because it may have changed since.
   *
   * @param vanished counts the file if it is not at its path any more
   * @return whether the visitor continues
   */
  public boolean visitAgain(OldestFirst.Entry entry, Visitor visitor, Vanished vanished)
      throws IOException {
    FileFinder again = new FileFinder(client, entry.path(), jobs);
    Candidate file = again.hasNext() ? again.next() : null;
    if (file == null || file.status().getFileId() != entry.fileId()) {
      vanished.file(entry.path());
      return true;
    }
    FileDecision decision = judge(file, vanished);
    return decision == null || visitor.visit(file, decision);
  }
}
