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
 * A packet that refers to the data and checksums in its stripe instead of copying them.
 *
 * <p>It holds a reference to the stripe until the streamer releases the packet, which happens after
 * the acknowledgement; until then the streamer may send the packet again. Methods are synchronized
 * as in the base class, so that no buffer is released while another thread sends it.
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
   * Creates a packet and takes a reference to the stripe.
   *
   * @param streamer the streamer that will send the packet
   * @param unit the index of the unit in the stripe
   * @param offsetInCell the offset of the data in the unit
   * @param length bytes of data
   * @param offsetInBlock the offset of the data in the internal block
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
      stripe.release();
      stripe = null;
    }
  }

  @Override
  synchronized long getLastByteOffsetBlock() {
    return offsetInBlock + length;
  }
}
