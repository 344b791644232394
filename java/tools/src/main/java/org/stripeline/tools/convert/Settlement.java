// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/**
 * Ends what was begun with a file, by looking at what is there: if the swap has happened the file
 * is converted, else all is taken back. It may be done again if it fails half-way.
 */
final class Settlement {
  private static final long AS_IT_IS = -1;

  private final Job job;
  private final Unlinker unlinker;

  /** How it ended. */
  enum Result {
    /** The new file has the place of the original. */
    SWAPPED,
    /** The original is as it was, and nothing else is left. */
    TAKEN_BACK
  }

  /** Removes internal blocks of groups that will not be. */
  interface Unlinker {
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

  Settlement(Job job, Unlinker unlinker) {
    this.job = job;
    this.unlinker = unlinker;
  }

  /**
   * Settles one file.
   *
   * @throws JournalLostException if the job cannot go on
   * @throws IOException if something could not be taken back; the file is closed then if possible
   */
  Result settle(OpenFile open) throws IOException {
    JournalRecord begin = open.begin();
    if (isSwapped(open)) {
      return Result.SWAPPED;
    }
    if (!open.isBeingTakenBack()) {
      job.announce(open, JournalRecord.back(begin.fileId));
    }
    job.reached(Step.BACK_NAMED, open);
    // First: from now on no late driver can swap it.
    boolean wasThere = job.namenode().delete(begin.temporary, false);
    if (!wasThere && isSwapped(open)) {
      return Result.SWAPPED;
    }
    job.reached(Step.BACK_DELETED, open);
    IOException failure = null;
    try {
      unlinker.unlink(open);
    } catch (IOException e) {
      failure = e;
    }
    job.reached(Step.BACK_UNLINKED, open);
    reopen(begin);
    if (failure != null) {
      throw failure;
    }
    return Result.TAKEN_BACK;
  }

  /** The temporary file is either at its own path, or at that of the original, or gone. */
  private boolean isSwapped(OpenFile open) throws IOException {
    JournalRecord swap = open.swap();
    DFSClient client = job.client();
    if (swap == null || client.getFileInfo(open.begin().temporary) != null) {
      return false;
    }
    if (InodePath.status(client, swap.temporaryId) != null) {
      return true;
    }
    // Both are gone. Unless it was us who deleted it, somebody deleted the converted file; then a
    // snapshot may keep it, and its blocks must stay.
    return !open.isBeingTakenBack()
        && InodePath.status(client, open.begin().fileId) == null;
  }

  /** Gives the lease back to whoever wants to write the file next. */
  private void reopen(JournalRecord begin) throws IOException {
    Fence fence = new Fence(job.namenode(), begin.client, begin.fileId);
    if (fence.release(begin.modifiedMs, begin.accessedMs)) {
      return;
    }
    String path = InodePath.of(begin.fileId);
    HdfsFileStatus status = InodePath.status(job.client(), begin.fileId);
    if (status == null || status.getModificationTime() == begin.modifiedMs) {
      return;
    }
    LocatedBlocks blocks = job.client().getLocatedBlocks(path, 0, Long.MAX_VALUE);
    if (!blocks.isUnderConstruction() && BlockSignature.of(blocks).equals(begin.signature)) {
      // The NameNode closed it when our lease had run out, and took that for a modification.
      job.client().setTimes(path, begin.modifiedMs, AS_IT_IS);
    }
  }
}
