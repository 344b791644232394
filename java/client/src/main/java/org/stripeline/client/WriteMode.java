// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.util.Locale;

/**
 * How an erasure-coded file is written; the names are those of the UMR-EC paper, plus Hadoop's own
 * stream.
 */
public enum WriteMode {
  /** Hadoop's own stream, untouched. */
  STOCK,
  /** Our stream; the caller waits for the coding of every stripe. */
  BLOCKING,
  /** Our stream; coding is issued to another thread and waited for when its result is needed. */
  NON_BLOCKING,
  /** Our stream; collecting, coding and streaming overlap on threads of their own. */
  FUNCTIONAL_PARTITIONED;

  /** Returns the name as configuration files spell it, such as {@code non-blocking}. */
  public String configurationName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the mode of that name.
   *
   * @throws IllegalArgumentException if there is none, naming those that there are
   */
  public static WriteMode parse(String name) {
    for (WriteMode mode : values()) {
      if (mode.configurationName().equals(name)) {
        return mode;
      }
    }
    throw new IllegalArgumentException(
        "use stock, blocking, non-blocking or functional-partitioned");
  }
}
