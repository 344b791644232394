// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

/** What hflush and hsync of an erasure-coded file do. */
public enum SyncMode {
  /**
   * They make the bytes durable: the first one turns a small file into a replicated file; in a
   * larger one each ends a block group.
   */
  DURABLE,
  /** They log a warning once per client and return. */
  WARN,
  /** They throw an UnsupportedOperationException. */
  REFUSE;

  static SyncMode parse(String value) {
    for (SyncMode mode : values()) {
      if (mode.name().equalsIgnoreCase(value)) {
        return mode;
      }
    }
    throw new IllegalArgumentException("use durable, warn or refuse");
  }
}
