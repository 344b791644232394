// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.Interrupts;
import org.stripeline.natives.Ticker;

/**
 * The block groups of one stream that end at a sync: their bytes are durable although the file is
 * open. The NameNode journals the length of a group only when the next one is allocated. So a sync
 * ends the group, allocates the next one, and tells the NameNode that no DataNode has it. When
 * bytes follow, the same group is allocated again and gets DataNodes; if none follow, closing the
 * file removes it.
 *
 * <p>The data of a group end before its length is journaled, and the parity of its last stripe is
 * sent after that. If the parity of a partial stripe were there earlier, a recovery of the lease
 * could append zeros to the file: it derives the length of the group from the length of a block,
 * and a parity block is as long as the longest data block ({@code
 * BlockRecoveryWorker.getSafeLength}).
 */
final class SealedGroups {
  /** How long a sync waits for the DataNodes of a group to report that its data have ended. */
  private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** The steps of ending a group whose data are acknowledged. */
  enum Step {
    END,
    JOURNAL,
    FORGET_NODES,
    PARITY
  }

  /** Is told of each step before it begins; a test ends the writer there. */
  interface Listener {
    void begins(Step step) throws IOException;
  }

  private final StripelineDFSClient client;
  private final DurableOutputStream stream;
  private final int groupsMax;
  private final Ticker ticker;

  private volatile Listener listener = step -> {};

  // Guarded by the stream's lock of collected bytes.
  private int count;

  /** The last group as the NameNode knew it before its blocks ended; null if it is committed. */
  private LocatedStripedBlock writing;

  /** The path of the file by its inode, or its path where inodes cannot be named; null at first. */
  private String target;

  SealedGroups(
      StripelineDFSClient client, DurableOutputStream stream, int groupsMax, Ticker ticker) {
    this.client = client;
    this.stream = stream;
    this.groupsMax = groupsMax;
    this.ticker = ticker;
  }

  void setListener(Listener listener) {
    this.listener = listener;
  }

  /** Returns whether a group of the stream has ended at a sync. */
  boolean isAny() {
    return count > 0;
  }

  /** Returns whether groups may end at a sync. */
  boolean mayBeAny() {
    return groupsMax > 0;
  }

  /** Counts a group; throws if there are too many. Called before anything is sent. */
  void begin() throws IOException {
    if (count >= groupsMax) {
      throw new IOException(
          "it is too large to become replicated ("
              + ClientKeys.WRITE_SYNC_SWITCH_MAX
              + "), and "
              + count
              + " of its block groups have ended at a sync, of at most "
              + groupsMax
              + " ("
              + ClientKeys.WRITE_SYNC_GROUPS_MAX
              + "). Nothing is lost, but bytes written since the last sync are durable only when"
              + " the file is closed. Sync the file while it is small, less often, or write it"
              + " replicated");
    }
    if (target == null) {
      if (client.readsFromObservers()) {
        throw new IOException(
            "it is too large to become replicated, and only the active NameNode, but no observer,"
                + " knows when a block group has ended: use another "
                + HdfsClientConfigKeys.Failover.PROXY_PROVIDER_KEY_PREFIX);
      }
      target = target();
    }
    // Waiting for the DataNodes needs permission to read the file, and close may need to write it.
    client.namenode.checkAccess(target, FsAction.READ_WRITE);
    count++;
    if (count == groupsMax / 2) {
      DFSClient.LOG.warn(
          "{} block groups of {} have ended at a sync; a sync fails when {} have: sync less often,"
              + " or begin a new file",
          count,
          stream.getSrc(),
          groupsMax);
    }
  }

  /**
   * Begins to end the last block group, whose bytes are acknowledged. If the NameNode names the
   * DataNode of a unit of parity that stays open, it hears of the group when the next one is
   * allocated. Otherwise the length is committed first: the file stays open because no DataNode has
   * reported a finished block.
   *
   * @param open a unit of parity whose block ends last, or the number of units if there is none
   * @return whether the NameNode has closed the file, as in {@link #commit}
   */
  boolean begin(int open) throws IOException {
    listener.begins(Step.END);
    writing =
        (LocatedStripedBlock) client.namenode.getBlockLocations(target, 0, 1).getLastLocatedBlock();
    return node(writing, open) == null && commit();
  }

  /**
   * Makes the NameNode commit the length of the last group, unless it has done so. This comes
   * before any parity that replaces lost data: a recovery of the lease would derive the length of
   * the group from that parity and append zeros, but takes the committed length once the DataNodes
   * have reported the group.
   *
   * @return whether the NameNode has closed the file, as it does if it allows blocks of closed
   *     files that are only committed; the blocks must still end then
   */
  boolean commit() throws IOException {
    if (writing == null) {
      return false;
    }
    writing = null;
    return stream.sender.complete();
  }

  /** Returns the DataNode of an internal block, or null. */
  private static String node(LocatedStripedBlock group, int unit) {
    byte[] units = group.getBlockIndices();
    return IntStream.range(0, units.length)
        .filter(i -> units[i] == unit)
        .mapToObj(i -> group.getLocations()[i].getDatanodeUuid())
        .findFirst()
        .orElse(null);
  }

  /**
   * Makes the NameNode commit and journal the length of the last group, whose data have ended on
   * the DataNodes, and forget the DataNodes of the next one. It does the latter when the DataNodes
   * have reported the last group.
   *
   * <p>That order is what keeps the edit log readable: recovering the lease of a file with a group
   * that is not complete, followed by an empty one without DataNodes, removes the empty one without
   * a record and then raises the generation stamp of the first, and a NameNode that reads the
   * record of that ends ({@code FSNamesystem.internalReleaseLease}, {@code
   * FSEditLogLoader.updateBlocks}).
   */
  void journal() throws IOException {
    if (writing == null) {
      awaitReport(this::isLastGroupReported);
    }
    listener.begins(Step.JOURNAL);
    try {
      allocateEmptyGroup();
    } catch (IOException e) {
      if (!Interrupts.isInterrupt(e)) {
        throw e;
      }
      // Hadoop before 3.5 never closes a file whose last group has DataNodes and no data.
      boolean isInterrupted = Thread.interrupted();
      try {
        allocateEmptyGroup();
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
      throw e;
    }
    listener.begins(Step.PARITY);
  }

  /** Allocates the next group, or finds it, and makes the NameNode forget its DataNodes. */
  private void allocateEmptyGroup() throws IOException {
    ExtendedBlock allocated =
        DFSOutputStream.addBlock(
                null,
                client,
                stream.getSrc(),
                stream.currentGroup(),
                stream.getFileId(),
                null,
                EnumSet.noneOf(AddBlockFlag.class))
            .getBlock();
    if (writing != null) {
      awaitReport(this::isReportedWithoutParity);
    }
    listener.begins(Step.FORGET_NODES);
    UnrecoverableGroup.forgetNodes(client, allocated, client.clientName, stream.layout.units());
  }

  /** A question to the NameNode. */
  private interface Question {
    boolean ask() throws IOException;
  }

  private void awaitReport(Question isReported) throws IOException {
    long end = ticker.nanos() + REPORT_NANOS;
    while (!isReported.ask()) {
      if (ticker.nanos() - end > 0) {
        throw new IOException(
            "its DataNodes have not reported the last block group within "
                + TimeUnit.NANOSECONDS.toSeconds(REPORT_NANOS)
                + " s");
      }
      pause();
    }
  }

  /**
   * Returns whether the NameNode calls the last group complete, or will do so when the next one is
   * allocated. The second case is that of a NameNode that restarted or became active after the
   * commit: it does not know of the commit, but has the reports of the DataNodes.
   */
  private boolean isLastGroupReported() throws IOException {
    ExtendedBlock group = stream.currentGroup();
    long bytes = group.getNumBytes();
    LocatedBlocks blocks = client.namenode.getBlockLocations(target, 0, 1);
    LocatedBlock last = blocks.getLastLocatedBlock();
    if (last == null || last.getBlock().getBlockId() != group.getBlockId()) {
      return false;
    }
    return blocks.isLastBlockComplete()
        || (last.getBlock().getNumBytes() < bytes && hasEnoughNodes(last));
  }

  /** Returns whether the NameNode names as many DataNodes as must have reported the group. */
  private boolean hasEnoughNodes(LocatedBlock group) {
    return group.getLocations().length >= neededBlocks();
  }

  private long neededBlocks() {
    long cells = (stream.currentGroup().getNumBytes() - 1) / stream.layout.cellSize() + 1;
    return Math.min(cells, stream.layout.dataUnits());
  }

  /**
   * Returns whether the NameNode calls the group complete that was the last one; only its blocks
   * with data have ended. Before that it names the DataNodes that were to write the group; after
   * that those that have reported a block, without those of parity. HDFS may have rebuilt a block
   * of parity on another one. A NameNode that restarted before it heard of the end names only what
   * was reported to it, which can be parity that has not ended.
   */
  private boolean isReportedWithoutParity() throws IOException {
    ExtendedBlock group = stream.currentGroup();
    long end = stream.getInitialLen() + stream.collected;
    LocatedBlocks blocks = client.namenode.getBlockLocations(target, end - 1, 1);
    for (LocatedBlock block : blocks.getLocatedBlocks()) {
      if (block.getBlock().getBlockId() == group.getBlockId()) {
        return block.getBlockSize() == group.getNumBytes()
            && isParityNamedNoMore((LocatedStripedBlock) block);
      }
    }
    return false;
  }

  private boolean isParityNamedNoMore(LocatedStripedBlock now) {
    int dataUnits = stream.layout.dataUnits();
    long named = IntStream.range(0, dataUnits).filter(unit -> node(now, unit) != null).count();
    return named >= neededBlocks()
        && IntStream.range(dataUnits, stream.layout.units())
            .mapToObj(unit -> new String[] {node(writing, unit), node(now, unit)})
            .anyMatch(nodes -> nodes[0] != null && !nodes[0].equals(nodes[1]));
  }

  private void pause() throws IOException {
    try {
      ticker.sleep(RETRY_NANOS);
    } catch (InterruptedException e) {
      throw (IOException)
          new InterruptedIOException(
                  "Interrupted while the DataNodes of " + stream.getSrc() + " report")
              .initCause(e);
    }
  }

  /**
   * Closes the file without the empty group at its end, which Hadoop does only when it recovers a
   * lease; the group before is complete. The NameNode goes on counting the space of the empty group
   * for quotas until it is restarted ({@code FSNamesystem.internalReleaseLease} does not give it
   * back).
   */
  void close() throws IOException {
    stream.checkLease(stream);
    stream.status(target);
    if (!client.namenode.recoverLease(target, client.clientName)) {
      throw new IOException(
          "Cannot close "
              + stream.getSrc()
              + ": the NameNode has begun to recover its last block group. All bytes are durable;"
              + " the file closes by itself");
    }
  }

  /**
   * Returns the path of the file by its inode, or its own path if inodes are those of another
   * namespace: a Router sends calls with the path of an inode to its default one.
   */
  private String target() throws IOException {
    HdfsFileStatus file = stream.status();
    HdfsFileStatus same = new TemporaryFiles(client).byInodeOfDirectory(stream.getSrc());
    boolean isSame =
        same != null
            && same.getFileId() == file.getFileId()
            && same.getModificationTime() == file.getModificationTime()
            && same.getAccessTime() == file.getAccessTime()
            && same.getLen() == file.getLen()
            && same.getOwner().equals(file.getOwner());
    return isSame ? TemporaryFiles.INODES + file.getFileId() : stream.getSrc();
  }
}
