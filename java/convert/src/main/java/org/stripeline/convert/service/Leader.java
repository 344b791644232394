// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.service;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JobLock;
import org.stripeline.convert.job.JobRoot;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.settings.RefusedException;

/**
 * The lease of an empty file on HDFS, which only one process can have. It ends about a minute after
 * its holder has died, and then another process can take it.
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
   * Takes the lease of services, unless another service has it.
   *
   * @param jobs the directory of all jobs, in which the file is
   * @return null if another service has it
   * @throws RefusedException if there is a directory instead of the file
   */
  public static Leader take(DistributedFileSystem fs, String jobs) throws IOException {
    Path root = new Path(jobs);
    fs.mkdirs(root, JobDirectory.PRIVATE);
    JobRoot.requirePrivate(fs, root);
    return take(fs, new Path(root, NAME));
  }

  /**
   * Takes the lease of a file, which is created if it does not exist.
   *
   * @return null if another process has it
   * @throws RefusedException if there is a directory instead of the file
   */
  public static Leader take(DistributedFileSystem fs, Path file) throws IOException {
    FSDataOutputStream lease;
    try {
      lease = open(fs, file);
    } catch (IOException e) {
      if (!JobLock.isHeld(e)) {
        throw new IOException("Cannot take the lease of " + file + ": " + Reasons.of(e), e);
      }
      HdfsFileStatus held = fs.getClient().getFileInfo(file.toUri().getPath());
      if (held != null && held.isDirectory()) {
        throw new RefusedException(
            "Cannot take the lease of " + file + ": it is a directory; delete it");
      }
      return null;
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
   * @throws IOException if another process has taken it, the file was deleted or renamed, or the
   *     NameNode does not answer
   */
  public void require() throws IOException {
    require(fs.getClient(), path, fileId);
  }

  /**
   * Checks that a client still has the lease of a file.
   *
   * @throws FileNotFoundException if no file with that inode id is at the path
   */
  public static void require(DFSClient client, String path, long fileId) throws IOException {
    HdfsFileStatus now = client.getFileInfo(path);
    if (now == null || now.getFileId() != fileId) {
      // Another process can create the file and have its lease.
      throw new FileNotFoundException(path + " was deleted or renamed");
    }
    client.getNamenode().fsync(path, fileId, client.getClientName(), -1);
  }

  @Override
  public void close() throws IOException {
    lease.close();
  }
}
