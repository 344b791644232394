// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.util.Locale;

/**
 * How an erasure-coded file is written; the names are those of the UMR-EC paper and of Hadoop's own
 * stream.
 */
public enum WriteMode {
  /** Hadoop's own stream, unmodified. */
  STOCK,
  /** Stripeline's stream; the caller waits for the encoding of every stripe. */
  BLOCKING,
  /**
   * Stripeline's stream; another thread encodes, and the caller waits only when it needs the
   * result.
   */
  NON_BLOCKING,
  /** Stripeline's stream; collecting, encoding and sending overlap on separate threads. */
  FUNCTIONAL_PARTITIONED;

  /** Returns the name as configuration files spell it, such as {@code non-blocking}. */
  public String configurationName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the mode with the given configuration name.
   *
   * @throws IllegalArgumentException if there is no such mode; the message lists the valid names
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
