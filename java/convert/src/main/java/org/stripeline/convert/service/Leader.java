// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.service;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JobLock;
import org.stripeline.convert.job.JobRoot;

/**
 * The lease of an empty file on HDFS, which only one service can have. It ends about a minute after
 * its holder has died, and then another service can take it.
 */
public final class Leader implements Closeable {
  private static final String NAME = "service.lease";

  private final DistributedFileSystem fs;
  private final FSDataOutputStream lease;
  private final String path;
  private final long fileId;

  private Leader(DistributedFileSystem fs, FSDataOutputStream lease, Path file) throws IOException {
    this.fs = fs;
    this.lease = lease;
    path = file.toUri().getPath();
    HdfsFileStatus status = fs.getClient().getFileInfo(path);
    if (status == null) {
      throw new FileNotFoundException("Cannot lead: " + path + " was deleted");
    }
    fileId = status.getFileId();
  }

  /**
   * Takes the lease, unless another service has it.
   *
   * @param jobs the directory of all jobs, in which the file is
   * @return null if another service has it
   */
  public static Leader take(DistributedFileSystem fs, String jobs) throws IOException {
    Path root = new Path(jobs);
    fs.mkdirs(root, JobDirectory.PRIVATE);
    JobRoot.requirePrivate(fs, root);
    Path file = new Path(root, NAME);
    FSDataOutputStream lease;
    try {
      lease = open(fs, file);
    } catch (IOException e) {
      if (JobLock.isHeld(e)) {
        return null;
      }
      throw e;
    }
    try {
      Leader leader = new Leader(fs, lease, file);
      leader.require();
      return leader;
    } catch (IOException | RuntimeException e) {
      lease.close();
      throw e;
    }
  }

  private static FSDataOutputStream open(DistributedFileSystem fs, Path file) throws IOException {
    try {
      return fs.createFile(file).replicate().overwrite(false).build();
    } catch (FileAlreadyExistsException e) {
      return fs.append(file);
    }
  }

  /**
   * Checks that this process still has the lease.
   *
   * @throws IOException if another service has taken it, the file was deleted, or the NameNode does
   *     not answer
   */
  public void require() throws IOException {
    fs.getClient().getNamenode().fsync(path, fileId, fs.getClient().getClientName(), -1);
  }

  @Override
  public void close() throws IOException {
    lease.close();
  }
}
