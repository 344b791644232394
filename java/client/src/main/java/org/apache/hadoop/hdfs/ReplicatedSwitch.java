// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.AclUtil;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.stripeline.client.Interrupts;
import org.stripeline.client.write.Stripe;

/**
 * Replaces a striped file that is open for writing by a replicated one with the same bytes and
 * attributes. The steps:
 *
 * <ol>
 *   <li>{@link Step#CREATE}: create a temporary file, replicated, in the same directory.
 *   <li>{@link Step#OPEN}: open the stream of the temporary file.
 *   <li>{@link Step#COPY}: copy attributes and bytes, and hsync them.
 *   <li>{@link Step#CHECK}: check that the lease of the striped file is still held, by its inode,
 *       and that it is at its path.
 *   <li>{@link Step#END}: end the block group on its DataNodes, so that its replicas are removed
 *       with the file. A slow DataNode makes this take long, therefore check the lease again.
 *   <li>{@link Step#RENAME}: check that the striped file is at its path, and rename the temporary
 *       file over its inode.
 *   <li>{@link Step#DROP}: drop the streamers of the striped file.
 * </ol>
 *
 * <p>If a step before END fails, the sync throws, the temporary file is deleted and the striped
 * stream continues. If the group cannot be ended on its DataNodes, its replicas are only removed
 * later. If the lease is lost after that, or RENAME fails, the sync throws and the striped stream
 * has failed. A failure of DROP is only logged.
 *
 * <p>The NameNode has no rename that depends on a lease, and none that depends on an inode: if a
 * snapshot keeps the inode of a file that was deleted, its path leads to whatever has taken its
 * former path. The file is therefore looked up just before the rename. A writer that is stopped
 * between the last check and RENAME while another client recovers the lease would still open the
 * file again. A client of ours that recovers a lease or appends takes the lease of the temporary
 * file, too, and deletes it ({@link TemporaryFiles#fence}), after which the rename fails, or the
 * check of the lease that follows it. The temporary file is named by its path, never by its inode,
 * so that the rename also fails when the directory was renamed, as HBase does to fence a writer.
 */
final class ReplicatedSwitch {
  private static final int COPY_BYTES = 256 << 10;

  /** The steps, in their order. */
  enum Step {
    CREATE,
    OPEN,
    COPY,
    CHECK,
    END,
    RENAME,
    DROP
  }

  /** Is told of each step before it begins; a test stops or ends the writer there. */
  interface Listener {
    Listener NONE = step -> {};

    void begins(Step step) throws IOException;
  }

  private final StripelineDFSClient client;
  private final DurableOutputStream striped;
  private final String what;
  private final String src;
  private final String temporary;
  private final Listener listener;

  // Set as the steps are carried out.
  private boolean isCreating;
  private HdfsFileStatus created;
  private DFSOutputStream file;
  private ReplicatedFile replicated;
  private String target;

  /** Whether this thread was interrupted in steps that must not end half-way. */
  private boolean isInterrupted;

  ReplicatedSwitch(StripelineDFSClient client, DurableOutputStream striped, String what) {
    this.client = client;
    this.striped = striped;
    this.what = what;
    this.src = striped.getSrc();
    this.temporary = TemporaryFiles.newPath(src, striped.getFileId());
    this.listener = client.switchListener();
  }

  /** Carries out all steps; called with {@code collecting} held. */
  void run() throws IOException {
    striped.awaitAcknowledged();
    try {
      prepare();
    } catch (IOException e) {
      discard(e);
      throw failure(e);
    } catch (RuntimeException | Error e) {
      discard(e);
      throw e;
    }
    try {
      replace();
    } finally {
      restoreInterrupt();
    }
  }

  private void prepare() throws IOException {
    HdfsFileStatus status = striped.status();
    listener.begins(Step.CREATE);
    isCreating = true;
    created = client.outputs().createTemporary(striped, temporary, status);
    listener.begins(Step.OPEN);
    file = client.outputs().openTemporary(striped, created);
    replicated = new ReplicatedFile(client, file, striped.getFileEncryptionInfo());
    listener.begins(Step.COPY);
    target = target();
    copyAttributes(status, created);
    copyBytes(replicated.bytes());
    if (striped.getInitialLen() + striped.collected > 0) {
      replicated.hsync(EnumSet.of(SyncFlag.UPDATE_LENGTH));
    }
    listener.begins(Step.CHECK);
    striped.checkLease(striped);
    // What was copied by the path of the file, as behind a Router, was its own.
    striped.status();
  }

  private void replace() throws IOException {
    try {
      listener.begins(Step.END);
      holdInterrupt();
      endGroup();
      uninterrupted(() -> striped.checkLease(striped));
      listener.begins(Step.RENAME);
      uninterrupted(this::rename);
      uninterrupted(() -> striped.checkLease(file));
    } catch (IOException | RuntimeException | Error e) {
      // First, because whatever discard throws must not let the stream go on.
      IOException failure = striped.failed(failure(e));
      discard(e);
      throw failure;
    }
    striped.becomes(replicated);
    listener.begins(Step.DROP);
    holdInterrupt();
    try {
      striped.dropStriped();
    } catch (IOException e) {
      DFSClient.LOG.debug("Dropping the striped file at {}", src, e);
    }
    sweep(created.getModificationTime());
  }

  /** Repeats a call that an interrupt ended, because it may have been carried out. */
  private void uninterrupted(TemporaryFiles.Call call) throws IOException {
    while (true) {
      holdInterrupt();
      try {
        call.run();
        holdInterrupt();
        return;
      } catch (IOException e) {
        if (!holdInterrupt() && !Interrupts.isInterrupt(e)) {
          throw e;
        }
        isInterrupted = true;
      }
    }
  }

  /** Clears the interrupt of this thread until it is restored; returns whether there is one. */
  private boolean holdInterrupt() {
    boolean now = Thread.interrupted();
    isInterrupted |= now;
    return now;
  }

  private void restoreInterrupt() {
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private IOException failure(Throwable cause) {
    return failure(what, src, cause);
  }

  /** Returns the exception to throw for the failure of a sync; an interrupt keeps its type. */
  static IOException failure(String what, String src, Throwable cause) {
    String message = "Cannot " + what + " " + src + ": " + cause.getMessage();
    if (cause instanceof IOException && Interrupts.isInterrupt((IOException) cause)) {
      return (IOException) new InterruptedIOException(message).initCause(cause);
    }
    return new IOException(message, cause);
  }

  /**
   * Returns the path of the striped file by its inode, or its own path if inodes are those of
   * another namespace: a Router sends calls with the path of an inode to its default one.
   */
  private String target() throws IOException {
    return new TemporaryFiles(client).byInodeOfDirectory(temporary) == null
        ? src
        : TemporaryFiles.INODES + striped.getFileId();
  }

  private void copyAttributes(HdfsFileStatus from, HdfsFileStatus to) throws IOException {
    boolean ownerDiffers = !from.getOwner().equals(to.getOwner());
    boolean groupDiffers = !from.getGroup().equals(to.getGroup());
    if (ownerDiffers || groupDiffers) {
      client.setOwner(
          temporary, ownerDiffers ? from.getOwner() : null, groupDiffers ? from.getGroup() : null);
    }
    FsPermission permission = from.getPermission();
    if (from.hasAcl()) {
      AclStatus acl = client.getAclStatus(target);
      client.setAcl(
          temporary, AclUtil.getAclFromPermAndEntries(acl.getPermission(), acl.getEntries()));
    } else if (to.hasAcl()) {
      client.removeAcl(temporary);
    }
    if (to.hasAcl() || !permission.equals(to.getPermission())) {
      client.setPermission(temporary, permission);
    }
    // The NameNode tells no policy that erasure-coded files ignore, such as ONE_SSD; the temporary
    // file inherits that of the directory.
    if (from.getStoragePolicy() != HdfsConstants.BLOCK_STORAGE_POLICY_ID_UNSPECIFIED
        && from.getStoragePolicy() != to.getStoragePolicy()) {
      client.setStoragePolicy(temporary, policyName(from.getStoragePolicy()));
    }
    for (Map.Entry<String, byte[]> attribute : client.getXAttrs(target).entrySet()) {
      client.setXAttr(
          temporary,
          attribute.getKey(),
          attribute.getValue(),
          EnumSet.of(XAttrSetFlag.CREATE, XAttrSetFlag.REPLACE));
    }
  }

  private String policyName(byte id) throws IOException {
    for (BlockStoragePolicy policy : client.getStoragePolicies()) {
      if (policy.getId() == id) {
        return policy.getName();
      }
    }
    throw new IOException("the storage policy " + id + " of the file is unknown");
  }

  /** Copies what the DataNodes have acknowledged, then the stripe that is being filled. */
  private void copyBytes(OutputStream to) throws IOException {
    Stripe current = striped.current;
    long sent = striped.getInitialLen() + striped.collected;
    if (current != null) {
      sent -= current.size();
    }
    byte[] buffer = new byte[(int) Math.min(COPY_BYTES, Math.max(1, striped.collected + sent))];
    if (sent > 0) {
      copySent(to, sent, buffer);
    }
    if (current != null) {
      for (int unit = 0; unit < current.layout().dataUnits(); unit++) {
        int length = current.length(unit);
        if (length > 0) {
          copy(current.data(unit, 0, length), to, buffer);
        }
      }
    }
  }

  private void copy(ByteBuffer from, OutputStream to, byte[] buffer) throws IOException {
    while (from.hasRemaining()) {
      int count = Math.min(from.remaining(), buffer.length);
      from.get(buffer, 0, count);
      to.write(buffer, 0, count);
    }
  }

  private void copySent(OutputStream to, long sent, byte[] buffer) throws IOException {
    LocatedBlocks blocks = sentBlocks(sent);
    try (StripelineInputStream in =
        new StripelineInputStream(client, target, true, blocks.getErasureCodingPolicy(), blocks)) {
      long left = sent;
      while (left > 0) {
        int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (count < 0) {
          throw new IOException("its DataNodes have " + left + " of " + sent + " bytes less");
        }
        to.write(buffer, 0, count);
        left -= count;
      }
    }
  }

  /**
   * Returns the block groups of the file with the lengths that this stream has sent; the NameNode
   * does not know that of the last group yet.
   */
  private LocatedBlocks sentBlocks(long sent) throws IOException {
    LocatedBlocks known = client.getLocatedBlocks(target, 0, Long.MAX_VALUE);
    List<LocatedBlock> groups = new ArrayList<>(known.getLocatedBlocks());
    LocatedBlock last = known.getLastLocatedBlock();
    if (last == null) {
      throw new IOException("the NameNode knows no block group of it");
    }
    groups.removeIf(group -> Objects.equals(group.getBlock(), last.getBlock()));
    long before = groups.stream().mapToLong(LocatedBlock::getBlockSize).sum();
    if (sent > before) {
      last.getBlock().setNumBytes(sent - before);
      last.setStartOffset(before);
      groups.add(last);
    }
    return new LocatedBlocks(
        sent,
        false,
        groups,
        groups.get(groups.size() - 1),
        true,
        known.getFileEncryptionInfo(),
        known.getErasureCodingPolicy());
  }

  /** A failure only delays the removal of the replicas until the next full block report. */
  private void endGroup() {
    try {
      striped.endGroupOnDataNodes();
    } catch (IOException e) {
      isInterrupted |= Interrupts.isInterrupt(e);
      DFSClient.LOG.debug("Ending the last block group of {}", src, e);
    }
  }

  private void rename() throws IOException {
    try {
      striped.status();
      client.rename(temporary, target, Options.Rename.OVERWRITE);
    } catch (IOException e) {
      // A call that is repeated after a failover may find that the first one was carried out.
      HdfsFileStatus now = client.getFileInfo(src);
      if (now == null || now.getFileId() != file.getFileId()) {
        throw e;
      }
    }
  }

  /** Ends the stream of the temporary file and deletes the file. */
  private void discard(Throwable cause) {
    if (!isCreating) {
      return;
    }
    holdInterrupt();
    try {
      abort();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
    try {
      uninterrupted(() -> client.delete(temporary, false));
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
    restoreInterrupt();
  }

  private void abort() throws IOException {
    if (replicated != null) {
      replicated.abort();
    } else if (file != null) {
      ReplicatedFile.abort(client, file);
    }
  }

  /** Looks for leftovers, in the same directory not often. */
  private void sweep(long now) {
    String directory = TemporaryFiles.directoryOf(src);
    if (client.sweeps(directory, now)) {
      new TemporaryFiles(client).sweep(directory, now);
    }
  }
}
