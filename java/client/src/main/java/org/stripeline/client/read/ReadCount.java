// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.Locale;

/** What the read pipeline counts. */
public enum ReadCount {
  /** Bytes handed to callers, by ranges that were begun to be handed over. */
  BYTES_DELIVERED("bytes of ranges handed to callers"),
  /** Bytes from DataNodes. */
  BYTES_FETCHED("bytes from DataNodes, parity and unused read-ahead included"),
  /** Bytes that were computed. */
  BYTES_DECODED("bytes computed from other units rather than fetched"),
  /** Ranges asked for. */
  SEGMENTS("ranges, each up to some stripes, that were fetched"),
  /** Ranges of which something was decoded. */
  DEGRADED_SEGMENTS("ranges of which something had to be decoded"),
  /** Late spans. */
  HEDGES("late spans in whose stead others were asked"),
  /** Late spans that were overtaken. */
  HEDGES_WON("hedges that were done before the late span was"),
  /** Waits. */
  STALLS("times that a caller had to wait for a range"),
  /** Segments that were under way when a caller asked, summed: with SEGMENTS it gives the mean. */
  WINDOW_OCCUPANCY("ranges under way or ready ahead of the caller, summed over segments"),
  /** Corrupt internal blocks. */
  CORRUPTIONS("internal blocks found corrupt"),
  /** Failures. */
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

  /** Returns what is counted. */
  public String description() {
    return description;
  }
}
