// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem.HdfsDataOutputStreamBuilder;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/** Copies bytes of one file to another, with the client that {@code fs.hdfs.impl} selects. */
public final class RangeCopy {
  /** Permission of new files, which get that of the original before the swap. */
  public static final FsPermission PRIVATE = new FsPermission((short) 0600);

  private static final int BUFFER_BYTES = 1 << 20;

  /**
   * Hadoop's own stream buffers a whole stripe. For larger stripes, positional reads are used,
   * which fetch only the requested bytes.
   */
  private static final long STRIPE_BYTES_MAX = 16L << 20;

  private final DistributedFileSystem fs;
  private final String source;
  private final boolean byPosition;

  /** Receives the bytes before they are written, and may delay the writes. */
  public interface Watcher {
    void passes(byte[] buffer, int count) throws IOException;
  }

  /**
   * Creates a copy from a file; {@code byPosition} is the result of {@link #hasWideStripes} for it.
   */
  public RangeCopy(DistributedFileSystem fs, String source, boolean byPosition) {
    this.fs = fs;
    this.source = source;
    this.byPosition = byPosition;
  }

  /** Returns whether a stream over files of a policy would buffer too much; false for null. */
  public static boolean hasWideStripes(ErasureCodingPolicy policy) {
    return policy != null
        && (long) policy.getNumDataUnits() * policy.getCellSize() > STRIPE_BYTES_MAX;
  }

  /**
   * Creates a file that only its owner can read, in an existing directory.
   *
   * @param policy name of its erasure coding policy, or null for replication
   * @param replication replicas of each block if there is no policy
   */
  public static FSDataOutputStream create(
      DistributedFileSystem fs,
      String path,
      String policy,
      int replication,
      long blockBytes,
      ChecksumOpt checksums)
      throws IOException {
    HdfsDataOutputStreamBuilder builder =
        fs.createFile(new Path(path))
            .overwrite(false)
            // The original is deleted soon afterwards; by then the copy must be on the DataNodes'
            // disks.
            .syncBlock()
            .permission(PRIVATE)
            .blockSize(blockBytes)
            .bufferSize(
                fs.getConf()
                    .getInt(
                        CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_KEY,
                        CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_DEFAULT))
            .checksumOpt(checksums);
    return policy == null
        ? builder.replicate().replication((short) replication).build()
        : builder.ecPolicyName(policy).build();
  }

  /**
   * Copies {@code length} bytes.
   *
   * @throws EOFException if the file ends before them
   */
  public void copy(long offset, long length, OutputStream out, Watcher watcher) throws IOException {
    byte[] buffer = new byte[(int) Math.min(length, BUFFER_BYTES)];
    long done = 0;
    // The client's own stream returns the bytes of an encrypted file as they are stored.
    try (FSDataInputStream in = new FSDataInputStream(fs.getClient().open(source))) {
      if (!byPosition) {
        in.seek(offset);
      }
      while (done < length) {
        int most = (int) Math.min(length - done, buffer.length);
        int count = byPosition ? in.read(offset + done, buffer, 0, most) : in.read(buffer, 0, most);
        if (count < 0) {
          throw new EOFException(
              "Cannot read " + source + ": it ends " + (length - done) + " bytes early");
        }
        watcher.passes(buffer, count);
        out.write(buffer, 0, count);
        done += count;
      }
    }
  }
}
