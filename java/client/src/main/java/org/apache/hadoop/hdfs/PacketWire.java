// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
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

  PacketWire(DFSClient client) {
    this.client = client;
  }

  /** Asks again whether connections are plain, just before a block group opens its own. */
  void groupOpens() throws IOException {
    // The very questions that Hadoop asks when it connects; a trusted channel asks fewer.
    plain = !UserGroupInformation.isSecurityEnabled() && !client.shouldEncryptData();
  }

  /** Writes the buffers one after another; for the thread of the streamer. */
  void write(StripedDataStreamer streamer, DataOutputStream out, ByteBuffer... parts)
      throws IOException {
    Socket socket = plain && parts[parts.length - 1].isDirect() ? WriteCompat.socket(streamer) : null;
    SocketChannel channel = socket == null ? null : socket.getChannel();
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
}
