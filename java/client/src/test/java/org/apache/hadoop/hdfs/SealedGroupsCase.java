// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.junit.jupiter.api.AfterAll;
import org.stripeline.client.ClientKeys;

/** What tests of faults share whose files end block groups at syncs. */
class SealedGroupsCase extends SyncCase {
  static void seal(Configuration conf) {
    conf.setInt(ClientKeys.WRITE_SYNC_SWITCH_MAX, 0);
    conf.setInt(ClientKeys.WRITE_SYNC_GROUPS_MAX, 100);
  }

  static DistributedFileSystem sealing() throws IOException {
    return ours(SealedGroupsCase::seal);
  }

  /** The edit log of all that the other tests did can be read. */
  @AfterAll
  static void theNameNodeStartsAgain() throws Exception {
    cluster.cluster.restartNameNode(0);
    cluster.cluster.waitActive();
  }

  static LocatedBlocks blocks(Path file) throws IOException {
    return fs.getClient().getLocatedBlocks(file.toUri().getPath(), 0);
  }

  /** Stops the DataNode of the first internal block of a group. */
  static MiniDFSCluster.DataNodeProperties stopFirstDataNode(LocatedBlock group)
      throws IOException {
    return cluster.cluster.stopDataNode(
        StripedCluster.location((LocatedStripedBlock) group, 0).getXferAddr());
  }
}
