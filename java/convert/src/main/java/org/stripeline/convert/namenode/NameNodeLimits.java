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
 * The limits of the NameNodes of a nameservice.
 *
 * <p>A NameNode applies its own limits when it replays an edit that another one has logged. An edit
 * that adds a policy with larger cells than its {@code dfs.namenode.ec.policies.max.cellsize} makes
 * it stop, and it does not start again. When loaded from an fsimage, such a policy is disabled
 * instead.
 */
public final class NameNodeLimits {
  /** Configuration key of the maximum cell size of added policies, in bytes. */
  public static final String CELL_KEY = DFSConfigKeys.DFS_NAMENODE_EC_POLICIES_MAX_CELLSIZE_KEY;

  private static final String ALLOWED_KEY =
      DFSConfigKeys.DFS_NAMENODE_EC_POLICIES_USERPOLICIES_ALLOWED_KEY;

  private final List<ServerSettings> servers;

  private NameNodeLimits(List<ServerSettings> servers) {
    this.servers = servers;
  }

  /**
   * Queries the NameNodes.
   *
   * @param hdfs URI of the file system
   * @param client configuration of a client, which names the NameNodes
   */
  public static NameNodeLimits ask(URI hdfs, Configuration client) {
    return new NameNodeLimits(NameNodes.ask(hdfs, client));
  }

  /** Returns the servers that were queried. */
  public List<ServerSettings> servers() {
    return Collections.unmodifiableList(servers);
  }

  /** Returns the maximum cell size in bytes of a server that answered. */
  public static int cellBytesMax(ServerSettings server) {
    return server
        .conf()
        .getInt(CELL_KEY, DFSConfigKeys.DFS_NAMENODE_EC_POLICIES_MAX_CELLSIZE_DEFAULT);
  }

  /**
   * Returns the reason for which a server does not accept added policies with a cell size, or null
   * if it does.
   *
   * @param server a server that answered
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

  /**
   * Returns one line for each server that does not accept a cell size, and for each NameNode that
   * did not answer.
   */
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

  /**
   * Returns one line for each SecondaryNameNode that did not answer; it may not be running at all.
   */
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
                + ", it makes no more checkpoints");
      }
    }
    return lines;
  }

  /**
   * Returns whether NameNodes receive a policy through an edit, rather than from Hadoop's own code.
   */
  public static boolean concerns(ErasureCodingPolicy policy) {
    return !policy.isSystemPolicy();
  }

  private static String unasked(ServerSettings server) {
    return server.name() + ": could not be queried: " + server.reason();
  }

  /**
   * Returns the maximum number of extended attributes per file, the least of all NameNodes that
   * answered.
   */
  public int attributesMax() {
    return least(
        DFSConfigKeys.DFS_NAMENODE_MAX_XATTRS_PER_INODE_KEY,
        DFSConfigKeys.DFS_NAMENODE_MAX_XATTRS_PER_INODE_DEFAULT);
  }

  /**
   * Returns the maximum bytes of name and value of an extended attribute, the least of all
   * NameNodes that answered.
   */
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
