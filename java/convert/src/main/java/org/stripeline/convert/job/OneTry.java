// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.ha.HAServiceProtocol.HAServiceState;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HAUtilClient;
import org.apache.hadoop.hdfs.NameNodeProxiesClient;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Proxies to the NameNodes of a file system that never retry a call.
 *
 * <p>Hadoop's own client retries a call after a failover or a lost connection, possibly minutes
 * later. A swap must happen right after the last check of the file or not at all.
 */
public final class OneTry implements Closeable {
  /** RPC timeout in milliseconds. The NameNode may still execute a call that timed out. */
  private static final int CALL_MILLIS = 60_000;

  private final List<ClientProtocol> namenodes = new ArrayList<>();

  /**
   * Index of the NameNode that was active last. It is tried first, since a call to one that is down
   * takes until a timeout.
   */
  private volatile int latest;

  private OneTry() {}

  /** Creates proxies for all NameNodes, without connecting to them. */
  public static OneTry open(DistributedFileSystem fs) throws IOException {
    Configuration conf = new Configuration(fs.getConf());
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    conf.setInt(CommonConfigurationKeys.IPC_CLIENT_RPC_TIMEOUT_KEY, CALL_MILLIS);
    OneTry all = new OneTry();
    try {
      for (InetSocketAddress address : addresses(fs.getUri(), conf)) {
        all.namenodes.add(
            NameNodeProxiesClient.createNonHAProxyWithClientProtocol(
                address, conf, UserGroupInformation.getCurrentUser(), false, new AtomicBoolean()));
      }
      return all;
    } catch (IOException | RuntimeException e) {
      all.close();
      throw e;
    }
  }

  private static Collection<InetSocketAddress> addresses(URI uri, Configuration conf)
      throws IOException {
    if (!HAUtilClient.isLogicalUri(conf, uri)) {
      return Collections.singleton(DFSUtilClient.getNNAddressCheckLogical(conf, uri));
    }
    Map<String, InetSocketAddress> addresses =
        DFSUtilClient.getHaNnRpcAddresses(conf).get(uri.getHost());
    if (addresses == null || addresses.isEmpty()) {
      throw new IOException(
          "Cannot find the NameNodes of "
              + uri
              + ": set dfs.ha.namenodes."
              + uri.getHost()
              + " and their dfs.namenode.rpc-address keys");
    }
    return addresses.values();
  }

  /**
   * Finds the active NameNode.
   *
   * @throws IOException if no NameNode reports that it is active
   */
  public ClientProtocol active() throws IOException {
    if (namenodes.size() == 1) {
      return namenodes.get(0);
    }
    IOException failure = null;
    int first = latest;
    for (int i = 0; i < namenodes.size(); i++) {
      int number = (first + i) % namenodes.size();
      ClientProtocol namenode = namenodes.get(number);
      try {
        if (namenode.getHAServiceState() == HAServiceState.ACTIVE) {
          latest = number;
          return namenode;
        }
      } catch (IOException e) {
        failure = e;
      }
    }
    throw new IOException("Cannot swap a file: no NameNode is active", failure);
  }

  /**
   * Makes all previous changes of the active NameNode visible to a client, including reads from
   * observers.
   */
  public void sync(DFSClient client) throws IOException {
    if (namenodes.size() > 1) {
      client.msync();
    }
  }

  @Override
  public void close() {
    namenodes.forEach(RPC::stopProxy);
    namenodes.clear();
  }
}
