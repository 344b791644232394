// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.zip.Checksum;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockChecksum;
import org.stripeline.agent.EncodeRequest;

/**
 * Sends one internal block to a DataNode, like a replica transfer between DataNodes: there are no
 * acknowledgements, and the receiver closes the connection when it is done or has failed. The block
 * is therefore read from disk afterwards. One thread writes; another may abort.
 */
final class TargetWriter implements Closeable {
  private static final int PACKET_BYTES = RateLimiter.STEP;

  /**
   * Bytes after which written data is synced, so that the end of the block does not sync all of it.
   */
  private static final long SYNC_BYTES = 32 << 20;

  private final TaskContext context;
  private final EncodeRequest.Target target;
  private final String pool;

  /** Identifies the task to the target's agent: only this task's own writes are rolled back. */
  private final String writer;

  private final TransferCounters.Distance distance;
  private final TransferCounters counters;
  private final RateLimiter limiter;
  private final Checksum crc = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, PACKET_BYTES);

  private DataChecksum checksum;
  private byte[] packet;
  private byte[] sums;
  private int filled;
  private long position;
  private long synced;
  private long sequence;
  private DataOutputStream out;
  private InputStream in;
  private Socket socket;
  private boolean closed;
  private boolean begun;

  TargetWriter(
      TaskContext context,
      EncodeRequest request,
      EncodeRequest.Target target,
      String writer,
      TransferCounters counters,
      RateLimiter limiter) {
    this.context = context;
    this.writer = writer;
    this.target = target;
    this.pool = request.pool;
    this.distance = context.distance(request.rack, target.node);
    this.counters = counters;
    this.limiter = limiter;
  }

  /** Connects, and sends the header of a block with checksums of a type. */
  void open(DataChecksum kind) throws IOException {
    try {
      checksum = DataChecksum.newDataChecksum(kind.getChecksumType(), kind.getBytesPerChecksum());
      int chunks = Math.max(1, PACKET_BYTES / checksum.getBytesPerChecksum());
      packet = new byte[chunks * checksum.getBytesPerChecksum()];
      sums = new byte[chunks * checksum.getChecksumSize()];
      connect();
    } catch (IOException | RuntimeException e) {
      throw failure("connect to", e);
    }
  }

  private void connect() throws IOException {
    DataNode node = context.dataNode;
    DatanodeInfo to = target.node.toDatanodeInfo();
    ExtendedBlock block = target.block.in(pool);
    StorageType type = StorageType.valueOf(target.storageType);
    // No storage has an empty id, so the receiver selects one by type.
    StorageType[] types = {type};
    String[] ids = {target.storageId};
    Token<BlockTokenIdentifier> token =
        node.getBlockAccessToken(block, EnumSet.of(AccessMode.WRITE), types, ids);
    // The receiver refuses an existing block by closing the connection, which is also what it does
    // on success. The target's agent is therefore asked first whether the block exists, and records
    // its writer.
    context.reserve(pool, target, writer);
    Socket connected = Transfers.connect(node, to, context.settings.timeoutMillis);
    synchronized (this) {
      socket = connected;
      if (closed) {
        IOUtils.closeSocket(connected);
        throw new IOException("the task has ended");
      }
      begun = true;
    }
    OutputStream raw = NetUtils.getOutputStream(connected, context.settings.timeoutMillis);
    IOStreamPair streams =
        node.getSaslClient()
            .socketSend(
                connected,
                raw,
                NetUtils.getInputStream(connected),
                node.getDataEncryptionKeyFactoryForBlock(block),
                token,
                to);
    in = streams.in;
    out = new DataOutputStream(new BufferedOutputStream(streams.out, PACKET_BYTES));
    new Sender(out)
        .writeBlock(
            block,
            type,
            token,
            "",
            new DatanodeInfo[] {to},
            types,
            new DatanodeInfo.DatanodeInfoBuilder().setNodeID(node.getDatanodeId()).build(),
            BlockConstructionStage.PIPELINE_SETUP_CREATE,
            0,
            0,
            0,
            0,
            checksum,
            CachingStrategy.newDropBehind(),
            false,
            false,
            null,
            target.storageId,
            ids);
  }

  /** Sends the bytes of a buffer, up to the end of the block. */
  void write(ByteBuffer bytes) throws IOException {
    try {
      long left = target.block.length - position - filled;
      bytes.limit(bytes.position() + (int) Math.min(left, bytes.remaining()));
      while (bytes.hasRemaining()) {
        int step = Math.min(bytes.remaining(), packet.length - filled);
        bytes.get(packet, filled, step);
        filled += step;
        if (filled == packet.length) {
          sendPacket();
        }
      }
    } catch (IOException | RuntimeException e) {
      throw failure("send", e);
    }
  }

  private void sendPacket() throws IOException {
    int chunks = (filled - 1) / checksum.getBytesPerChecksum() + 1;
    int sumBytes = chunks * checksum.getChecksumSize();
    checksum.calculateChunkedSums(packet, 0, filled, sums, 0);
    crc.update(packet, 0, filled);
    boolean sync = position + filled - synced >= SYNC_BYTES;
    header(filled, sumBytes, false, sync);
    synced = sync ? position + filled : synced;
    out.write(sums, 0, sumBytes);
    out.write(packet, 0, filled);
    int bytes = filled;
    position += bytes;
    filled = 0;
    counters.sent(distance, bytes);
    limiter.moved(bytes);
  }

  private void header(int dataBytes, int sumBytes, boolean last, boolean sync) throws IOException {
    // The length in a packet header includes itself, but not the rest of the header.
    int length = dataBytes + sumBytes + Integer.BYTES;
    new PacketHeader(length, position, sequence++, last, dataBytes, sync).write(out);
  }

  /**
   * Ends the block, waits until the receiver has written it to disk, and reads it from disk.
   *
   * @throws AgentException if it is missing, or differs from what was sent
   */
  BlockChecksum finish() throws IOException {
    try {
      if (filled > 0) {
        sendPacket();
      }
      header(0, 0, true, true);
      out.flush();
      awaitClose();
    } catch (IOException | RuntimeException e) {
      throw failure("send", e);
    }
    BlockChecksum sent = new BlockChecksum(position, (int) crc.getValue());
    BlockChecksum there;
    try {
      there = context.checksum(pool, target.node, target.block, limiter);
    } catch (IOException e) {
      throw failure("verify", e);
    }
    if (there.length != sent.length || there.crc32c != sent.crc32c) {
      throw new AgentException(
          AgentException.Kind.FAILED,
          "Cannot verify "
              + target.block
              + " at "
              + target.node
              + ": sent "
              + sent
              + ", on disk "
              + there);
    }
    return sent;
  }

  private void awaitClose() throws IOException {
    // Receivers send nothing, but close the connection when the block is finalized.
    while (in.read() >= 0) {}
  }

  private AgentException failure(String what, Exception why) {
    return new AgentException(
        AgentException.Kind.FAILED,
        "Cannot "
            + what
            + ' '
            + target.block
            + " at "
            + target.node
            + ": "
            + AgentException.reason(why),
        why);
  }

  /**
   * Rolls back what was sent: waits for {@code timeoutMillis} at most until the receiver has
   * detected the end and has removed or finalized its replica, and removes that. No thread may be
   * writing.
   *
   * @throws IOException if the block may still exist
   */
  void rollBack(int timeoutMillis) throws IOException {
    if (!begun) {
      return;
    }
    drain(timeoutMillis);
    context.rollBack(pool, target, writer);
  }

  private void drain(int timeoutMillis) {
    try {
      socket.setSoTimeout(timeoutMillis);
      socket.shutdownOutput();
      InputStream raw = NetUtils.getInputStream(socket, timeoutMillis);
      while (raw.read() >= 0) {}
    } catch (IOException e) {
      // The connection is gone already, or hangs; the replica is removed next.
      return;
    } finally {
      close();
    }
  }

  /** Closes the connection. This ends a write in another thread; later writes fail. */
  @Override
  public synchronized void close() {
    closed = true;
    if (socket != null) {
      IOUtils.closeSocket(socket);
    }
  }
}
