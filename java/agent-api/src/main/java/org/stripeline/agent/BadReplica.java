// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/**
 * A replica of a data block that must not be used for a group, since its bytes are wrong or
 * unreadable.
 */
public final class BadReplica {
  /** The data unit, an index into {@link EncodeRequest#data}. */
  public final int unit;

  /** UUID of the DataNode that has the replica. */
  public final String uuid;

  /** Creates a description of a replica. */
  public BadReplica(int unit, String uuid) {
    this.unit = unit;
    this.uuid = uuid;
  }

  @Override
  public String toString() {
    return "block " + unit + " on " + uuid;
  }
}
