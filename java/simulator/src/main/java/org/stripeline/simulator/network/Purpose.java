// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

/** What bytes are moved for. */
public enum Purpose {
  /** A client writes a replicated block. */
  WRITE,
  /** An encoder reads data. */
  ENCODE_READ,
  /** An encoder writes parity. */
  PARITY,
  /** A data block is sent to where the rack rule wants it, or to the new file of a copy. */
  SEND,
  /** Somebody else's traffic. */
  BACKGROUND,
  /** What a dead node held is made anew. */
  REPAIR
}
