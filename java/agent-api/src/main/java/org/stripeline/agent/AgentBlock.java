// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/**
 * Identifies a replica in messages to an agent: the block, and the length that the replica must
 * have.
 */
public final class AgentBlock {
  /** The block's id; negative for internal blocks of a block group. */
  public final long id;

  /** The generation stamp that the replica must have. */
  public final long generationStamp;

  /** Length that the replica must have, in bytes. */
  public final long length;

  /** Creates an identifier. */
  public AgentBlock(long id, long generationStamp, long length) {
    this.id = id;
    this.generationStamp = generationStamp;
    this.length = length;
  }

  /**
   * Creates an identifier for a block from the NameNode. The block pool is given once per request.
   */
  public static AgentBlock of(ExtendedBlock block) {
    return new AgentBlock(block.getBlockId(), block.getGenerationStamp(), block.getNumBytes());
  }

  /** Returns the block as Hadoop's type, in a block pool. */
  public ExtendedBlock in(String pool) {
    return new ExtendedBlock(pool, id, length, generationStamp);
  }

  @Override
  public String toString() {
    return Block.BLOCK_FILE_PREFIX + id + '_' + generationStamp + " of " + length + " bytes";
  }
}
