// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/** Reads a striped file. */
class StripelineInputStream extends DFSStripedInputStream {
  StripelineInputStream(
      DFSClient client,
      String src,
      boolean verifyChecksum,
      ErasureCodingPolicy policy,
      LocatedBlocks blocks)
      throws IOException {
    super(client, src, verifyChecksum, policy, blocks);
  }
}
