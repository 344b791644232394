// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.AclUtil;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.io.MD5Hash;
import org.stripeline.client.write.Stripe;

/**
 * Replaces a striped file that is open for writing by a replicated one with the same bytes and
 * attributes. The steps:
 *
 * <ol>
 *   <li>{@link Step#CREATE}: create a temporary file, replicated, in the same directory.
 *   <li>{@link Step#COPY}: copy attributes and bytes, and hsync them.
 *   <li>{@link Step#CHECK}: check that the lease of the striped file is still held, by its inode.
 *   <li>{@link Step#END}: end the block group on its DataNodes, so that its replicas are removed
 *       with the file.
 *   <li>{@link Step#RENAME}: rename the temporary file over the inode of the striped file.
 *   <li>{@link Step#DROP}: drop the streamers of the striped file.
 * </ol>
 *
 * <p>If a step before END fails, the temporary file is deleted and the striped stream continues. If
 * END or RENAME fails, the striped stream has failed. Only then, or when all steps are done, does
 * the sync return.
 *
 * <p>The NameNode has no rename that depends on a lease. A writer that is stopped between CHECK and
 * RENAME while another client recovers the lease would therefore open the file again. A client of
 * ours that recovers a lease deletes the temporary file ({@link #temporaryOf}), after which the
 * rename fails. The temporary file is named by its path, never by its inode, so that the rename
 * also fails when the directory was renamed, as HBase does to fence a writer.
 */
final class ReplicatedSwitch {
  /** The end of the names of temporary files; files with such names belong to Stripeline. */
  static final String SUFFIX = ".stripeline-sync";

  private static final String HIDDEN = ".";

  /** Twice the period after which the NameNode recovers the lease of a client that is silent. */
  private static final long LEFTOVER_MILLIS = TimeUnit.HOURS.toMillis(2);

  private static final int NAME_BYTES_MAX = 255;
  private static final int COPY_BYTES = 256 << 10;

  /** The steps, in their order. */
  enum Step {
    CREATE,
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
  private final String temporary;
  private final String inode;
  private final Listener listener;

  ReplicatedSwitch(StripelineDFSClient client, DurableOutputStream striped, String what) {
    this.client = client;
    this.striped = striped;
    this.what = what;
    this.temporary = temporaryOf(striped.getSrc());
    this.inode = "/.reserved/.inodes/" + striped.getFileId();
    this.listener = client.switchListener();
  }

  /**
   * Returns the path of the temporary file of a file. Names that would be too long for the NameNode
   * end in a digest instead.
   */
  static String temporaryOf(String src) {
    int slash = src.lastIndexOf('/');
    String name = src.substring(slash + 1);
    String temporary = HIDDEN + name + SUFFIX;
    if (temporary.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES_MAX) {
      temporary = HIDDEN + MD5Hash.digest(name) + SUFFIX;
    }
    return src.substring(0, slash + 1) + temporary;
  }

  /** Carries out all steps and returns the open replicated file; called with {@code collecting}. */
  ReplicatedFile run() throws IOException {
    striped.awaitAcknowledged();
    HdfsFileStatus created;
    DFSOutputStream file = null;
    ReplicatedFile replicated;
    try {
      HdfsFileStatus status = status();
      listener.begins(Step.CREATE);
      created = client.outputs().createTemporary(striped, temporary, status);
      file = client.outputs().openTemporary(striped, created);
      replicated = ciphered(file);
      listener.begins(Step.COPY);
      copyAttributes(status, created);
      copyBytes(replicated.bytes());
      if (striped.getInitialLen() + striped.collected > 0) {
        replicated.hsync(EnumSet.of(SyncFlag.UPDATE_LENGTH));
      }
      listener.begins(Step.CHECK);
      client.namenode.fsync(striped.getSrc(), striped.getFileId(), client.clientName, -1);
    } catch (IOException e) {
      discard(file, e);
      throw failure(e);
    } catch (RuntimeException | Error e) {
      discard(file, e);
      throw e;
    }
    try {
      listener.begins(Step.END);
      endGroup();
      listener.begins(Step.RENAME);
      rename(file);
    } catch (IOException | RuntimeException | Error e) {
      discard(file, e);
      throw striped.failed(failure(e));
    }
    listener.begins(Step.DROP);
    try {
      striped.dropStriped();
    } catch (IOException e) {
      DFSClient.LOG.debug("Dropping the striped file at {}", striped.getSrc(), e);
    }
    sweep(created.getModificationTime());
    return replicated;
  }

  private IOException failure(Throwable cause) {
    return new IOException(
        "Cannot " + what + " " + striped.getSrc() + ": " + cause.getMessage(), cause);
  }

  private HdfsFileStatus status() throws IOException {
    HdfsFileStatus status = client.getFileInfo(inode);
    if (status == null) {
      throw new IOException("the file was deleted");
    }
    return status;
  }

  /**
   * Returns the stream of the replicated file. In an encryption zone the striped stream takes bytes
   * that are encrypted with the key of the striped file; the ciphers are counter modes, so that
   * encrypting once more with the same key gives the plain bytes, which the key of the replicated
   * file encrypts.
   */
  private ReplicatedFile ciphered(DFSOutputStream file) throws IOException {
    if (striped.getFileEncryptionInfo() == null) {
      return new ReplicatedFile(file, file);
    }
    OutputStream encrypting = client.createWrappedOutputStream(file, null).getWrappedStream();
    return new ReplicatedFile(file, client.cipherOf(striped.getFileEncryptionInfo(), encrypting));
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
      AclStatus acl = client.getAclStatus(inode);
      client.setAcl(
          temporary, AclUtil.getAclFromPermAndEntries(acl.getPermission(), acl.getEntries()));
    } else if (to.hasAcl()) {
      client.removeAcl(temporary);
    }
    if (to.hasAcl() || !permission.equals(to.getPermission())) {
      client.setPermission(temporary, permission);
    }
    if (from.getStoragePolicy() != to.getStoragePolicy()) {
      client.setStoragePolicy(temporary, policyName(from.getStoragePolicy()));
    }
    for (Map.Entry<String, byte[]> attribute : client.getXAttrs(inode).entrySet()) {
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
        new StripelineInputStream(client, inode, true, blocks.getErasureCodingPolicy(), blocks)) {
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
    LocatedBlocks known = client.getLocatedBlocks(inode, 0, Long.MAX_VALUE);
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
      DFSClient.LOG.debug("Ending the last block group of {}", striped.getSrc(), e);
    }
  }

  private void rename(DFSOutputStream file) throws IOException {
    try {
      client.rename(temporary, inode, Options.Rename.OVERWRITE);
    } catch (IOException e) {
      // A call that is repeated after a failover may find that the first one was carried out.
      HdfsFileStatus now = client.getFileInfo(striped.getSrc());
      if (now == null || now.getFileId() != file.getFileId()) {
        throw e;
      }
    }
  }

  /** Ends the stream of the temporary file and deletes the file, if it is still ours. */
  private void discard(DFSOutputStream file, Throwable cause) {
    if (file == null) {
      return;
    }
    try {
      file.abort();
      String own = "/.reserved/.inodes/" + file.getFileId();
      HdfsFileStatus at = client.getFileInfo(temporary);
      if (at != null && at.getFileId() == file.getFileId()) {
        client.delete(own, false);
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * Deletes temporary files of writers that died, once per directory and client, by one more call
   * that lists hidden files. A switch takes seconds; that of a writer that was stopped for longer
   * fails when its temporary file is gone.
   *
   * @param now the time of the NameNode in milliseconds
   */
  private void sweep(long now) {
    String directory = striped.getSrc().substring(0, striped.getSrc().lastIndexOf('/') + 1);
    if (!client.sweepsFirst(directory)) {
      return;
    }
    try {
      DirectoryListing hidden =
          client.listPaths(directory, HIDDEN.getBytes(StandardCharsets.UTF_8));
      for (HdfsFileStatus entry : hidden.getPartialListing()) {
        String name = entry.getLocalName();
        if (name.startsWith(HIDDEN)
            && name.endsWith(SUFFIX)
            && now - entry.getModificationTime() > LEFTOVER_MILLIS) {
          client.delete(directory + name, false);
        }
      }
    } catch (IOException | RuntimeException e) {
      DFSClient.LOG.debug("Deleting leftover temporary files in {}", directory, e);
    }
  }
}
