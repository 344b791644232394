// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;
import org.stripeline.convert.file.ParityCheck;
import org.stripeline.convert.file.RangeCopy;
import org.stripeline.convert.file.ReadBackCheck;
import org.stripeline.convert.file.Redundancy;
import org.stripeline.convert.file.StoragePolicies;
import org.stripeline.convert.job.RateLimiter;
import org.stripeline.natives.Ticker;

/** A map that copies: it writes its group to a separate file, which is later joined with others. */
final class GroupCopy {
  private final DistributedFileSystem fs;
  private final Progressable progress;
  private final Ticker ticker;

  GroupCopy(DistributedFileSystem fs, Progressable progress, Ticker ticker) {
    this.fs = fs;
    this.progress = progress;
    this.ticker = ticker;
  }

  /**
   * Copies a group.
   *
   * @param attempt unique name of the map attempt, so that a killed attempt cannot change another's
   *     file
   */
  GroupAnswer run(GroupOrder order, String attempt) throws IOException {
    GroupOrder.Copy copy = order.copy;
    String part = order.directory + "/" + order.group + "-" + attempt;
    DataChecksum.Type type = DataChecksum.Type.valueOf(copy.checksums);
    DataChecksum sum = DataChecksum.newDataChecksum(type, copy.bytesPerChecksum);
    RateLimiter limiter = new RateLimiter(order.bytesPerSecond, ticker);
    ChecksumOpt checksums = new ChecksumOpt(type, copy.bytesPerChecksum);
    try (FSDataOutputStream out =
        RangeCopy.create(fs, part, copy.policy, copy.replication, copy.blockBytes, checksums)) {
      StoragePolicies.set(fs.getClient(), part, copy.storagePolicy);
      new RangeCopy(fs, copy.source, copy.readsByPosition)
          .copy(
              copy.offset,
              copy.length,
              out,
              (buffer, count) -> {
                limiter.take(count);
                sum.update(buffer, 0, count);
                progress.progress();
              });
    }
    ErasureCodingPolicy policy = policy(part);
    Redundancy.await(fs.getClient(), part, policy, copy.replication, ticker);
    FileChecksum written = verify(part, copy.length, (int) sum.getValue());
    ParityCheck.Watcher watcher =
        bytes -> {
          limiter.take(bytes);
          progress.progress();
        };
    if (policy == null) {
      ReadBackCheck.check(fs, part, written, watcher);
    } else {
      ParityCheck.check(fs, part, policy, watcher);
    }
    GroupAnswer answer = new GroupAnswer(order.number);
    answer.part = part;
    return answer;
  }

  private ErasureCodingPolicy policy(String part) throws IOException {
    return fs.getClient().getFileInfo(part).getErasureCodingPolicy();
  }

  /**
   * Compares the CRC of the part with that of the bytes read. An error found here can be repaired
   * by another attempt, unlike one found by the driver's check of the whole file.
   */
  private FileChecksum verify(String part, long length, int read) throws IOException {
    FileChecksum written = fs.getClient().getFileChecksumWithCombineMode(part, length);
    int crc = ByteBuffer.wrap(written.getBytes()).getInt();
    if (crc != read) {
      throw new IOException(
          String.format(
              "Cannot use part %s: its CRC is %08x, the CRC of the bytes read is %08x",
              part, crc, read));
    }
    return written;
  }
}
