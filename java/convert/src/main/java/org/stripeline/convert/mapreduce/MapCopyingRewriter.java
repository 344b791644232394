// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.convert.file.Attempt;
import org.stripeline.convert.file.CopyingRewriter;
import org.stripeline.convert.file.FileRewriter;
import org.stripeline.convert.file.RangeCopy;
import org.stripeline.convert.group.CoreRack;
import org.stripeline.convert.job.Futures;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Step;

/**
 * Copies files group by group with maps, and joins the parts.
 *
 * <p>Each part except the last consists of full groups, so the file that {@code concat} makes of
 * the parts has the same groups as a file from a single writer.
 */
public final class MapCopyingRewriter implements FileRewriter {
  /** Maximum number of parts per concat call, since the NameNode holds its lock during the call. */
  private static final int JOINED_AT_ONCE = 256;

  /** Replicated blocks per map; about as many as a group of an erasure-coded file has. */
  private static final int BLOCKS_OF_A_MAP = 6;

  private final Job job;
  private final MapWaves waves;
  private final FileRewriter here;

  /**
   * Creates a rewriter that copies with maps, and with {@code here} the files that maps cannot
   * copy.
   */
  public MapCopyingRewriter(Job job, MapWaves waves, FileRewriter here) {
    this.job = job;
    this.waves = waves;
    this.here = here;
  }

  /** Returns whether maps copied the file, since they check the parity of their parts. */
  @Override
  public boolean hasCheckedParity(Attempt attempt) {
    return !isMadeHere(attempt);
  }

  private static boolean isMadeHere(Attempt attempt) {
    return attempt.attributes().status().getFileEncryptionInfo() != null;
  }

  @Override
  public long rewrite(Attempt attempt) throws IOException {
    if (isMadeHere(attempt)) {
      return makeHere(attempt);
    }
    JournalRecord begin = attempt.open().begin();
    String directory = job.makeWorkDirectory(begin);
    job.reached(Step.CREATED, attempt.open());

    AtomicBoolean isGivenUp = new AtomicBoolean();
    List<Future<GroupAnswer>> answers = new ArrayList<>();
    try {
      for (GroupOrder order : orders(attempt, directory)) {
        answers.add(waves.add(order, isGivenUp::get, attempt.meter()));
      }
      join(attempt, parts(answers));
    } catch (IOException | RuntimeException e) {
      // Wait for running maps, since they must not write again what is rolled back next.
      isGivenUp.set(true);
      answers.forEach(MapCopyingRewriter::awaitQuietly);
      throw e;
    }
    job.deleteWorkDirectory(begin);
    HdfsFileStatus made = InodePath.status(job.client(), begin.directoryId, begin.temporaryName());
    if (made == null) {
      throw new IOException(
          "Cannot find temporary file " + attempt.temporary() + ": another user deleted it");
    }
    return made.getFileId();
  }

  /**
   * Copies one file at a time: a writer buffers stripes, and the memory of this process is limited.
   */
  private synchronized long makeHere(Attempt attempt) throws IOException {
    long made = here.rewrite(attempt);
    job.traffic().copiedByDriver();
    return made;
  }

  private List<GroupOrder> orders(Attempt attempt, String directory) throws IOException {
    HdfsFileStatus status = attempt.attributes().status();
    ErasureCodingPolicy policy = attempt.policy();
    int blocks = policy == null ? BLOCKS_OF_A_MAP : policy.getNumDataUnits();
    long groupBytes = status.getBlockSize() * blocks;
    ChecksumOpt checksums = attempt.checksums();
    String storagePolicy = CopyingRewriter.storagePolicy(job, attempt);
    List<GroupOrder> orders = new ArrayList<>();
    for (long offset = 0; offset < attempt.file().bytes(); offset += groupBytes) {
      long length = Math.min(groupBytes, attempt.file().bytes() - offset);
      CoreRack core = CoreRack.of(blocks(attempt, offset, length));
      GroupOrder order = new GroupOrder(directory, orders.size(), core.name(), core.hosts());
      GroupOrder.Copy copy = new GroupOrder.Copy();
      copy.source = attempt.source();
      copy.readsByPosition = RangeCopy.hasWideStripes(status.getErasureCodingPolicy());
      copy.offset = offset;
      copy.length = length;
      copy.policy = policy == null ? null : policy.getName();
      copy.replication = attempt.replication();
      copy.blockBytes = status.getBlockSize();
      copy.checksums = checksums.getChecksumType().name();
      copy.bytesPerChecksum = checksums.getBytesPerChecksum();
      copy.storagePolicy = storagePolicy;
      order.copy = copy;
      orders.add(order);
    }
    return orders;
  }

  /** Returns the blocks of the original that overlap a range. */
  private static List<LocatedBlock> blocks(Attempt attempt, long offset, long length) {
    List<LocatedBlock> found = new ArrayList<>();
    for (LocatedBlock block : attempt.blocks().getLocatedBlocks()) {
      long end = block.getStartOffset() + block.getBlockSize();
      if (end > offset && block.getStartOffset() < offset + length) {
        found.add(block);
      }
    }
    return found;
  }

  private static String[] parts(List<Future<GroupAnswer>> answers) throws IOException {
    String[] parts = new String[answers.size()];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = Futures.get(answers.get(i)).part;
    }
    return parts;
  }

  private void join(Attempt attempt, String[] parts) throws IOException {
    for (int i = 1; i < parts.length; i += JOINED_AT_ONCE) {
      int end = Math.min(parts.length, i + JOINED_AT_ONCE);
      job.namenode().concat(parts[0], Arrays.copyOfRange(parts, i, end));
    }
    job.namenode().rename2(parts[0], attempt.temporary(), Options.Rename.NONE);
  }

  private static void awaitQuietly(Future<GroupAnswer> answer) {
    try {
      Futures.get(answer);
    } catch (IOException e) {
      // The first failure is reported instead.
      return;
    }
  }
}
