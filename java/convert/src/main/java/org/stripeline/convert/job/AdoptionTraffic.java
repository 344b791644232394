// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.util.List;
import org.stripeline.agent.EncodeResult;
import org.stripeline.agent.Linked;

/**
 * Counts the bytes and blocks that adoption moved between DataNodes. Thread-safe. Serialized to
 * JSON with the names of its fields.
 */
@SuppressWarnings("unused")
public final class AdoptionTraffic {
  private long blocksLinked;
  private long blocksCopied;
  private long blocksSent;
  private long filesCopiedByDriver;
  private long bytesReadLocal;
  private long bytesReadRack;
  private long bytesReadRemote;
  private long bytesWritten;
  private long bytesWrittenRemote;

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
