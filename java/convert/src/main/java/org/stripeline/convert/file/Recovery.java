// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
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

/**
 * Completes or rolls back the conversion of a file, depending on the state of the NameNode: if the
 * swap has happened the file is converted, otherwise everything is rolled back. A recovery that
 * failed half-way can be repeated.
 */
public final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
  private static final long AS_IT_IS = -1;

  private final Job job;
  private final Unlinker unlinker;

  /** The result of a recovery. */
  public enum Result {
    /** The new file has replaced the original. */
    SWAPPED,
    /** The original is unchanged, and nothing else is left. */
    ROLLED_BACK
  }

  /** Removes the internal blocks of groups that will not be completed. */
  public interface Unlinker {
    /** For layouts that do not link blocks. */
    Unlinker NONE =
        open -> {
          if (!open.groups().isEmpty()) {
            throw new IOException("links of " + open.begin().path + " need agents to remove them");
          }
        };

    /** Removes all blocks that the journal names. */
    void unlink(OpenFile open) throws IOException;
  }

  public Recovery(Job job, Unlinker unlinker) {
    this.job = job;
    this.unlinker = unlinker;
  }

  /**
   * Recovers one file.
   *
   * @throws JournalLostException if the job cannot continue
   * @throws IOException if something could not be rolled back; the file is closed then if possible
   */
  public Result recover(OpenFile open) throws IOException {
    JournalRecord begin = open.begin();
    job.oneTry().sync(job.client());
    if (isSwappedInLog(open)) {
      return Result.SWAPPED;
    }
    Long temporaryId = temporaryId(open);
    if (open.back() == null) {
      job.announce(open, JournalRecord.back(begin.fileId, temporaryId));
    }
    job.reached(Step.BACK_NAMED, open);
    // Delete it first, so that a slow driver cannot swap it any more.
    boolean wasThere = deleteTemporary(begin);
    if (!wasThere && isSwappedInLog(open)) {
      return Result.SWAPPED;
    }
    job.reached(Step.BACK_DELETED, open);
    IOException failure = null;
    try {
      if (!isKept(open, temporaryId)) {
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

  /**
   * Returns the inode id of the temporary file, or null if there is none. A rollback that is
   * repeated no longer finds the file at its path.
   */
  private Long temporaryId(OpenFile open) throws IOException {
    if (open.back() != null && open.back().temporaryId != null) {
      return open.back().temporaryId;
    }
    JournalRecord begin = open.begin();
    HdfsFileStatus temporary =
        InodePath.status(job.client(), begin.directoryId, begin.temporaryName());
    if (temporary != null) {
      return temporary.getFileId();
    }
    return open.swap() == null ? null : open.swap().temporaryId;
  }

  /**
   * Returns whether the blocks of the temporary file must stay: a snapshot contains it, and the
   * NameNode would report them as missing, or it is unknown what happened to it.
   */
  private boolean isKept(OpenFile open, Long temporaryId) throws IOException {
    String temporary = open.begin().temporary;
    if (temporaryId == null) {
      // A journal that has lost its last lines may not name the swap of a file that was converted.
      // If nothing has these blocks, the NameNode removes them after their next block report.
      if (!open.groups().isEmpty()) {
        LOG.warn("Temporary file {} is gone, and the journal does not say why", temporary);
      }
      return !open.groups().isEmpty();
    }
    boolean isKept = InodePath.isAnywhere(job.client(), temporaryId);
    if (isKept) {
      LOG.warn(
          "A snapshot has temporary file {}: its blocks stay until the snapshot is deleted",
          temporary);
    }
    return isKept;
  }

  /**
   * Deletes the temporary file. Addresses the directory by inode id, since other users can rename a
   * directory in an encryption zone.
   */
  private boolean deleteTemporary(JournalRecord begin) throws IOException {
    try {
      return job.client().delete(InodePath.child(begin.directoryId, begin.temporaryName()), false);
    } catch (IOException e) {
      if (InodePath.isGone(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Returns whether the swap has happened and is in the edit log of the NameNode. */
  private boolean isSwappedInLog(OpenFile open) throws IOException {
    if (!isSwapped(open)) {
      return false;
    }
    job.awaitEditLog();
    return isSwapped(open);
  }

  /**
   * Returns whether the swap has happened. While the original exists it has not, whatever happened
   * to the temporary file.
   */
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
    // Both are gone. Unless this job deleted the new file, a user did so after the swap. A snapshot
    // may then contain it, so its blocks must stay.
    return open.back() == null;
  }

  /** Restores permission, lease and times of the original. Does nothing if it was deleted. */
  private void reopen(OpenFile open) throws IOException {
    try {
      restore(open);
    } catch (IOException e) {
      if (!InodePath.isGone(e)) {
        throw e;
      }
    }
  }

  private void restore(OpenFile open) throws IOException {
    JournalRecord begin = open.begin();
    HdfsFileStatus original = InodePath.status(job.client(), begin.fileId);
    if (original == null) {
      return;
    }
    if (open.swap() != null) {
      Swap.unprotect(job.client(), original, new FsPermission(open.swap().permission));
    }
    Fence fence = new Fence(job.namenode(), begin.client, begin.fileId, job.ticker());
    // While the lease is held, the modification time is that of the last real change.
    if (fence.release(original.getModificationTime(), begin.accessedMs)) {
      return;
    }
    Long modifiedMs = open.modifiedMs();
    HdfsFileStatus status = InodePath.status(job.client(), begin.fileId);
    if (status == null) {
      return;
    }
    // Closing the file, by this driver or by the NameNode's lease recovery, counts as a
    // modification. An earlier time was set by a user.
    boolean isClosed = modifiedMs != null && status.getModificationTime() > modifiedMs;
    if (!isClosed && status.getAccessTime() == begin.accessedMs) {
      return;
    }
    HdfsLocatedFileStatus located = InodePath.located(job.client(), begin.fileId);
    if (located == null) {
      return;
    }
    LocatedBlocks blocks = located.getLocatedBlocks();
    if (!blocks.isUnderConstruction() && BlockSignature.of(blocks).equals(begin.signature)) {
      job.client()
          .setTimes(InodePath.of(begin.fileId), isClosed ? modifiedMs : AS_IT_IS, begin.accessedMs);
    }
  }
}
