// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketReceiver;
import org.stripeline.client.write.Stripe;
import org.stripeline.client.write.StripeLayout;
import org.stripeline.client.write.StripeSink;

/**
 * Queues stripes to the streamers of a striped stream and keeps to Hadoop's protocol at stripe and
 * group boundaries: {@code DFSStripedOutputStream.writeChunk}, by the stripe.
 */
final class StripeSender implements StripeSink {
  private final StripelineOutputStream stream;
  private final PacketWire wire;

  StripeSender(StripelineOutputStream stream) {
    this.stream = stream;
    this.wire = new PacketWire(stream.dfsClient);
  }

  @Override
  public void openGroup() throws IOException {
    synchronized (stream) {
      checkOpen();
      wire.groupOpens();
      WriteCompat.allocateNewBlock(stream);
    }
  }

  @Override
  public void send(Stripe stripe) throws IOException {
    synchronized (stream) {
      checkOpen();
      ExtendedBlock group = stream.currentGroup();
      group.setNumBytes(group.getNumBytes() + stripe.size());
      for (int unit = 0; unit < stripe.layout().units(); unit++) {
        queue(stripe, unit);
      }
      if (!stripe.isFull()) {
        // The last one; closing the stream looks after failures.
        return;
      }
      if (group.getNumBytes() == stream.blockSize * stripe.layout().dataUnits()) {
        endGroup(stripe.layout().units());
      } else {
        WriteCompat.checkStreamerFailures(stream, true);
      }
    }
  }

  /** An aborted stream must not start streamers again. */
  private void checkOpen() throws IOException {
    stream.dfsClient.checkOpen();
    stream.checkClosed();
  }

  private void queue(Stripe stripe, int unit) throws IOException {
    StripedDataStreamer streamer = stream.getStripedDataStreamer(unit);
    int length = stripe.length(unit);
    int step = packetData(stripe.layout());
    for (int offset = 0; offset < length && streamer.isHealthy(); offset += step) {
      int count = Math.min(step, length - offset);
      CellPacket packet =
          new CellPacket(
              wire,
              streamer,
              stripe,
              unit,
              offset,
              count,
              streamer.getBytesCurBlock(),
              streamer.getAndIncCurrentSeqno());
      streamer.incBytesCurBlock(count);
      boolean queued = false;
      try {
        streamer.waitAndQueuePacket(packet);
        // A closed streamer drops the packet without a word.
        queued = streamer.getLastQueuedSeqno() == packet.getSeqno();
      } catch (IOException | RuntimeException e) {
        WriteCompat.handleStreamerFailure(
            stream, "unit=" + unit + ", offset=" + offset + ", length=" + count, e, streamer);
      } finally {
        if (!queued) {
          packet.releaseBuffer(stream.byteArrayManager);
        }
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
          // As Hadoop's: the next group finds the streamer unhealthy and replaces it.
          DFSClient.LOG.debug("Ending internal block {} of {}", unit, stream.getSrc(), e);
        }
      }
    }
    WriteCompat.setCurrentStreamer(stream, 0);
  }
}
