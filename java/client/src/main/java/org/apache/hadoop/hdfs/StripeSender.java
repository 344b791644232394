// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketReceiver;
import org.apache.hadoop.util.DataChecksum;
import org.stripeline.client.write.Stripe;
import org.stripeline.client.write.StripeLayout;
import org.stripeline.client.write.StripeSink;
import org.stripeline.natives.Ticker;

/**
 * Queues stripes to the streamers of a striped stream and follows Hadoop's protocol at stripe and
 * group boundaries. It does for whole stripes what {@code DFSStripedOutputStream.writeChunk} does
 * for chunks.
 */
final class StripeSender implements StripeSink {
  /** The maximum number of data bytes in a packet that copies its data. */
  private static final int COPY = 64 << 10;

  /** How long close waits for the DataNodes to report the data of the last block group. */
  private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * The first pause between two calls of {@code complete}; each pause is twice as long as the one
   * before, up to {@link #RETRY_NANOS_MAX}.
   */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final long RETRY_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(400);

  private final StripelineOutputStream stream;
  private final PacketWire wire;
  private final Ticker ticker;

  /**
   * Whether the parity of a stripe that is not full is left to {@link #sealGroup} or {@link
   * #endLastGroup}. Set before the stripe is submitted.
   */
  private volatile boolean holdsParity;

  /**
   * Whether the current group is full and has not ended on its DataNodes. Guarded by the stream's
   * monitor.
   */
  private boolean isEndDue;

  /** Whether the closing thread was interrupted. Guarded by the stream's monitor. */
  private boolean wasInterrupted;

  StripeSender(StripelineOutputStream stream, Ticker ticker) {
    this.stream = stream;
    this.ticker = ticker;
    this.wire = new PacketWire(stream.dfsClient);
  }

  @Override
  public void openGroup() throws IOException {
    synchronized (stream) {
      checkOpen();
      try {
        if (isEndDue) {
          isEndDue = false;
          endGroup(stream.layout.units());
        }
        wire.groupOpens();
        WriteCompat.allocateNewBlock(stream, stream.layout.units());
        stream.groupOpened();
      } catch (IOException e) {
        throw stream.named(e);
      }
    }
  }

  @Override
  public void send(Stripe stripe) throws IOException {
    synchronized (stream) {
      checkOpen();
      try {
        queue(stripe);
      } catch (IOException e) {
        throw stream.named(e);
      }
    }
  }

  private void queue(Stripe stripe) throws IOException {
    ExtendedBlock group = stream.currentGroup();
    group.setNumBytes(group.getNumBytes() + stripe.size());
    boolean isParityLater = holdsParity && !stripe.isFull();
    int units = isParityLater ? stripe.layout().dataUnits() : stripe.layout().units();
    for (int unit = 0; unit < units; unit++) {
      queue(stripe, unit);
    }
    if (!stripe.isFull()) {
      // This is the last stripe of its group; sealing or closing the stream handles failures.
      return;
    }
    if (group.getNumBytes() == stream.groupSize && !stream.endsGroupsLate()) {
      endGroup(stripe.layout().units());
    } else {
      WriteCompat.checkStreamerFailures(stream, true);
      isEndDue = group.getNumBytes() == stream.groupSize;
    }
  }

  /** Throws if the client or the stream is closed: an aborted stream must not restart streamers. */
  private void checkOpen() throws IOException {
    stream.dfsClient.checkOpen();
    stream.checkClosed();
  }

  /**
   * Queues copies of the complete checksum chunks of a stripe that is still being filled. Parity
   * follows with the stripe. The caller must ensure that no other data is on its way to the
   * streamers.
   */
  void sendPart(Stripe stripe) throws IOException {
    StripeLayout layout = stripe.layout();
    synchronized (stream) {
      checkOpen();
      // These packets and all that follow them on the same connections go through Hadoop's stream.
      wire.copyThisGroup();
      for (int unit = 0; unit < layout.dataUnits(); unit++) {
        int end = stripe.length(unit);
        end -= end % layout.bytesPerChecksum();
        for (int at = stripe.sent(unit); at < end; at = stripe.sent(unit)) {
          int count = Math.min(COPY, end - at);
          count -= count > layout.bytesPerChecksum() ? count % layout.bytesPerChecksum() : 0;
          queueCopy(stripe, unit, at, count);
          stripe.setSent(unit, at + count);
        }
      }
    }
  }

  private void queueCopy(Stripe stripe, int unit, int offset, int length) throws IOException {
    StripedDataStreamer streamer = stream.getStripedDataStreamer(unit);
    if (!streamer.isHealthy()) {
      giveUp(unit);
      return;
    }
    int chunk = stripe.layout().bytesPerChecksum();
    byte[] data = new byte[length];
    stripe.data(unit, offset, length).get(data);
    byte[] sums = new byte[length / chunk * stripe.layout().checksumSize()];
    DataChecksum.newDataChecksum(stream.checksumType(), chunk)
        .calculateChunkedSums(data, 0, length, sums, 0);
    DFSPacket packet =
        stream.createPacket(
            length + sums.length,
            length / chunk,
            streamer.getBytesCurBlock(),
            streamer.getAndIncCurrentSeqno(),
            false);
    packet.writeChecksum(sums, 0, sums.length);
    packet.writeData(data, 0, length);
    queue(streamer, packet, length, unit);
  }

  private void queue(Stripe stripe, int unit) throws IOException {
    StripedDataStreamer streamer = stream.getStripedDataStreamer(unit);
    int from = stripe.sent(unit);
    int length = stripe.length(unit);
    int step = packetData(stripe.layout());
    int at = from;
    for (; at < length && streamer.isHealthy(); at += step) {
      int count = Math.min(step, length - at);
      CellPacket packet =
          new CellPacket(
              wire,
              streamer,
              stripe,
              unit,
              at,
              count,
              streamer.getBytesCurBlock(),
              streamer.getAndIncCurrentSeqno());
      queue(streamer, packet, count, unit);
    }
    // A streamer that was unhealthy and lacks bytes may be healthy again by now.
    if (at < length || from < length && !streamer.isHealthy()) {
      giveUp(unit);
    }
  }

  /**
   * Gives up a streamer that may not have received all bytes of its block. Hadoop lets a streamer
   * continue when its DataNode is back after a restart. The bytes that were not queued during the
   * restart would be missing from the block: later bytes would be written at too low an offset,
   * with valid checksums.
   */
  private void giveUp(int unit) throws IOException {
    StripedDataStreamer streamer = stream.getStripedDataStreamer(unit);
    if (!streamer.streamerClosed()) {
      IOException cause =
          new IOException("Cannot write internal block " + unit + ": its DataNode restarts");
      WriteCompat.handleStreamerFailure(stream, "unit=" + unit, cause, streamer);
    }
  }

  private void queue(StripedDataStreamer streamer, DFSPacket packet, int length, int unit)
      throws IOException {
    streamer.incBytesCurBlock(length);
    boolean queued = false;
    try {
      streamer.waitAndQueuePacket(packet);
      // A closed streamer drops the packet silently.
      queued = streamer.getLastQueuedSeqno() == packet.getSeqno();
    } catch (IOException | RuntimeException e) {
      WriteCompat.handleStreamerFailure(
          stream, "unit=" + unit + ", " + packet + ", length=" + length, e, streamer);
    } finally {
      if (!queued) {
        packet.releaseBuffer(stream.byteArrayManager);
      }
    }
  }

  private int packetData(StripeLayout layout) {
    int room = PacketReceiver.MAX_PACKET_SIZE - PacketHeader.PKT_MAX_HEADER_LEN;
    return stream.settings().packetData(layout, room);
  }

  private void endGroup(int units) throws IOException {
    stream.flushAllInternals();
    WriteCompat.checkStreamerFailures(stream, false);
    for (int unit = 0; unit < units; unit++) {
      WriteCompat.setCurrentStreamer(stream, unit);
      if (stream.getStripedDataStreamer(unit).isHealthy()) {
        try {
          stream.endBlock();
        } catch (IOException e) {
          // As in Hadoop: the next group finds the streamer unhealthy and replaces it.
          DFSClient.LOG.debug("Ending internal block {} of {}", unit, stream.getSrc(), e);
        }
      } else {
        giveUp(unit);
      }
    }
    WriteCompat.setCurrentStreamer(stream, 0);
  }

  /**
   * Sends the last packets of a block group that may be incomplete, and waits for their
   * acknowledgements. Nothing can be written to the group after that.
   */
  void endPartialGroup(int units) throws IOException {
    synchronized (stream) {
      endUnits(0, units);
    }
  }

  /** Sends the last packets of internal blocks, and waits for their acknowledgements. */
  private void endUnits(int from, int to) throws IOException {
    for (int unit = from; unit < to; unit++) {
      StripedDataStreamer streamer = stream.getStripedDataStreamer(unit);
      boolean isHealthy = streamer.isHealthy();
      if (isHealthy && streamer.getBytesCurBlock() > 0) {
        WriteCompat.setCurrentStreamer(stream, unit);
        try {
          stream.setCurrentPacketToEmpty();
          stream.enqueueCurrentPacket();
        } catch (IOException e) {
          WriteCompat.handleStreamerFailure(stream, "unit=" + unit, e, streamer);
        }
        streamer.setBytesCurBlock(0);
      } else if (!isHealthy) {
        giveUp(unit);
      }
    }
    WriteCompat.setCurrentStreamer(stream, 0);
    stream.flushAllInternals();
  }

  /** Makes a stripe that is not full wait with its parity until its group ends. */
  void holdParity() {
    holdsParity = true;
  }

  /**
   * Ends the last block group of the file, whose data has been queued; the caller holds the
   * stream's monitor. Parity that was held is sent after the NameNode has completed the file: if it
   * were there earlier, a recovery of the lease could append the zeros that complete the stripe
   * ({@code BlockRecoveryWorker.getSafeLength}). The NameNode rebuilds parity that fails then.
   *
   * @param last the stripe at the end of the group that is not full, or null
   * @return whether the NameNode has completed the file
   */
  boolean endLastGroup(Stripe last) throws IOException {
    StripeLayout layout = stream.layout;
    boolean isParityLater = holdsParity && last != null;
    stream.flushAllInternals();
    boolean haveAllBegun = stream.currentGroup().getNumBytes() >= layout.stripeSize();
    if (isParityLater && haveAllBegun && !lacksData(layout)) {
      // Lost parity: the generation stamp is raised, for which all other blocks must have begun.
      WriteCompat.checkStreamerFailures(stream, false);
    }
    if (isParityLater && lacksData(layout)) {
      // Parity replaces lost data, and Hadoop needs it to raise the generation stamp.
      queueParity(last, layout);
      stream.flushAllInternals();
      isParityLater = false;
    }
    if (!isParityLater) {
      WriteCompat.checkStreamerFailures(stream, false);
      endInTurn(0, layout.units());
      return false;
    }
    endInTurn(0, layout.dataUnits());
    boolean isComplete = !lacksData(layout) && awaitComplete();
    try {
      queueParity(last, layout);
      endInTurn(layout.dataUnits(), layout.units());
    } catch (IOException e) {
      if (!isComplete) {
        throw e;
      }
      DFSClient.LOG.warn("{} is closed without all of its parity", stream.getSrc(), e);
    }
    return isComplete;
  }

  /**
   * Waits until the NameNode has completed the file, for which it needs the reports of the
   * DataNodes that have the data. That the length is committed is not enough: a NameNode that
   * restarts forgets it, and recovers a committed group that is not complete like any other.
   *
   * @return whether it has; if not in time, parity is needed to complete the file
   */
  private boolean awaitComplete() throws IOException {
    long start = ticker.nanos();
    long pause = RETRY_NANOS;
    while (!complete()) {
      if (ticker.nanos() - start > REPORT_NANOS) {
        DFSClient.LOG.warn(
            "DataNodes have not reported the data of the last block group of {} within {} s; its"
                + " parity is sent before the NameNode has completed the file",
            stream.getSrc(),
            TimeUnit.NANOSECONDS.toSeconds(REPORT_NANOS));
        return false;
      }
      try {
        ticker.sleep(pause);
      } catch (InterruptedException e) {
        // As in Hadoop: an interrupt does not end the wait for the NameNode.
        wasInterrupted = true;
      }
      pause = Math.min(2 * pause, RETRY_NANOS_MAX);
    }
    // An interrupt would end the parity that follows.
    wasInterrupted |= Thread.interrupted();
    return true;
  }

  /**
   * Ends internal blocks one after another, as Hadoop does. When the last one has ended, the
   * NameNode usually knows of all others and completes the file at once; if all ended at the same
   * time, it would more often have to be asked again, which Hadoop does after 400 ms.
   */
  private void endInTurn(int from, int to) throws IOException {
    for (int unit = from; unit < to; unit++) {
      WriteCompat.setCurrentStreamer(stream, unit);
      StripedDataStreamer streamer = stream.getStripedDataStreamer(unit);
      if (streamer.isHealthy()) {
        try {
          if (streamer.getBytesCurBlock() > 0) {
            stream.setCurrentPacketToEmpty();
          }
          stream.flushInternal();
        } catch (IOException e) {
          // As in Hadoop: the NameNode decides whether enough blocks have ended.
          DFSClient.LOG.debug("Ending internal block {} of {}", unit, stream.getSrc(), e);
        }
      }
    }
    WriteCompat.setCurrentStreamer(stream, 0);
  }

  /** Interrupts the closing thread again if it was interrupted while it had to go on. */
  void restoreInterrupt() {
    if (wasInterrupted) {
      wasInterrupted = false;
      Thread.currentThread().interrupt();
    }
  }

  /** Makes the NameNode commit the last group; returns whether it has completed the file. */
  boolean complete() throws IOException {
    DFSClient client = stream.dfsClient;
    return client.namenode.complete(
        stream.getSrc(), client.clientName, stream.currentGroup(), stream.getFileId());
  }

  /**
   * Ends the current block group, which may be incomplete: first the internal blocks with data,
   * then, once its length is journaled, those with parity. All data has been queued. The NameNode
   * needs as many ended blocks as there are blocks with data; parity replaces those that are lost.
   * Otherwise the parity stays open, by which {@link SealedGroups} sees what the NameNode knows.
   *
   * @param last the stripe at the end of the group whose parity is not queued, or null
   */
  void sealGroup(Stripe last, SealedGroups groups) throws IOException {
    StripeLayout layout = stream.layout;
    synchronized (stream) {
      holdsParity = false;
      isEndDue = false;
      checkOpen();
      try {
        stream.flushAllInternals();
        // Hadoop can raise the generation stamp only if all parity blocks have begun.
        if (stream.currentGroup().getNumBytes() >= layout.stripeSize()) {
          WriteCompat.checkStreamerFailures(stream, false);
        }
        boolean isClosed = groups.begin(openParity(layout));
        endUnits(0, layout.dataUnits());
        boolean isDataLost = lacksData(layout);
        isClosed |= isDataLost && groups.commit();
        boolean needsParity = isClosed || isDataLost;
        if (needsParity) {
          endParity(last, layout);
        }
        if (isClosed) {
          throw new IOException(
              "the NameNode closed the file when its last block group was committed"
                  + " (dfs.namenode.file.close.num-committed-allowed)");
        }
        groups.journal();
        if (!needsParity) {
          endParity(last, layout);
        }
        WriteCompat.endIdleStreamers(stream, layout);
      } catch (IOException e) {
        throw stream.named(e);
      }
    }
  }

  /**
   * Returns a unit of parity whose block is not lost, or the number of units if there is none or
   * parity replaces lost data.
   */
  private int openParity(StripeLayout layout) {
    int from = lacksData(layout) ? layout.units() : layout.dataUnits();
    return IntStream.range(from, layout.units())
        .filter(unit -> stream.getStripedDataStreamer(unit).isHealthy())
        .findFirst()
        .orElse(layout.units());
  }

  private boolean lacksData(StripeLayout layout) {
    long bytes = stream.currentGroup().getNumBytes();
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      if (layout.hasBytes(unit, bytes) && !stream.getStripedDataStreamer(unit).isHealthy()) {
        return true;
      }
    }
    return false;
  }

  private void endParity(Stripe last, StripeLayout layout) throws IOException {
    queueParity(last, layout);
    endUnits(layout.dataUnits(), layout.units());
  }

  private void queueParity(Stripe stripe, StripeLayout layout) throws IOException {
    for (int unit = layout.dataUnits(); stripe != null && unit < layout.units(); unit++) {
      queue(stripe, unit);
    }
  }
}
