// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.net.SocketOutputStream;
import org.apache.hadoop.security.UserGroupInformation;
import org.stripeline.client.write.PacketCopy;

/**
 * Writes the packets of one stream to the connections of its streamers.
 *
 * <p>A streamer provides an output stream that accepts arrays. If neither encryption nor SASL wraps
 * the socket, direct buffers are written to the socket's channel without a copy into an array.
 */
final class PacketWire {
  private final DFSClient client;
  private volatile boolean plain;

  /** The connection of each streamer, with the output stream that the streamer uses for it. */
  private final ConcurrentHashMap<StripedDataStreamer, Connection> connections =
      new ConcurrentHashMap<>();

  PacketWire(DFSClient client) {
    this.client = client;
  }

  /**
   * Determines again whether connections are plain; called just before a block group opens its
   * connections.
   */
  void groupOpens() throws IOException {
    // The same conditions that Hadoop checks when it connects; Hadoop checks fewer for a trusted
    // channel.
    connections.clear();
    plain = !UserGroupInformation.isSecurityEnabled() && !client.shouldEncryptData();
  }

  /** Writes through the streams of the streamers until the next block group opens. */
  void copyThisGroup() {
    plain = false;
  }

  /** Writes the buffers in order; called on the thread of the streamer. */
  void write(StripedDataStreamer streamer, DataOutputStream out, ByteBuffer... parts)
      throws IOException {
    SocketChannel channel =
        plain && parts[parts.length - 1].isDirect() ? channel(streamer, out) : null;
    if (channel == null) {
      for (ByteBuffer part : parts) {
        PacketCopy.write(part, out);
      }
      return;
    }
    // Hadoop's earlier writes may still be in the buffer of the stream.
    out.flush();
    gather(channel, parts);
  }

  /**
   * Returns the channel of the connection, or null if the socket has none or {@code out} is not the
   * stream that the connection began with.
   */
  private SocketChannel channel(StripedDataStreamer streamer, DataOutputStream out)
      throws IOException {
    Socket socket = WriteCompat.socket(streamer);
    Connection connection = connections.get(streamer);
    if (connection == null || connection.socket != socket) {
      connection = new Connection(socket, out);
      connections.put(streamer, connection);
      WriteCompat.bufferReplies(streamer);
    }
    return socket == null || connection.out != out ? null : socket.getChannel();
  }

  private void gather(SocketChannel channel, ByteBuffer[] parts) throws IOException {
    SocketOutputStream waiter = null;
    ByteBuffer last = parts[parts.length - 1];
    while (last.hasRemaining()) {
      if (channel.write(parts) == 0) {
        if (waiter == null) {
          waiter = new SocketOutputStream(channel, client.getDatanodeWriteTimeout(1));
        }
        waiter.waitForWritable();
      }
    }
  }

  private static final class Connection {
    final Socket socket;
    final DataOutputStream out;

    Connection(Socket socket, DataOutputStream out) {
      this.socket = socket;
      this.out = out;
    }
  }
}
