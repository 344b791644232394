// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/**
 * What the NameNodes of a nameservice accept.
 *
 * <p>A NameNode applies its own limits when it replays an edit that another one has logged. The
 * edit that adds a policy with larger cells than {@code dfs.namenode.ec.policies.max.cellsize}
 * makes it stop, and it does not start again. In an image such a policy becomes a disabled one.
 */
public final class NameNodeLimits {
  /** Most bytes of a cell of an added policy. */
  public static final String CELL_KEY = DFSConfigKeys.DFS_NAMENODE_EC_POLICIES_MAX_CELLSIZE_KEY;

  private static final String ALLOWED_KEY =
      DFSConfigKeys.DFS_NAMENODE_EC_POLICIES_USERPOLICIES_ALLOWED_KEY;

  private final List<ServerSettings> servers;

  private NameNodeLimits(List<ServerSettings> servers) {
    this.servers = servers;
  }

  /**
   * Asks the NameNodes.
   *
   * @param hdfs URI of the file system
   * @param client configuration of a client, which names the NameNodes
   */
  public static NameNodeLimits ask(URI hdfs, Configuration client) {
    return new NameNodeLimits(NameNodes.ask(hdfs, client));
  }

  /** The servers asked. */
  public List<ServerSettings> servers() {
    return Collections.unmodifiableList(servers);
  }

  /** Most bytes of a cell that a server accepts; only for one that answered. */
  public static int cellBytesMax(ServerSettings server) {
    return server
        .conf()
        .getInt(CELL_KEY, DFSConfigKeys.DFS_NAMENODE_EC_POLICIES_MAX_CELLSIZE_DEFAULT);
  }

  /**
   * Why a server does not accept added policies with such cells; null if it does.
   *
   * @param server one that answered
   */
  public static String obstacle(ServerSettings server, int cellBytes) {
    int most = cellBytesMax(server);
    if (most < cellBytes) {
      return CELL_KEY + " is " + most + ", " + cellBytes + " is needed";
    }
    boolean allowed =
        server
            .conf()
            .getBoolean(
                ALLOWED_KEY,
                DFSConfigKeys.DFS_NAMENODE_EC_POLICIES_USERPOLICIES_ALLOWED_KEY_DEFAULT);
    return allowed ? null : ALLOWED_KEY + " is false, true is needed";
  }

  /** One line for each server that does not accept such cells, or is not known to. */
  public List<String> obstacles(int cellBytes) {
    List<String> lines = new ArrayList<>();
    for (ServerSettings server : servers) {
      if (server.isKnown()) {
        String obstacle = obstacle(server, cellBytes);
        if (obstacle != null) {
          lines.add(server.name() + ": " + obstacle);
        }
      } else if (!server.isSecondary()) {
        lines.add(unasked(server));
      }
    }
    return lines;
  }

  /** One line for each SecondaryNameNode that did not answer: it may not run at all. */
  public List<String> warnings(int cellBytes) {
    List<String> lines = new ArrayList<>();
    for (ServerSettings server : servers) {
      if (!server.isKnown() && server.isSecondary()) {
        lines.add(
            unasked(server)
                + "; if it runs with "
                + CELL_KEY
                + " below "
                + cellBytes
                + ", it makes no checkpoints any more");
      }
    }
    return lines;
  }

  /** Whether a NameNode is told of a policy by an edit, and not by Hadoop's own code. */
  public static boolean concerns(ErasureCodingPolicy policy) {
    return !policy.isSystemPolicy();
  }

  private static String unasked(ServerSettings server) {
    return server.name() + ": could not be asked: " + server.reason();
  }

  /** Most extended attributes that each server that answered takes for a file. */
  public int attributesMax() {
    return least(
        DFSConfigKeys.DFS_NAMENODE_MAX_XATTRS_PER_INODE_KEY,
        DFSConfigKeys.DFS_NAMENODE_MAX_XATTRS_PER_INODE_DEFAULT);
  }

  /** Most bytes of name and value of an extended attribute that each such server takes. */
  public int attributeBytesMax() {
    return least(
        DFSConfigKeys.DFS_NAMENODE_MAX_XATTR_SIZE_KEY,
        DFSConfigKeys.DFS_NAMENODE_MAX_XATTR_SIZE_DEFAULT);
  }

  private int least(String key, int byDefault) {
    int least = Integer.MAX_VALUE;
    for (ServerSettings server : servers) {
      if (server.isKnown() && !server.isSecondary()) {
        least = Math.min(least, (int) server.conf().getLongBytes(key, byDefault));
      }
    }
    return least == Integer.MAX_VALUE ? byDefault : least;
  }
}
