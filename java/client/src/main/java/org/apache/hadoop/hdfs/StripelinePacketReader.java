// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ClientReadStatusProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ReadOpChecksumInfoProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.util.DataChecksum;
import org.stripeline.client.read.CorruptUnitException;
import org.stripeline.client.read.UnitReader;
import org.stripeline.natives.codec.ChecksumKind;
import org.stripeline.natives.codec.ChunkVerifier;

/**
 * Reads a block over TCP as {@code BlockReaderRemote} does, but receives packets directly into the
 * caller's buffer where possible and verifies checksums there. A packet that does not fit, or that
 * begins before the requested range, goes into a separate buffer.
 */
final class StripelinePacketReader implements UnitReader {
  /** The maximum length of the header that DataNodes send; see {@link PacketHeader}. */
  private static final int HEADER_BYTES = PacketHeader.PKT_MAX_HEADER_LEN;

  /** The bytes of checksums of a usual packet: 64 KiB of data at 512 bytes per checksum. */
  private static final int USUAL_SUMS_BYTES = 512;

  private static final int DATA_MAX_BYTES = 16 << 20;

  private final StripelineDFSClient client;
  private final DatanodeInfo node;
  private final String nodeName;
  private final Peer peer;
  private final ReadableByteChannel channel;
  private final String file;
  private final int bytesPerChecksum;
  private final int checksumBytes;
  private final ChunkVerifier verifier;
  private final int distance;
  private final long end;

  /** The received bytes of the current header and its checksums, possibly followed by data. */
  private ByteBuffer head;

  /** Verified bytes of a packet that have not been returned to the caller yet. */
  private ByteBuffer aside = ByteBuffer.allocate(0);

  /**
   * The offset of the next packet in the block; the first packet may begin before the requested
   * range.
   */
  private long packetOffset;

  /** The number of bytes that the DataNode has yet to send. */
  private long missing;

  /** The number of bytes to skip before the first requested byte. */
  private long leading;

  private long lastSequence = -1;
  private boolean isFinished;

  private StripelinePacketReader(
      StripelineDFSClient client,
      String file,
      DatanodeInfo node,
      Peer peer,
      DataChecksum checksum,
      boolean verify,
      long from,
      long end,
      long firstChunkOffset)
      throws IOException {
    this.client = client;
    this.file = file;
    this.node = node;
    this.nodeName = node.getXferAddr();
    this.peer = peer;
    this.channel = peer.getInputStreamChannel();
    this.bytesPerChecksum = checksum.getBytesPerChecksum();
    this.checksumBytes = checksum.getChecksumSize();
    this.verifier = verify ? verifier(checksum) : null;
    this.distance = client.getClientContext().getNetworkDistance(node);
    this.end = end;
    this.packetOffset = firstChunkOffset;
    this.leading = from - firstChunkOffset;
    this.missing = end - firstChunkOffset;
    this.head = ByteBuffer.allocate(HEADER_BYTES + USUAL_SUMS_BYTES);
    head.limit(0);
  }

  private static ChunkVerifier verifier(DataChecksum checksum) {
    switch (checksum.getChecksumType()) {
      case CRC32C:
        return new ChunkVerifier(ChecksumKind.CRC32C, checksum.getBytesPerChecksum());
      case CRC32:
        return new ChunkVerifier(ChecksumKind.CRC32, checksum.getBytesPerChecksum());
      default:
        return null;
    }
  }

  /**
   * Requests a range of a block from a DataNode.
   *
   * @param peer a connection, which is closed if this throws
   * @throws IOException as {@code BlockReaderRemote.newBlockReader} does
   */
  static StripelinePacketReader open(
      StripelineDFSClient client, StripelineUnitRequest request, Peer peer) throws IOException {
    boolean done = false;
    try {
      DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(peer.getOutputStream(), 512));
      new Sender(out)
          .readBlock(
              request.block.getBlock(),
              request.block.getBlockToken(),
              client.getClientName(),
              request.from,
              request.to - request.from,
              request.verify,
              request.caching);
      BlockOpResponseProto response =
          BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(peer.getInputStream()));
      DataTransferProtoUtil.checkBlockOpStatus(
          response,
          "reading " + request.block.getBlock() + " of " + request.file + " from " + peer);
      ReadOpChecksumInfoProto info = response.getReadOpChecksumInfo();
      DataChecksum checksum = DataTransferProtoUtil.fromProto(info.getChecksum());
      long first = info.getChunkOffset();
      if (first < 0
          || first > request.from
          || first <= request.from - checksum.getBytesPerChecksum()) {
        throw new IOException(
            "first chunk at " + first + " for a read from " + request.from + " on");
      }
      StripelinePacketReader reader =
          new StripelinePacketReader(
              client,
              request.file,
              request.node.info,
              peer,
              checksum,
              request.verify,
              request.from,
              request.to,
              first);
      done = true;
      return reader;
    } finally {
      if (!done) {
        peer.close();
      }
    }
  }

  @Override
  public void read(ByteBuffer target) throws IOException {
    int start = target.position();
    while (target.position() == start) {
      if (!aside.hasRemaining()) {
        receive(target);
      }
      hand(target);
    }
  }

  @Override
  public void skip(long bytes) throws IOException {
    for (long left = bytes; left > 0; ) {
      if (aside.hasRemaining()) {
        int step = (int) Math.min(left, aside.remaining());
        aside.position(aside.position() + step);
        left -= step;
      } else {
        receive(null);
      }
    }
  }

  private void hand(ByteBuffer target) {
    ByteBuffer part = aside.duplicate();
    part.limit(part.position() + Math.min(part.remaining(), target.remaining()));
    aside.position(part.limit());
    target.put(part);
  }

  /**
   * Receives a packet into {@code target} if it has room for the whole packet, otherwise into
   * {@code aside}.
   */
  private void receive(ByteBuffer target) throws IOException {
    if (missing <= 0) {
      throw new EOFException(nodeName + ": the block ends early");
    }
    PacketHeader header = receiveHeader();
    int length = header.getDataLen();
    if (length <= 0 || length > DATA_MAX_BYTES || header.getOffsetInBlock() != packetOffset) {
      throw new IOException(nodeName + ": unexpected packet " + header + " at " + packetOffset);
    }
    lastSequence = header.getSeqno();
    int sums = (length + bytesPerChecksum - 1) / bytesPerChecksum * checksumBytes;
    need(sums);
    // Nothing overwrites the checksums before the next header is received.
    ByteBuffer expected = head.duplicate();
    head.position(head.position() + sums);
    ByteBuffer data;
    if (target != null && leading == 0 && length <= target.remaining()) {
      data = target.duplicate();
      data.limit(data.position() + length);
      receiveData(data.duplicate());
      verify(data, expected, header);
      target.position(data.limit());
    } else {
      data = ByteBuffer.allocate(length);
      receiveData(data.duplicate());
      verify(data, expected, header);
      data.position((int) Math.min(length, leading));
      leading -= data.position();
      aside = data;
    }
    packetOffset += length;
    missing -= length;
    if (missing <= 0) {
      finish();
    }
  }

  private PacketHeader receiveHeader() throws IOException {
    need(PacketHeader.PKT_LENGTHS_LEN);
    int payload = head.getInt();
    int headerLength = head.getShort();
    if (payload < Integer.BYTES || headerLength < 0 || headerLength > HEADER_BYTES * 4) {
      throw new IOException(
          nodeName + ": packet of " + payload + " bytes, header of " + headerLength);
    }
    need(headerLength);
    byte[] bytes = new byte[headerLength];
    head.get(bytes);
    PacketHeader header = new PacketHeader();
    header.setFieldsFromData(payload, bytes);
    if (!header.sanityCheck(lastSequence)) {
      throw new IOException(nodeName + ": unexpected packet " + header);
    }
    return header;
  }

  /**
   * Reads until the head holds at least {@code bytes} bytes; also requests the bytes that usually
   * follow.
   */
  private void need(int bytes) throws IOException {
    if (head.remaining() >= bytes) {
      return;
    }
    int wanted = Math.max(head.remaining(), wanted(bytes));
    if (wanted > head.capacity()) {
      head = ByteBuffer.allocate(wanted).put(head);
    } else {
      head.compact();
    }
    head.limit(wanted);
    while (head.position() < bytes) {
      readChannel(head);
    }
    head.flip();
  }

  /**
   * Returns the number of bytes to request: a header is requested together with its usual
   * checksums.
   */
  private int wanted(int bytes) {
    boolean more = missing > 0 && checksumBytes > 0 && bytes == PacketHeader.PKT_LENGTHS_LEN;
    return more ? HEADER_BYTES + usualSums() : bytes;
  }

  private int usualSums() {
    long data = Math.min(missing, 64 << 10);
    return (int) ((data + bytesPerChecksum - 1) / bytesPerChecksum * checksumBytes);
  }

  private void receiveData(ByteBuffer data) throws IOException {
    if (head.hasRemaining()) {
      ByteBuffer part = head.duplicate();
      part.limit(part.position() + Math.min(part.remaining(), data.remaining()));
      head.position(part.limit());
      data.put(part);
    }
    while (data.hasRemaining()) {
      readChannel(data);
    }
  }

  private void readChannel(ByteBuffer into) throws IOException {
    if (channel.read(into) < 0) {
      throw new EOFException(nodeName + ": the connection ended");
    }
  }

  private void verify(ByteBuffer data, ByteBuffer sums, PacketHeader header) throws IOException {
    int chunk = verifier == null ? -1 : verifier.firstMismatch(data, sums);
    if (chunk >= 0) {
      long at = header.getOffsetInBlock() + (long) chunk * bytesPerChecksum;
      ChecksumException cause = new ChecksumException("Checksum error: " + file + " at " + at, at);
      throw new CorruptUnitException(nodeName + ": " + cause.getMessage(), cause);
    }
  }

  /**
   * Reads the empty last packet and reports the status to the DataNode, so that the connection can
   * be reused.
   */
  private void finish() throws IOException {
    PacketHeader trailer = receiveHeader();
    if (!trailer.isLastPacketInBlock() || trailer.getDataLen() != 0) {
      throw new IOException(nodeName + ": expected the last packet, not " + trailer);
    }
    try {
      OutputStream out = peer.getOutputStream();
      ClientReadStatusProto.newBuilder()
          .setStatus(verifier == null ? Status.SUCCESS : Status.CHECKSUM_OK)
          .build()
          .writeDelimitedTo(out);
      out.flush();
      isFinished = true;
    } catch (IOException e) {
      // All bytes are there and verified; without the status, the connection cannot be reused.
      DFSClient.LOG.debug("Sending the status of a read to {}", nodeName, e);
    }
  }

  @Override
  public long end() {
    return end;
  }

  @Override
  public String node() {
    return nodeName;
  }

  @Override
  public boolean isShortCircuit() {
    return false;
  }

  @Override
  public int networkDistance() {
    return distance;
  }

  @Override
  public void close() throws IOException {
    if (isFinished) {
      client.getClientContext().getPeerCache().put(node, peer);
    } else {
      peer.close();
    }
  }
}
