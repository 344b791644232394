// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

/** The purpose of a transfer. */
public enum Purpose {
  /** A client writes a replicated block. */
  WRITE,
  /** An encoder reads data. */
  ENCODE_READ,
  /** An encoder writes parity. */
  PARITY,
  /** A data block is sent to the node that the rack rule requires, or to the new file of a copy. */
  SEND,
  /** Traffic of other applications. */
  BACKGROUND,
  /** Blocks of a dead node are reconstructed or copied. */
  REPAIR
}
