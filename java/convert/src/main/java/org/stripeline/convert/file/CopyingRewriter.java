// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.settings.Origin;

/**
 * Copies files through this process, into stripes or back into replicas, with the client that
 * {@code fs.hdfs.impl} selects.
 */
public final class CopyingRewriter implements FileRewriter {
  private final Job job;

  public CopyingRewriter(Job job) {
    this.job = job;
  }

  @Override
  public long rewrite(Attempt attempt) throws IOException {
    JournalRecord begin = attempt.open().begin();
    long made;
    try (FSDataOutputStream out = create(attempt)) {
      made = ((DFSOutputStream) out.getWrappedStream()).getFileId();
      attempt.attributes().applyEncryption(job.client(), attempt.temporary());
      job.requireInPlace(begin, made);
      StoragePolicies.set(job.client(), InodePath.of(made), storagePolicy(job, attempt));
      job.reached(Step.CREATED, attempt.open());
      copy(attempt, out);
    }
    return made;
  }

  private FSDataOutputStream create(Attempt attempt) throws IOException {
    return RangeCopy.create(
        job.fs(),
        attempt.temporary(),
        attempt.policy() == null ? null : attempt.policy().getName(),
        attempt.replication(),
        attempt.attributes().status().getBlockSize(),
        attempt.checksums());
  }

  private void copy(Attempt attempt, FSDataOutputStream out) throws IOException {
    boolean byPosition =
        RangeCopy.hasWideStripes(attempt.attributes().status().getErasureCodingPolicy());
    new RangeCopy(job.fs(), attempt.source(), byPosition)
        .copy(0, attempt.file().bytes(), out, (buffer, count) -> job.move(attempt.meter(), count));
  }

  /** Returns the name of the storage policy of a copy while it is written. */
  public static String storagePolicy(Job job, Attempt attempt) throws IOException {
    boolean isUndone = attempt.policy() == null;
    String policy =
        attempt
            .attributes()
            .storagePolicy(isUndone ? Origin.FORGET : Origin.KEEP, job.settings().storagePolicy);
    if (policy != null) {
      return policy;
    }
    // Use the effective policy, which may come from the directory, so that the bytes are written to
    // the right storage type at once.
    String path = attempt.file().path();
    String inForce = isUndone ? new Path(path).getParent().toString() : attempt.file().inodePath();
    return job.client().getStoragePolicy(inForce).getName();
  }
}
