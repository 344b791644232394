// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.util.List;
import org.stripeline.agent.EncodeResult;
import org.stripeline.agent.Linked;

/** What adoption has moved between DataNodes, in sums; counted by several threads. */
public final class AdoptionTraffic {
  /** Blocks that stayed where they were. */
  public long blocksLinked;

  /** Of those, blocks whose volume makes no links, so that they were copied beside themselves. */
  public long blocksCopied;

  /** Blocks that no plan could keep where they were. */
  public long blocksSent;

  /** Files that maps could not copy, so that their driver did. */
  public long filesCopiedByDriver;

  /** Bytes that encoders had on their own disks. */
  public long bytesReadLocal;

  /** Bytes that encoders read from their racks. */
  public long bytesReadRack;

  /** Bytes that encoders read from other racks. */
  public long bytesReadRemote;

  /** Bytes of parity and of blocks sent, wherever they went. */
  public long bytesWritten;

  /** Of those, bytes that went to other racks. */
  public long bytesWrittenRemote;

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
}
