// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.util.EnumSet;
import java.util.Locale;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;
import org.stripeline.client.Interrupts;
import org.stripeline.client.write.Stripe;
import org.stripeline.client.write.WriteSettings;
import org.stripeline.natives.Ticker;

/**
 * A striped stream whose hflush and hsync are durable: the first such call replaces the file by a
 * replicated one ({@link ReplicatedSwitch}), to which Hadoop's own stream writes from then on. If
 * the file is already too large to be copied, each such call ends a block group ({@link
 * SealedGroups}).
 *
 * <p>A stream that is never synced behaves as its base class. The switch holds {@code collecting};
 * writes hold it until they know which stream takes their bytes.
 */
final class DurableOutputStream extends StripelineOutputStream {
  private final StripelineDFSClient client;
  private final long switchBytesMax;
  private final SealedGroups seals;

  // What the stream of the replicated file is created with, too.
  private final short replication;
  private final EnumSet<CreateFlag> flag;
  private final Progressable progress;
  private final String[] favoredNodes;

  /** The stream that takes all bytes, or null while the file is striped. */
  private volatile ReplicatedFile replicated;

  /** Whether close was called on the striped file. Guarded by {@code collecting}. */
  private boolean closing;

  /** Creates a stream for a new file, or for appending block groups to one. */
  DurableOutputStream(
      StripelineDFSClient client,
      String src,
      EnumSet<CreateFlag> flag,
      Progressable progress,
      LocatedBlock last,
      HdfsFileStatus stat,
      DataChecksum checksum,
      String[] favoredNodes,
      WriteSettings settings,
      short replication)
      throws IOException {
    super(client, src, flag, progress, last, stat, checksum, favoredNodes, settings);
    this.client = client;
    this.switchBytesMax = settings.switchBytesMax();
    this.seals = new SealedGroups(client, this, settings.sealedGroupsMax(), Ticker.SYSTEM);
    this.replication = replication;
    this.flag = flag;
    this.progress = progress;
    this.favoredNodes = favoredNodes;
  }

  /** Returns the replicated file, or null while the file is striped. */
  ReplicatedFile replicated() {
    return replicated;
  }

  /** Returns the block groups that have ended at a sync. */
  SealedGroups seals() {
    return seals;
  }

  /** Returns the status of the file; throws unless it is still at its path. */
  HdfsFileStatus status() throws IOException {
    return status(getSrc());
  }

  /**
   * Returns the status of the file; throws unless a path leads to it. Even the path of its inode
   * leads to another file, if a snapshot keeps the inode of a file that was deleted or replaced.
   */
  HdfsFileStatus status(String path) throws IOException {
    HdfsFileStatus status = client.getFileInfo(path);
    if (status == null || status.getFileId() != getFileId()) {
      throw new IOException(
          "another client deleted, replaced or renamed the file that this stream writes");
    }
    return status;
  }

  /**
   * Throws if another client has recovered the lease.
   *
   * @param file the stream of this file, or of the one that replaces it
   */
  void checkLease(DFSOutputStream file) throws IOException {
    client.namenode.fsync(getSrc(), file.getFileId(), client.clientName, -1);
  }

  short replication() {
    return replication;
  }

  /**
   * Returns a stream that writes to the replicated file as this one was asked to write. Blocks are
   * synced when they end, because hsync reaches only the last one. All calls to the NameNode name
   * the inode. The path is already that of the striped file, because Hadoop 3.4 and later recover a
   * lease by path after a failed close.
   */
  DFSOutputStream open(HdfsFileStatus created) throws IOException {
    EnumSet<CreateFlag> flags = EnumSet.copyOf(flag);
    flags.add(CreateFlag.SYNC_BLOCK);
    DataChecksum checksum =
        DataChecksum.newDataChecksum(
            getDataChecksum().getChecksumType(), getDataChecksum().getBytesPerChecksum());
    return new DFSOutputStream(
        client, getSrc(), created, flags, progress, checksum, favoredNodes, true);
  }

  @Override
  public void write(int value) throws IOException {
    ReplicatedFile to = replicated;
    if (to == null) {
      synchronized (collecting) {
        to = replicated;
        if (to == null) {
          super.write(value);
          return;
        }
      }
    }
    to.bytes().write(value);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    ReplicatedFile to = replicated;
    if (to == null) {
      synchronized (collecting) {
        to = replicated;
        if (to == null) {
          super.write(bytes, offset, length);
          return;
        }
      }
    }
    to.bytes().write(bytes, offset, length);
  }

  @Override
  public void hflush() {
    try {
      ReplicatedFile file = switchedOrSealed("hflush");
      if (file != null) {
        file.hflush();
      }
    } catch (IOException e) {
      throw DurableOutputStream.<RuntimeException>undeclared(e);
    }
  }

  @Override
  public void hsync() {
    hsync(EnumSet.noneOf(SyncFlag.class));
  }

  @Override
  public void hsync(EnumSet<SyncFlag> flags) {
    try {
      ReplicatedFile file = switchedOrSealed("hsync");
      if (file != null) {
        file.hsync(flags);
      }
    } catch (IOException e) {
      throw DurableOutputStream.<RuntimeException>undeclared(e);
    }
  }

  /**
   * Returns the exception to throw from a method for which Hadoop's striped stream declares none.
   * All callers use the methods of {@link org.apache.hadoop.fs.Syncable}, which declare it.
   */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E undeclared(Throwable cause) throws E {
    throw (E) cause;
  }

  /**
   * Returns the replicated file that all bytes go to and that is to be synced, or null if the bytes
   * are durable in a block group that has ended.
   */
  private ReplicatedFile switchedOrSealed(String what) throws IOException {
    ReplicatedFile to = replicated;
    if (to != null) {
      return to;
    }
    synchronized (collecting) {
      if (replicated == null) {
        if (closing) {
          throw new ClosedChannelException();
        }
        checkWritable();
        if (getInitialLen() + collected > switchBytesMax) {
          seal(what);
        } else {
          new ReplicatedSwitch(client, this, what).run();
        }
      }
      return replicated;
    }
  }

  /** Ends the block group, so that its bytes are durable; called with {@code collecting} held. */
  private void seal(String what) throws IOException {
    try {
      if (collected == groupStart) {
        checkLease(this);
        return;
      }
      if (Thread.interrupted()) {
        throw new InterruptedIOException("interrupted");
      }
      seals.begin();
    } catch (IOException e) {
      throw ReplicatedSwitch.failure(what, getSrc(), e);
    }
    // DataNodes force blocks to their disks from now on; an hsync may follow an hflush.
    shouldSyncBlock = true;
    Stripe partial = current;
    try {
      if (partial != null) {
        sender.holdParity();
        partial.retain();
        current = null;
        pipeline.submit(partial);
      }
      awaitSent();
      IOException failure = pipeline.failure();
      if (failure != null) {
        throw failure;
      }
      sender.sealGroup(partial, seals);
      groupStart = collected;
    } catch (IOException e) {
      throw failed(e);
    } catch (RuntimeException | Error e) {
      throw failed(new IOException("Cannot " + what + " " + getSrc() + ": " + e, e));
    } finally {
      if (partial != null) {
        partial.release();
      }
    }
  }

  /**
   * Until a stripe is full, the DataNodes have no block of the group: Hadoop before 3.5 cannot
   * recover the lease of a file whose last group has DataNodes and too few blocks. A file that
   * becomes replicated before that has no group; otherwise the NameNode would keep space on its
   * DataNodes for blocks that never come, for up to 20 minutes ({@code
   * DatanodeDescriptor.getBlocksScheduled}).
   */
  @Override
  boolean opensGroupsLate() {
    return true;
  }

  /** A full group may be sealed, too: its blocks end in the order of {@code sealGroup}. */
  @Override
  boolean endsGroupsLate() {
    return seals.mayBeAny();
  }

  @Override
  protected synchronized void closeImpl() throws IOException {
    if (closed || !seals.isAny() || collected > groupStart) {
      try {
        super.closeImpl();
      } finally {
        sender.restoreInterrupt();
      }
      return;
    }
    try {
      closeThreads(true);
      seals.close();
    } catch (IOException | RuntimeException | Error e) {
      // A second close must fail, too, with an exception that can be added to this one.
      WriteCompat.setLastException(this, new IOException(cannotWrite() + e, e));
      throw e;
    } finally {
      setClosed();
    }
  }

  /**
   * Waits until all full stripes are acknowledged; called with {@code collecting} held. Failures
   * are handled only within a group: a streamer that fails between groups has sent its part, and is
   * replaced when the next one is allocated.
   *
   * <p>If too many streamers have failed, the stream has failed, too: Hadoop has then closed the
   * other streamers, and {@code close} would return although the file is not complete. The stream
   * has also failed if this thread is interrupted while failures are being handled, because the
   * streamers then wait forever for the remaining steps of Hadoop's protocol.
   */
  void awaitAcknowledged() throws IOException {
    awaitSent();
    long sent = collected - groupStart - (current == null ? 0 : current.size());
    boolean canGoOn = true;
    try {
      synchronized (this) {
        flushAllInternals();
        canGoOn = false;
        if (sent % groupSize > 0) {
          WriteCompat.checkStreamerFailures(this, false);
        }
      }
    } catch (IOException e) {
      boolean isInterrupt = Interrupts.isInterrupt(e);
      throw isInterrupt && canGoOn ? e : failed(isInterrupt ? e : named(e));
    }
  }

  /** Ends the block group on its DataNodes, without a call to the NameNode. */
  void endGroupOnDataNodes() throws IOException {
    sender.endPartialGroup(layout.units());
  }

  /** Lets a replicated file take all further bytes; called with {@code collecting} held. */
  void becomes(ReplicatedFile file) {
    replicated = file;
  }

  /**
   * Ends the striped file's streamers without a call to the NameNode; the stream has not failed.
   */
  void dropStriped() throws IOException {
    try {
      pipeline.finish();
    } finally {
      try {
        endStreamers();
      } finally {
        LeaseCompat.end(client, this);
      }
    }
  }

  /**
   * Ends the streamers. Hadoop's abort would do nothing if the replicated file, for which {@link
   * #isClosed()} already answers, has ended.
   */
  private void endStreamers() throws IOException {
    try {
      synchronized (this) {
        if (!closed) {
          closeThreads(true);
        }
      }
    } finally {
      releaseAll();
    }
  }

  @Override
  public boolean hasCapability(String capability) {
    switch (capability.toLowerCase(Locale.ROOT)) {
      case StreamCapabilities.HFLUSH:
      case StreamCapabilities.HSYNC:
        return true;
      default:
        return super.hasCapability(capability);
    }
  }

  @Override
  public void close() throws IOException {
    ReplicatedFile to;
    synchronized (collecting) {
      to = replicated;
      closing = true;
    }
    if (to == null) {
      sender.holdParity();
      super.close();
    } else {
      to.close();
    }
  }

  @Override
  void abort() throws IOException {
    ReplicatedFile to = replicated;
    if (to == null) {
      super.abort();
    } else {
      to.abort();
    }
  }

  @Override
  public int getCurrentBlockReplication() throws IOException {
    ReplicatedFile to = replicated;
    return to == null ? super.getCurrentBlockReplication() : to.file().getCurrentBlockReplication();
  }

  @Override
  public DatanodeInfo[] getPipeline() {
    ReplicatedFile to = replicated;
    return to == null ? super.getPipeline() : to.file().getPipeline();
  }

  @Override
  ExtendedBlock getBlock() {
    ReplicatedFile to = replicated;
    return to == null ? super.getBlock() : to.file().getBlock();
  }

  @Override
  boolean isClosed() {
    ReplicatedFile to = replicated;
    return to == null ? super.isClosed() : to.file().isClosed();
  }

  @Override
  public void setDropBehind(Boolean dropBehind) throws IOException {
    ReplicatedFile to = replicated;
    if (to == null) {
      super.setDropBehind(dropBehind);
    } else {
      to.file().setDropBehind(dropBehind);
    }
  }
}
