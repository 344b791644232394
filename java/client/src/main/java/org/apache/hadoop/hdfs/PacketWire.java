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

/**
 * How the packets of one stream get to the wire.
 *
 * <p>A streamer hands out a stream that takes arrays. Where nothing stands between that stream and
 * the socket, neither encryption nor SASL, buffers outside the heap go to the socket's channel
 * without being copied into an array first.
 */
final class PacketWire {
  private final DFSClient client;
  private volatile boolean plain;

  /** The connection of each streamer, with the stream that came with it. */
  private final ConcurrentHashMap<StripedDataStreamer, Connection> connections =
      new ConcurrentHashMap<>();

  PacketWire(DFSClient client) {
    this.client = client;
  }

  /** Asks again whether connections are plain, just before a block group opens its own. */
  void groupOpens() throws IOException {
    // The very questions that Hadoop asks when it connects; a trusted channel asks fewer.
    connections.clear();
    plain = !UserGroupInformation.isSecurityEnabled() && !client.shouldEncryptData();
  }

  /** Takes the streams that streamers hand out until the next block group opens. */
  void copyThisGroup() {
    plain = false;
  }

  /** Writes the buffers one after another; for the thread of the streamer. */
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
    // What Hadoop wrote before is in the buffer of the stream until then.
    out.flush();
    gather(channel, parts);
  }

  /** Returns null where there is none, or where the stream is no longer the connection's own. */
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
