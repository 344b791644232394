// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.BlockSignature;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.OpenFile;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.TemporaryPlaces;
import org.stripeline.convert.select.SnapshotIndex;

/**
 * Ends what was begun with a file, by looking at what is there: if the swap has happened the file
 * is converted, else all is rolled back. It may be done again if it fails half-way.
 */
public final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
  private static final long AS_IT_IS = -1;

  private final Job job;
  private final Unlinker unlinker;

  /** How it ended. */
  public enum Result {
    /** The new file has the place of the original. */
    SWAPPED,
    /** The original is as it was, and nothing else is left. */
    ROLLED_BACK
  }

  /** Removes internal blocks of groups that will not be. */
  public interface Unlinker {
    /** For layouts that link nothing. */
    Unlinker NONE =
        open -> {
          if (!open.groups().isEmpty()) {
            throw new IOException("links of " + open.begin().path + " need agents to remove them");
          }
        };

    /** Removes all that the journal names. */
    void unlink(OpenFile open) throws IOException;
  }

  public Recovery(Job job, Unlinker unlinker) {
    this.job = job;
    this.unlinker = unlinker;
  }

  /**
   * Recovers one file.
   *
   * @throws JournalLostException if the job cannot go on
   * @throws IOException if something could not be rolled back; the file is closed then if possible
   */
  public Result recover(OpenFile open) throws IOException {
    JournalRecord begin = open.begin();
    job.oneTry().sync(job.client());
    if (isSwapped(open)) {
      return Result.SWAPPED;
    }
    if (!open.isRollingBack()) {
      job.announce(open, JournalRecord.back(begin.fileId));
    }
    job.reached(Step.BACK_NAMED, open);
    HdfsFileStatus temporary =
        InodePath.status(job.client(), begin.directoryId, begin.temporaryName());
    // First: from now on no late driver can swap it.
    boolean wasThere = deleteTemporary(begin);
    if (!wasThere && isSwapped(open)) {
      return Result.SWAPPED;
    }
    job.reached(Step.BACK_DELETED, open);
    IOException failure = null;
    try {
      if (temporary == null || !isInSnapshot(begin, temporary.getFileId())) {
        unlinker.unlink(open);
      }
    } catch (IOException e) {
      failure = e;
    }
    job.reached(Step.BACK_UNLINKED, open);
    reopen(open);
    if (failure != null) {
      throw failure;
    }
    return Result.ROLLED_BACK;
  }

  /** The NameNode would miss the blocks of a temporary file that a snapshot has. */
  private boolean isInSnapshot(JournalRecord begin, long temporaryId) throws IOException {
    String path = begin.temporary;
    if (path.startsWith(TemporaryPlaces.RESERVED_RAW)) {
      path = path.substring(TemporaryPlaces.RESERVED_RAW.length());
    }
    boolean isKept = new SnapshotIndex(job.client()).keeps(path, temporaryId);
    if (isKept) {
      LOG.warn("A snapshot has temporary file {}: its blocks stay until the snapshot goes", path);
    }
    return isKept;
  }

  /** The directory is named by its number: other users can rename one in an encryption zone. */
  private boolean deleteTemporary(JournalRecord begin) throws IOException {
    try {
      return job.client().delete(InodePath.child(begin.directoryId, begin.temporaryName()), false);
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  /** While the original exists nothing was swapped, whatever has become of the temporary file. */
  private boolean isSwapped(OpenFile open) throws IOException {
    JournalRecord swap = open.swap();
    JournalRecord begin = open.begin();
    DFSClient client = job.client();
    if (swap == null || InodePath.status(client, begin.fileId) != null) {
      return false;
    }
    long directory = InodePath.parent(client, swap.temporaryId);
    if (directory != 0) {
      return directory != begin.directoryId;
    }
    // Both are gone. Unless this job has deleted it, a user has deleted the converted file; then a
    // snapshot may keep it, and its blocks must stay.
    return !open.isRollingBack();
  }

  /** Gives the original its permission, its lease and its times back. */
  private void reopen(OpenFile open) throws IOException {
    JournalRecord begin = open.begin();
    HdfsFileStatus original = InodePath.status(job.client(), begin.fileId);
    if (original == null) {
      return;
    }
    if (open.swap() != null) {
      Swap.unprotect(job.client(), original, new FsPermission(open.swap().permission));
    }
    Fence fence = new Fence(job.namenode(), begin.client, begin.fileId);
    // As long as the lease is held, the time is that of the last real change.
    if (fence.release(original.getModificationTime(), begin.accessedMs)) {
      return;
    }
    Long modifiedMs = open.modifiedMs();
    HdfsFileStatus status = InodePath.status(job.client(), begin.fileId);
    // The end of a lease sets a later time; an earlier one was set by a user.
    if (modifiedMs == null || status == null || status.getModificationTime() <= modifiedMs) {
      return;
    }
    String path = InodePath.of(begin.fileId);
    LocatedBlocks blocks = job.client().getLocatedBlocks(path, 0, Long.MAX_VALUE);
    if (!blocks.isUnderConstruction() && BlockSignature.of(blocks).equals(begin.signature)) {
      // The end of the lease, ours or one that the NameNode made, counts as a modification.
      job.client().setTimes(path, modifiedMs, AS_IT_IS);
    }
  }
}
