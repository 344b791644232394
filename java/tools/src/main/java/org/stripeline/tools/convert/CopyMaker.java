// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem.HdfsDataOutputStreamBuilder;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;

/**
 * Copies files through this process, with whatever pipelines {@code fs.hdfs.impl} names: into
 * stripes, or back into replicas.
 */
final class CopyMaker implements Maker {
  private static final FsPermission PRIVATE = new FsPermission((short) 0600);
  private static final int BUFFER_BYTES = 1 << 20;

  /** Hadoop's own stream holds a stripe; beyond this only the bytes asked for are fetched. */
  private static final long STRIPE_BYTES_MAX = 16L << 20;

  private final Job job;

  CopyMaker(Job job) {
    this.job = job;
  }

  @Override
  public long make(Attempt attempt) throws IOException {
    String temporary = attempt.temporary();
    try (FSDataOutputStream out = create(attempt)) {
      attempt.attributes().applyEncryption(job.client(), temporary);
      String policy = job.settings().storagePolicy;
      if (policy != null) {
        job.client().setStoragePolicy(temporary, policy);
      } else {
        // Bytes go to the right kind of disk at once, also where the directory says which.
        job.client()
            .setStoragePolicy(
                temporary, job.client().getStoragePolicy(attempt.file().inodePath()).getName());
      }
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
    HdfsDataOutputStreamBuilder builder =
        job.fs()
            .createFile(new Path(attempt.temporary()))
            .overwrite(false)
            .permission(PRIVATE)
            .blockSize(attempt.attributes().status().getBlockSize())
            .bufferSize(
                job.fs()
                    .getConf()
                    .getInt(
                        CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_KEY,
                        CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_DEFAULT))
            .checksumOpt(attempt.checksums());
    if (attempt.policy() == null) {
      return builder.replicate().replication((short) attempt.replication()).build();
    }
    return builder.ecPolicyName(attempt.policy().getName()).build();
  }

  private void copy(Attempt attempt, FSDataOutputStream out) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    boolean byPosition = hasWideStripes(attempt.attributes().status().getErasureCodingPolicy());
    long bytes = attempt.file().bytes();
    long done = 0;
    try (FSDataInputStream in = job.fs().open(new Path(attempt.source()))) {
      while (done < bytes) {
        int most = (int) Math.min(bytes - done, BUFFER_BYTES);
        int count = byPosition ? in.read(done, buffer, 0, most) : in.read(buffer, 0, most);
        if (count < 0) {
          throw new EOFException(
              "Cannot read " + attempt.source() + ": it ends " + (bytes - done)
                  + " bytes too early");
        }
        job.throttle().take(count);
        out.write(buffer, 0, count);
        done += count;
      }
    }
  }

  private static boolean hasWideStripes(ErasureCodingPolicy policy) {
    return policy != null
        && (long) policy.getNumDataUnits() * policy.getCellSize() > STRIPE_BYTES_MAX;
  }
}
