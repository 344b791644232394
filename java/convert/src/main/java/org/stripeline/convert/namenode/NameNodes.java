// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.HAUtilClient;
import org.apache.hadoop.net.NetUtils;

/**
 * Queries the settings of every NameNode of one nameservice, active or not, and of a
 * SecondaryNameNode if one is configured.
 */
public final class NameNodes {
  private static final String HA_NAMENODES = DFSConfigKeys.DFS_HA_NAMENODES_KEY_PREFIX + ".";
  private static final int TIMEOUT_MILLIS = 15_000;
  private static final String DEFAULTS = "hdfs-default.xml";

  private final String scheme;
  private final Configuration client;
  private final ServerPages reader;
  private final List<ServerSettings> servers = new ArrayList<>();

  private NameNodes(Configuration client, ServerPages reader) {
    this.client = client;
    this.reader = reader;
    scheme = DFSUtil.getHttpClientScheme(client);
  }

  /**
   * Queries all servers, one after the other.
   *
   * @param hdfs URI of the file system, with a logical name or the address of a NameNode
   * @param client configuration of a client, which names the NameNodes
   * @return the settings of each server, or the reason for which they are unknown
   */
  public static List<ServerSettings> ask(URI hdfs, Configuration client) {
    try (ServerPages reader = new ServerPages(client, TIMEOUT_MILLIS)) {
      NameNodes nameNodes = new NameNodes(client, reader);
      if (HAUtilClient.isLogicalUri(client, hdfs)) {
        nameNodes.askAll(hdfs.getHost());
      } else {
        nameNodes.askOne(hdfs);
      }
      return Collections.unmodifiableList(nameNodes.servers);
    }
  }

  private void askAll(String service) {
    Map<String, InetSocketAddress> addresses =
        DFSUtilClient.getHaNnRpcAddresses(client).getOrDefault(service, Collections.emptyMap());
    addresses.forEach((id, address) -> askNameNode("NameNode " + id, address));
    findUnnamed(addresses.size());
  }

  private void askOne(URI hdfs) {
    InetSocketAddress address = DFSUtilClient.getNNAddress(hdfs);
    askNameNode("NameNode", address);
    findUnnamed(1);
    if (servers.size() > 1) {
      return;
    }
    Configuration own = servers.get(0).conf();
    if (isExplicit(client, secondaryKey())) {
      askSecondary(client.get(secondaryKey()), address);
    } else if (own != null && isExplicit(own, secondaryKey())) {
      askSecondary(own.get(secondaryKey()), address);
    }
  }

  private void askNameNode(String name, InetSocketAddress rpcAddress) {
    try {
      add(name, false, DFSUtil.getInfoServer(rpcAddress, client, scheme));
    } catch (IOException | IllegalArgumentException e) {
      servers.add(ServerSettings.unknown(name, false, ServerPages.reason(e)));
    }
  }

  private void askSecondary(String value, InetSocketAddress nameNode) {
    String name = "SecondaryNameNode";
    try {
      InetSocketAddress address = NetUtils.createSocketAddr(value);
      boolean anyHost = address.getAddress() != null && address.getAddress().isAnyLocalAddress();
      String host = anyHost ? nameNode.getHostName() : address.getHostString();
      add(name, true, URI.create(scheme + "://" + host + ":" + address.getPort()));
    } catch (IllegalArgumentException e) {
      servers.add(ServerSettings.unknown(name + " " + value, true, ServerPages.reason(e)));
    }
  }

  private void add(String name, boolean secondary, URI address) {
    String where = name + " (" + address + ")";
    try {
      servers.add(ServerSettings.known(where, secondary, address, reader.settings(address)));
    } catch (IOException | IllegalArgumentException e) {
      servers.add(ServerSettings.unknown(where, secondary, ServerPages.reason(e)));
    }
  }

  /**
   * Adds an entry if the NameNodes' own configuration lists more NameNodes than the client's, which
   * may lack some, such as observers.
   */
  private void findUnnamed(int named) {
    for (ServerSettings server : servers) {
      Collection<String> ids =
          server.isKnown() ? idsKnownTo(server.conf()) : Collections.<String>emptyList();
      if (ids.size() > named) {
        servers.add(
            ServerSettings.unknown(
                "NameNodes " + String.join(", ", ids) + " together",
                false,
                "this client's configuration or path names "
                    + named
                    + " of these "
                    + ids.size()
                    + "; name all in "
                    + HA_NAMENODES
                    + "* and use the logical name of the"
                    + " nameservice in the path"));
        return;
      }
    }
  }

  private static Collection<String> idsKnownTo(Configuration conf) {
    String service = conf.getTrimmed(DFSConfigKeys.DFS_NAMESERVICE_ID);
    return service == null
        ? Collections.<String>emptyList()
        : conf.getTrimmedStringCollection(HA_NAMENODES + service);
  }

  private String secondaryKey() {
    return scheme.equals("https")
        ? DFSConfigKeys.DFS_NAMENODE_SECONDARY_HTTPS_ADDRESS_KEY
        : DFSConfigKeys.DFS_NAMENODE_SECONDARY_HTTP_ADDRESS_KEY;
  }

  private static boolean isExplicit(Configuration conf, String key) {
    String[] sources = conf.getPropertySources(key);
    return sources != null && sources.length > 0 && !sources[sources.length - 1].equals(DEFAULTS);
  }
}
