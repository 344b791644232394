// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a task that succeeded has done. All that it sent, and all that the request names as kept,
 * was made durable, read back at rest and is right.
 */
public final class EncodeResult {
  /** Bytes read from replicas of the agent's own DataNode. */
  public final long readLocal;

  /** Bytes read from other DataNodes of its rack. */
  public final long readRack;

  /** Bytes read from DataNodes of other racks. */
  public final long readRemote;

  /** Bytes written to the agent's own DataNode. */
  public final long sentLocal;

  /** Bytes sent to other DataNodes of its rack. */
  public final long sentRack;

  /** Bytes sent to DataNodes of other racks. */
  public final long sentRemote;

  /** Seconds from the start of the task until all was verified. */
  public final double seconds;

  /** Checksums of what was written: parity in its order, then sends in theirs. */
  public final List<BlockChecksum> written;

  /** Checksums of the kept blocks, in the request's order; null from agents that check none. */
  public final List<BlockChecksum> kept;

  /** Collects a result. {@code read} and {@code sent} count local, rack and remote bytes. */
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
