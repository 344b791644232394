// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.io.IOException;
import java.net.Socket;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.net.NetUtils;

/** Connections to the data ports of other DataNodes. */
final class Transfers {
  private Transfers() {}

  /** Connects to a DataNode, with a timeout for the connection and for reads. */
  static Socket connect(DataNode node, DatanodeInfo to, int timeoutMillis) throws IOException {
    Socket socket = node.newSocket();
    try {
      NetUtils.connect(
          socket,
          NetUtils.createSocketAddr(to.getXferAddr(node.getDnConf().getConnectToDnViaHostname())),
          timeoutMillis);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(timeoutMillis);
      return socket;
    } catch (IOException | RuntimeException e) {
      IOUtils.closeSocket(socket);
      throw e;
    }
  }
}
