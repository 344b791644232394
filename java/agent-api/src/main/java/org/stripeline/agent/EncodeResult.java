// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The result of a task that succeeded. All blocks that it sent, and all that the request names as
 * kept, have been written to disk, read back and verified.
 */
public final class EncodeResult {
  /** Bytes read from replicas of the agent's own DataNode. */
  public final long readLocal;

  /** Bytes read from other DataNodes of the agent's rack. */
  public final long readRack;

  /** Bytes read from DataNodes of other racks. */
  public final long readRemote;

  /** Bytes written to the agent's own DataNode. */
  public final long sentLocal;

  /** Bytes sent to other DataNodes of the agent's rack. */
  public final long sentRack;

  /** Bytes sent to DataNodes of other racks. */
  public final long sentRemote;

  /** Seconds from the start of the task until all blocks were verified. */
  public final double seconds;

  /** Checksums of the written blocks: parity in order, followed by sends in order. */
  public final List<BlockChecksum> written;

  /**
   * Checksums of the kept blocks, in the request's order; null from agents that do not check them.
   */
  public final List<BlockChecksum> kept;

  /** Creates a result. {@code read} and {@code sent} contain local, rack and remote bytes. */
  public EncodeResult(
      long[] read,
      long[] sent,
      double seconds,
      List<BlockChecksum> written,
      List<BlockChecksum> kept) {
    this.readLocal = read[0];
    this.readRack = read[1];
    this.readRemote = read[2];
    this.sentLocal = sent[0];
    this.sentRack = sent[1];
    this.sentRemote = sent[2];
    this.seconds = seconds;
    this.written = Collections.unmodifiableList(new ArrayList<>(written));
    this.kept = Collections.unmodifiableList(new ArrayList<>(kept));
  }
}
