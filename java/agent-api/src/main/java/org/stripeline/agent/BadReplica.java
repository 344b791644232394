// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/**
 * A replica of a data block that a group must not be made of: its bytes are wrong, or not readable.
 */
public final class BadReplica {
  /** The data unit, an index into {@link EncodeRequest#data}. */
  public final int unit;

  /** Identity of the DataNode that has the replica. */
  public final String uuid;

  /** Names a replica. */
  public BadReplica(int unit, String uuid) {
    this.unit = unit;
    this.uuid = uuid;
  }

  @Override
  public String toString() {
    return "block " + unit + " on " + uuid;
  }
}
