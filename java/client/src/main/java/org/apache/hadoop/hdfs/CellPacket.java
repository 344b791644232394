// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.util.ByteArrayManager;
import org.stripeline.client.write.Stripe;

/**
 * A packet whose data and checksums stay in the stripe that they were collected and encoded in.
 *
 * <p>It holds a reference to the stripe until the streamer releases it, which is after the
 * acknowledgement; until then it may be sent again. Synchronized as its base class is, so that
 * buffers are never given back under a thread that sends them.
 */
final class CellPacket extends DFSPacket {
  private static final byte[] NO_BUFFER = new byte[0];

  private final PacketWire wire;
  private final StripedDataStreamer streamer;
  private final int unit;
  private final int offsetInCell;
  private final int length;
  private final long offsetInBlock;
  private Stripe stripe;

  /**
   * Creates a packet; the reference that it holds is taken here.
   *
   * @param streamer which streamer will send it
   * @param unit which unit of the stripe
   * @param offsetInCell where the data start in the unit
   * @param length bytes of data
   * @param offsetInBlock where they start in the internal block
   */
  CellPacket(
      PacketWire wire,
      StripedDataStreamer streamer,
      Stripe stripe,
      int unit,
      int offsetInCell,
      int length,
      long offsetInBlock,
      long seqno) {
    super(NO_BUFFER, 0, offsetInBlock, seqno, stripe.layout().checksumSize(), false);
    this.wire = wire;
    this.streamer = streamer;
    this.unit = unit;
    this.offsetInCell = offsetInCell;
    this.length = length;
    this.offsetInBlock = offsetInBlock;
    stripe.retain();
    this.stripe = stripe;
  }

  @Override
  public synchronized void writeTo(DataOutputStream out) throws IOException {
    if (stripe == null) {
      throw new ClosedChannelException();
    }
    ByteBuffer checksums = stripe.checksums(unit, offsetInCell, length);
    ByteBuffer data = stripe.data(unit, offsetInCell, length);
    PacketHeader header =
        new PacketHeader(
            HdfsConstants.BYTES_IN_INTEGER + length + checksums.remaining(),
            offsetInBlock,
            getSeqno(),
            false,
            length,
            false);
    wire.write(streamer, out, ByteBuffer.wrap(header.getBytes()), checksums, data);
  }

  @Override
  synchronized void releaseBuffer(ByteArrayManager manager) {
    if (stripe != null) {
      Stripe done = stripe;
      stripe = null;
      done.release();
    }
  }

  @Override
  synchronized long getLastByteOffsetBlock() {
    return offsetInBlock + length;
  }
}
