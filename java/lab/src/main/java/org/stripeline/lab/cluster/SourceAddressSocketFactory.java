// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import javax.net.SocketFactory;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;

/**
 * Connects a DataNode to the NameNode from its own loopback address.
 *
 * <p>The NameNode takes the address of a DataNode from the connection over which it registers. With
 * this class every DataNode of one process appears as a separate host: racks, locality and web
 * addresses are correct without host names that a client could not resolve.
 */
public final class SourceAddressSocketFactory extends SocketFactory implements Configurable {
  static final String ADDRESS_KEY = "stripeline.cluster.source-address";

  private Configuration conf;
  private String address = "127.0.0.1";

  @Override
  public Socket createSocket() throws IOException {
    // Hadoop's RPC client needs a socket that has a channel.
    Socket socket = SocketChannel.open().socket();
    try {
      socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    return socket;
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return createSocket(InetAddress.getByName(host), port);
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return connected(createSocket(), host, port);
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    return createSocket(InetAddress.getByName(host), port, local, localPort);
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    Socket socket = SocketChannel.open().socket();
    try {
      socket.bind(new InetSocketAddress(local, localPort));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    return connected(socket, host, port);
  }

  private static Socket connected(Socket socket, InetAddress host, int port) throws IOException {
    try {
      socket.connect(new InetSocketAddress(host, port));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  @Override
  public void setConf(Configuration conf) {
    this.conf = conf;
    this.address = conf.getTrimmed(ADDRESS_KEY, "127.0.0.1");
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  // Hadoop shares RPC connections between equal factories.

  @Override
  public boolean equals(Object other) {
    return other instanceof SourceAddressSocketFactory
        && ((SourceAddressSocketFactory) other).address.equals(address);
  }

  @Override
  public int hashCode() {
    return address.hashCode();
  }
}
