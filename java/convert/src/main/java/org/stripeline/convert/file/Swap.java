// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.ipc.RemoteException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.BlockSignature;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Polling;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.select.SnapshotIndex;
import org.stripeline.convert.settings.Origin;

/**
 * Copies the attributes of the original to a verified temporary file, and then replaces the
 * original with it.
 *
 * <p>The NameNode has no call that replaces a file only if it is unchanged, so the window between
 * the last check and the rename is kept as short as the network allows. The original is closed
 * before it is replaced (see {@link Fence#end}). While it is closed, its permission lets only
 * superusers write, so that ordinary users can neither append to it nor recover its lease.
 */
final class Swap {
  private static final Logger LOG = LoggerFactory.getLogger(Swap.class);

  /** Maximum time from the start of the last check to the rename; later, the check is repeated. */
  static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** If a user or a NameNode interferes more often than this, the file is not converted. */
  private static final int ROUNDS_MAX = 5;

  /** Pause between attempts while no NameNode is active, or DataNodes have not reported blocks. */
  private static final long AGAIN_MS = 1_000;

  /** Longer than DataNodes take to report their blocks to a NameNode that has just started. */
  private static final long REPORTS_MS = 30_000;

  private static final int WRITE_BITS = 0222;

  /** Has no effect on files; it distinguishes this class's change of a permission from a user's. */
  private static final int STICKY_BIT = 01000;

  private static final int OWNER_BITS = 0700;

  private final Job job;
  private final Attempt attempt;
  private final FileRewriter rewriter;
  private final SnapshotIndex snapshots;
  private final long made;
  private final String temporary;
  private final long fileId;
  private Attributes given;
  private boolean isFenceEnded;

  /**
   * Prepares a swap.
   *
   * @param rewriter the one that has made the temporary file
   * @param made inode id of the temporary file
   * @param snapshots the snapshots that were known when the file was judged
   */
  Swap(Job job, Attempt attempt, FileRewriter rewriter, long made, SnapshotIndex snapshots) {
    this.job = job;
    this.attempt = attempt;
    this.rewriter = rewriter;
    this.made = made;
    this.snapshots = snapshots;
    temporary = InodePath.of(made);
    fileId = attempt.file().status().getFileId();
  }

  /**
   * Returns the permission of a file while it is being replaced, which users are unlikely to
   * choose.
   */
  private static FsPermission withoutWriting(FsPermission permission) {
    return new FsPermission((short) (permission.toShort() & ~WRITE_BITS | STICKY_BIT));
  }

  /** Returns whether a permission is one that a file has only during a swap. */
  static boolean isProtected(FsPermission permission) {
    int bits = permission.toShort();
    return (bits & STICKY_BIT) != 0 && (bits & WRITE_BITS) == 0;
  }

  /**
   * Returns the permission that the file would have if it were not protected.
   *
   * @param now current permission of the original
   * @param before its permission before, which may be protected by now
   */
  private static FsPermission unprotected(FsPermission now, FsPermission before) {
    FsPermission without = withoutWriting(before);
    if (now.equals(without)) {
      return before;
    }
    // If the file had a sticky bit before, the bit does not show who made the change.
    if (!now.getStickyBit() || before.getStickyBit()) {
      return now;
    }
    int bits = now.toShort();
    // A user has changed the ACL of a protected file, which leaves the owner bits as they are. Only
    // those are restored: the user may have removed the rights of others.
    if ((bits & OWNER_BITS) == (without.toShort() & OWNER_BITS)) {
      bits |= before.toShort() & OWNER_BITS;
    }
    return new FsPermission((short) (bits & ~STICKY_BIT));
  }

  /** Sets exactly the attributes of the original on the temporary file. */
  void giveAttributes() throws IOException {
    give(Attributes.read(job.client(), fileId));
  }

  /** Applies attributes until those of the original are the same before and after. */
  private void give(Attributes first) throws IOException {
    Attributes latest = first;
    for (int round = 0; round < ROUNDS_MAX; round++) {
      latest.apply(
          job.client(),
          temporary,
          origin(latest),
          job.settings().storagePolicy,
          attempt.open().begin().accessedMs);
      if (!isOnTemporary(latest)) {
        // For encrypted files, the difference is the key, which was re-encrypted since. Setting it
        // by path could change a file that another user has put there.
        throw new IOException(
            "Cannot give "
                + attempt.temporary()
                + " the attributes of the file: it has others, or"
                + " its zone is being re-encrypted; convert it again after that");
      }
      Attributes now = readOriginal(latest);
      if (now.isSame(latest)) {
        given = latest;
        return;
      }
      latest = now;
    }
    throw new ChangedException("its attributes keep changing");
  }

  private boolean isOnTemporary(Attributes wanted) throws IOException {
    Attributes there = Attributes.read(job.client(), made);
    return wanted.areOn(there, origin(wanted), job.settings().storagePolicy);
  }

  /** Reads the original's attributes, without the changes that the swap itself made to them. */
  private Attributes readOriginal(Attributes before) throws IOException {
    Attributes read = Attributes.read(job.client(), fileId);
    Attributes now = read.withPermission(unprotected(read.permission(), before.permission()));
    return isFenceEnded ? now.withModification(before.modifiedMs()) : now;
  }

  private int origin(Attributes latest) {
    if (attempt.policy() == null) {
      return Origin.FORGET;
    }
    HdfsFileStatus status = latest.status();
    return status.getErasureCodingPolicy() == null ? status.getReplication() : Origin.KEEP;
  }

  /** Writes to the journal what a recovery needs to find out whether the swap has happened. */
  void announce() throws JournalLostException {
    job.announce(
        attempt.open(),
        JournalRecord.swap(fileId, made, given.permission().toShort(), given.modifiedMs()));
    job.reached(Step.SWAP_NAMED, attempt.open());
  }

  /**
   * Replaces the original with the temporary file.
   *
   * @param fence the lease of the original, which is released here
   * @throws ChangedException if the original is no longer what was verified
   * @throws IOException if it is unknown whether the NameNode has done it
   */
  void run(Fence fence) throws IOException {
    // First: a driver that was disconnected must not change a file that another has recovered
    // since.
    fence.confirm();
    protect();
    try {
      fence.confirm();
    } catch (ChangedException e) {
      // Another driver may have recovered the file before that change, which must be undone here
      // then.
      HdfsFileStatus now = InodePath.status(job.client(), fileId);
      if (now != null) {
        unprotect(job.client(), now, given.permission());
      }
      throw e;
    }
    // Releasing the lease sets the modification time, so a change by a user is only visible before.
    confirmAttributes();
    fence.end();
    isFenceEnded = true;
    job.reached(Step.FENCE_ENDED, attempt.open());
    for (int round = 0; round < ROUNDS_MAX; round++) {
      if (lookAndRename()) {
        return;
      }
    }
    throw new ChangedException(
        "it kept changing, or the NameNode or this process was too slow, directly before the swap");
  }

  /** Removes write permission from the original, so that only superusers can write it. */
  private void protect() throws IOException {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      FsPermission now = new FsPermission(original().getPermission().toShort());
      if (unprotected(now, given.permission()).equals(given.permission())) {
        job.client().setPermission(InodePath.of(fileId), withoutWriting(given.permission()));
        job.reached(Step.PROTECTED, attempt.open());
        return;
      }
      // A user has changed the permission since it was copied to the temporary file.
      give(readOriginal(given));
      announce();
    }
    throw new ChangedException("its permission keeps changing");
  }

  private HdfsFileStatus original() throws IOException {
    HdfsFileStatus now = InodePath.status(job.client(), fileId);
    if (now == null) {
      throw new ChangedException("it was deleted or replaced");
    }
    return now;
  }

  private void confirmAttributes() throws IOException {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      if (confirmOrGiveAgain()) {
        return;
      }
    }
    throw new ChangedException("its attributes keep changing");
  }

  /**
   * Returns true if the original still has the attributes that were copied; otherwise copies them
   * again.
   */
  private boolean confirmOrGiveAgain() throws IOException {
    Attributes now = readOriginal(given);
    if (now.isSame(given)) {
      return true;
    }
    give(now);
    announce();
    protect();
    return false;
  }

  /**
   * Returns false if another round is needed: attributes have changed, or too much time has passed.
   */
  private boolean lookAndRename() throws IOException {
    // Waits while no NameNode is active.
    job.oneTry().sync(job.client());
    ClientProtocol namenode;
    try {
      // Before the time is taken, since this may try unreachable NameNodes first.
      namenode = job.oneTry().active();
    } catch (IOException e) {
      return pauseBeforeNextLook(e);
    }
    long start = job.ticker().nanos();
    job.oneTry().sync(job.client());
    if (!confirmOrGiveAgain()) {
      return false;
    }
    if (!job.settings().rules.includeSnapshotted
        && snapshots.hasNewer(attempt.file().path(), fileId)) {
      throw new ChangedException(
          "a snapshot was taken of it during the conversion; convert such files with"
              + " --include-snapshotted");
    }
    if (!isOnTemporary(given)) {
      throw new IOException("Cannot swap " + attempt.temporary() + ": its attributes were changed");
    }
    if (!isWhole()) {
      return false;
    }
    HdfsLocatedFileStatus last;
    try {
      last = look(namenode);
    } catch (ChangedException e) {
      throw e;
    } catch (IOException e) {
      return pauseBeforeNextLook(e);
    }
    requireAsVerified(last);
    job.reached(Step.LOOKED, attempt.open());
    if (job.ticker().nanos() - start > LOOK_NANOS) {
      return false;
    }
    rename(namenode);
    return true;
  }

  private boolean pauseBeforeNextLook(IOException cause) throws IOException {
    LOG.warn("Cannot read the state of {} before its swap, retrying", attempt.file().path(), cause);
    Polling.pause(job.ticker(), AGAIN_MS);
    return false;
  }

  /**
   * Checks that all blocks of the temporary file are where they were verified, and waits for those
   * that a NameNode does not know yet.
   *
   * @throws IOException if blocks are missing or elsewhere
   */
  void requireWhole() throws IOException {
    isWhole();
  }

  /**
   * Returns whether all blocks of the temporary file are where they were verified: the DataNodes of
   * a group may have failed since. A NameNode that has just started may not know all blocks yet, so
   * this waits for them; after that, it returns false, because the other checks are too old.
   *
   * @throws IOException if blocks are missing or elsewhere
   */
  private boolean isWhole() throws IOException {
    String[] difference = new String[1];
    int[] looks = new int[1];
    boolean isWhole =
        Polling.isMet(
            job.ticker(),
            REPORTS_MS,
            AGAIN_MS,
            () -> {
              looks[0]++;
              // Unlike a call for the block locations, this does not set the access time.
              DirectoryListing listing =
                  job.client().listPaths(temporary, HdfsFileStatus.EMPTY_NAME, true);
              difference[0] =
                  rewriter.difference(
                      attempt, only(listing, made).getLocatedBlocks().getLocatedBlocks());
              return difference[0] == null;
            });
    if (!isWhole) {
      throw new IOException(
          "Cannot swap "
              + attempt.temporary()
              + ": "
              + difference[0]
              + "; DataNodes were lost or blocks moved after it was verified; convert the file"
              + " again");
    }
    return looks[0] == 1;
  }

  /** Performs the last check with one call that returns inode, blocks and rights. */
  private HdfsLocatedFileStatus look(ClientProtocol namenode) throws IOException {
    DirectoryListing listing;
    try {
      listing = namenode.getListing(InodePath.of(fileId), HdfsFileStatus.EMPTY_NAME, true);
    } catch (RemoteException e) {
      throw gone(e);
    }
    return only(listing, fileId);
  }

  /** Returns the only entry in the listing of a file. */
  private static HdfsLocatedFileStatus only(DirectoryListing listing, long id)
      throws ChangedException {
    HdfsLocatedFileStatus found = InodePath.only(listing, id);
    if (found == null) {
      throw new ChangedException("it was deleted or replaced");
    }
    return found;
  }

  private void requireAsVerified(HdfsLocatedFileStatus status) throws ChangedException {
    if (status.getLocatedBlocks().isUnderConstruction()
        || status.getLen() != attempt.file().bytes()
        || !BlockSignature.of(status.getLocatedBlocks()).equals(attempt.open().begin().signature)) {
      throw new ChangedException("it was written to");
    }
    FsPermission permission = new FsPermission(status.getPermission().toShort());
    if (!given.isSameIn(status) || !permission.equals(withoutWriting(given.permission()))) {
      throw new ChangedException("its permission was changed directly before the swap");
    }
  }

  private void rename(ClientProtocol namenode) throws IOException {
    try {
      namenode.rename2(temporary, InodePath.of(fileId), Options.Rename.OVERWRITE);
    } catch (RemoteException e) {
      throw gone(e);
    }
  }

  private static IOException gone(RemoteException e) {
    return InodePath.isGone(e) ? new ChangedException("it was deleted or replaced", e) : e;
  }

  /**
   * Restores the permission of an original that was not replaced, unless a user has set another.
   *
   * @param permission the permission before the swap, from the journal
   */
  static void unprotect(DFSClient client, HdfsFileStatus original, FsPermission permission)
      throws IOException {
    FsPermission now = new FsPermission(original.getPermission().toShort());
    FsPermission wanted = unprotected(now, permission);
    if (!now.equals(wanted)) {
      client.setPermission(InodePath.of(original.getFileId()), wanted);
    }
  }
}
