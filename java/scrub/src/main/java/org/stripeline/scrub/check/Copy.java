// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.agent.AgentBlock;

/** A replica of an internal block or of a replicated block, as the NameNode reported it. */
public final class Copy {
  /** The unit of the group; 0 for replicated blocks. */
  public final int unit;

  /** The DataNode. */
  public final DatanodeInfo node;

  /** The block, with the generation stamp and length that the replica must have. */
  public final AgentBlock block;

  /** Creates a description of a replica. */
  public Copy(int unit, DatanodeInfo node, AgentBlock block) {
    this.unit = unit;
    this.node = node;
    this.block = block;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Copy
        && ((Copy) other).unit == unit
        && ((Copy) other).node.getDatanodeUuid().equals(node.getDatanodeUuid())
        && ((Copy) other).block.id == block.id
        && ((Copy) other).block.generationStamp == block.generationStamp
        && ((Copy) other).block.length == block.length;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(block.id) * 31 + node.getDatanodeUuid().hashCode();
  }

  @Override
  public String toString() {
    return block + " on " + node.getXferAddr();
  }
}
