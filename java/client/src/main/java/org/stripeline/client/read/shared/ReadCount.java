// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.util.Locale;

/** The counters of the read pipeline. */
public enum ReadCount {
  /** Bytes returned to callers; a range counts when its first byte is returned. */
  BYTES_DELIVERED("bytes of ranges handed to callers"),
  /** Bytes from DataNodes. */
  BYTES_FETCHED("bytes from DataNodes, parity and unused read-ahead included"),
  /** Bytes that were decoded. */
  BYTES_DECODED("bytes computed from other units rather than fetched"),
  /** Ranges that were requested. */
  SEGMENTS("ranges fetched, each of at most a few stripes"),
  /** Ranges of which some part was decoded. */
  DEGRADED_SEGMENTS("ranges fetched that needed decoding"),
  /** Late spans. */
  HEDGES("late spans for which other units were requested"),
  /** Late spans that were not needed because decoding finished first. */
  HEDGES_WON("hedges that completed before the late span"),
  /** Times that a caller waited. */
  STALLS("times that a caller had to wait for a range"),
  /**
   * Segments in the window when a sequential reader goes on to the next one, summed. Without
   * positional reads, divided by SEGMENTS it gives about the mean.
   */
  WINDOW_OCCUPANCY(
      "ranges in flight or ready ahead of sequential readers, summed over the ranges that they went"
          + " on to"),
  /** Corrupt internal blocks. */
  CORRUPTIONS("internal blocks found corrupt"),
  /** Ranges that could not be read. */
  FAILURES("ranges that could not be read");

  private final String description;

  ReadCount(String description) {
    this.description = description;
  }

  /** Returns the name in metrics, such as {@code HedgesWon}. */
  public String metricName() {
    StringBuilder text = new StringBuilder();
    for (String word : name().split("_")) {
      text.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return text.toString();
  }

  /** Returns the name in stream statistics, such as {@code stripeline_hedges_won}. */
  public String statisticName() {
    return "stripeline_" + name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether the counter stays 0 unless something fails. */
  public boolean isFailure() {
    return this == CORRUPTIONS || this == FAILURES;
  }

  /** Returns the description of the counter. */
  public String description() {
    return description;
  }
}
