// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;

/**
 * Copies files through this process, with whatever pipelines {@code fs.hdfs.impl} names: into
 * stripes, or back into replicas.
 */
final class CopyMaker implements Maker {
  private final Job job;

  CopyMaker(Job job) {
    this.job = job;
  }

  @Override
  public long make(Attempt attempt) throws IOException {
    String temporary = attempt.temporary();
    try (FSDataOutputStream out = create(attempt)) {
      attempt.attributes().applyEncryption(job.client(), temporary);
      job.client().setStoragePolicy(temporary, storagePolicy(job, attempt));
      job.reached(Step.CREATED, attempt.open());
      copy(attempt, out);
    }
    HdfsFileStatus made = job.client().getFileInfo(temporary);
    if (made == null) {
      throw new IOException("Cannot find temporary file " + temporary + ": somebody deleted it");
    }
    return made.getFileId();
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
        .copy(0, attempt.file().bytes(), out, (buffer, count) -> job.throttle().take(count));
  }

  /** Name of the storage policy that a copy has while it is made. */
  static String storagePolicy(Job job, Attempt attempt) throws IOException {
    String policy = job.settings().storagePolicy;
    // Bytes go to the right kind of disk at once, also where the directory says which.
    return policy != null
        ? policy
        : job.client().getStoragePolicy(attempt.file().inodePath()).getName();
  }
}
