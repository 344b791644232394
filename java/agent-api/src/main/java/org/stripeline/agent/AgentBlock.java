// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** A replica as the agent is told of it: what a block is called, and how long it must be. */
public final class AgentBlock {
  /** The block's id; negative for internal blocks of a block group. */
  public final long id;

  /** The generation stamp that the replica must have. */
  public final long generationStamp;

  /** Bytes that the replica must have. */
  public final long length;

  /** Names a block. */
  public AgentBlock(long id, long generationStamp, long length) {
    this.id = id;
    this.generationStamp = generationStamp;
    this.length = length;
  }

  /** Names a block that the NameNode has named; its pool is said once for all of a request. */
  public static AgentBlock of(ExtendedBlock block) {
    return new AgentBlock(block.getBlockId(), block.getGenerationStamp(), block.getNumBytes());
  }

  /** Returns the block as Hadoop has it, in that pool. */
  public ExtendedBlock in(String pool) {
    return new ExtendedBlock(pool, id, length, generationStamp);
  }

  @Override
  public String toString() {
    return Block.BLOCK_FILE_PREFIX + id + '_' + generationStamp + " of " + length + " bytes";
  }
}
