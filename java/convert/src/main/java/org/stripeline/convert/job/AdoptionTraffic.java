// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.agent.EncodeResult;
import org.stripeline.agent.Linked;

/**
 * Counts the bytes and blocks that adoption moved between DataNodes. Thread-safe. Serialized to
 * JSON with the names of its fields.
 */
@SuppressWarnings("unused")
public final class AdoptionTraffic {
  private final transient Map<String, OfNode> nodes = new HashMap<>();
  private long blocksLinked;
  private long blocksCopied;
  private long blocksSent;
  private long filesCopiedByDriver;
  private long bytesReadLocal;
  private long bytesReadRack;
  private long bytesReadRemote;
  private long bytesWritten;
  private long bytesWrittenRemote;

  /** The traffic of one DataNode, for groups that were encoded. */
  public static final class OfNode {
    /** Bytes of groups that it encoded. */
    public long bytesEncoded;

    /** Bytes of blocks that stayed on it. */
    public long bytesKept;

    /** Bytes of parity and of other blocks that were written to it. */
    public long bytesWritten;

    private long sum() {
      return bytesEncoded + bytesKept + bytesWritten;
    }
  }

  /** Adds bytes of a group that a DataNode encoded, kept or received. */
  public synchronized void add(DatanodeInfo node, long encoded, long kept, long written) {
    OfNode sum = nodes.computeIfAbsent(node.getXferAddrWithHostname(), name -> new OfNode());
    sum.bytesEncoded += encoded;
    sum.bytesKept += kept;
    sum.bytesWritten += written;
  }

  /** Returns the DataNodes with most bytes, by host name and port, the busiest first. */
  public synchronized Map<String, OfNode> busiest(int max) {
    Map<String, OfNode> busiest = new LinkedHashMap<>();
    nodes.entrySet().stream()
        .sorted(Comparator.comparingLong(node -> -node.getValue().sum()))
        .limit(max)
        .forEach(node -> busiest.put(node.getKey(), node.getValue()));
    return busiest;
  }

  public synchronized void linked(List<Linked> links) {
    blocksLinked += links.size();
    blocksCopied += links.stream().filter(link -> link.copied).count();
  }

  public synchronized void copiedByDriver() {
    filesCopiedByDriver++;
  }

  public synchronized void encoded(EncodeResult result, int sends) {
    blocksSent += sends;
    bytesReadLocal += result.readLocal;
    bytesReadRack += result.readRack;
    bytesReadRemote += result.readRemote;
    bytesWritten += result.sentLocal + result.sentRack + result.sentRemote;
    bytesWrittenRemote += result.sentRemote;
  }

  /** Returns the number of blocks that stayed on their DataNodes. */
  public synchronized long blocksLinked() {
    return blocksLinked;
  }

  /**
   * Returns the number of linked blocks that were copied, since their volume does not support
   * links.
   */
  public synchronized long blocksCopied() {
    return blocksCopied;
  }

  /** Returns the number of blocks that no placement could leave on their DataNodes. */
  public synchronized long blocksSent() {
    return blocksSent;
  }

  /** Returns the number of files that the driver copied because maps could not. */
  public synchronized long filesCopiedByDriver() {
    return filesCopiedByDriver;
  }

  /** Returns the number of bytes that encoders read from other racks. */
  public synchronized long bytesReadRemote() {
    return bytesReadRemote;
  }

  /**
   * Returns the number of bytes of parity and of blocks that were sent, including those to other
   * racks.
   */
  public synchronized long bytesWritten() {
    return bytesWritten;
  }

  /** Returns the number of bytes of parity and of blocks that were sent to other racks. */
  public synchronized long bytesWrittenRemote() {
    return bytesWrittenRemote;
  }
}
